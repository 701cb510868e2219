package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
)

// TopicReconciler brings topics to what their Topic resources ask for.
type TopicReconciler struct {
	client.Client
	Live        client.Reader // reads past the cache, before anything is destroyed
	Sessions    *Sessions
	Events      events.EventRecorder
	OutageGrace time.Duration
	Now         func() time.Time

	lost sync.Map // of Topics that can't be read although their cluster is well: since when
}

// +kubebuilder:rbac:groups=kafka-dedup.dev,resources=topics,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kafka-dedup.dev,resources=topics/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=kafka-dedup.dev,resources=topics/finalizers,verbs=update

// SetupWithManager has the manager run the reconciler, on changes of a Topic's spec and annotations, of
// what its KafkaCluster can do, and of who else claims its topic.
func (r *TopicReconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.Topic{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.KafkaCluster{}, handler.EnqueueRequestsFromMapFunc(r.topicsOf), builder.WithPredicates(clusterMatters())).
		Watches(&v1alpha1.Topic{}, handler.EnqueueRequestsFromMapFunc(r.rivalsOf), builder.WithPredicates(onlyDeletions())).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}

// Reconcile brings one topic of one Kafka cluster to what its Topic resource asks for.
func (r *TopicReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return againOnConflict(r.reconcile(ctx, req))
}

func (r *TopicReconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var topic v1alpha1.Topic
	if err := r.Get(ctx, req.NamespacedName, &topic); err != nil {
		r.lost.Delete(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !topic.DeletionTimestamp.IsZero() {
		return r.finish(ctx, &topic)
	}
	if err := r.keepFinalizer(ctx, &topic); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	scope, held, err := r.open(ctx, &topic)
	if err != nil {
		return ctrl.Result{}, err
	}
	if held != nil {
		return r.reportHeld(ctx, &topic, scope, *held)
	}
	defer scope.close()
	if scope.owner, err = r.owner(ctx, &topic, topic.Status.TopicID); err != nil {
		return ctrl.Result{}, err
	}
	plan, err := r.drive(ctx, scope)
	if err != nil {
		return r.reportLost(ctx, &topic, scope, failureOf(err))
	}
	return r.report(ctx, scope, plan)
}

// keepFinalizer has the finalizer on a Topic before anything is done for it that its deletion would
// have to undo, and only then.
func (r *TopicReconciler) keepFinalizer(ctx context.Context, topic *v1alpha1.Topic) error {
	before := topic.DeepCopy()
	var changed bool
	if topic.Spec.DeletionPolicy == v1alpha1.DeletionPolicyDelete {
		changed = controllerutil.AddFinalizer(topic, v1alpha1.TopicFinalizer)
	} else {
		changed = controllerutil.RemoveFinalizer(topic, v1alpha1.TopicFinalizer)
	}
	if !changed {
		return nil
	}
	return r.Patch(ctx, topic, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// topicScope is what one reconcile works with.
type topicScope struct {
	topic   *v1alpha1.Topic
	name    string                 // of the topic in Kafka
	cluster *v1alpha1.KafkaCluster // nil: there is none that this Topic may use
	owner   *decide.Owned          // nil: this Topic
	lease   *kafka.Lease
	session *kafka.Session
	changes []decide.Step // what was done
}

func (s *topicScope) close() {
	if s.lease != nil {
		s.lease.Release()
	}
}

const (
	// topicWork bounds the work of one reconcile on Kafka, so that a status follows within 5 s.
	topicWork = 4 * time.Second
	// propagation is how long a reconcile waits to see what it changed: brokers follow their
	// controller by some milliseconds.
	propagation = 2 * time.Second
	// actsAtMost ends a reconcile whose changes lead to ever new ones.
	actsAtMost = 6
)

// drive observes, decides and acts until nothing is left to do that can be done now.
func (r *TopicReconciler) drive(ctx context.Context, scope *topicScope) (decide.TopicPlan, error) {
	ctx, cancel := context.WithTimeout(ctx, topicWork)
	defer cancel()

	var attempts decide.Attempts
	pause, patience := 20*time.Millisecond, propagation
	for acts := 0; ; {
		facts, err := gather(ctx, scope, attempts, r.Now())
		if err == nil {
			err = r.contest(ctx, scope, &facts)
		}
		if err != nil {
			return decide.TopicPlan{}, err
		}
		plan := decide.Topic(scope.topic.Spec, scope.topic.Status, facts)
		switch {
		case len(plan.Steps) > 0 && acts < actsAtMost:
			acts++
			if same, err := isStill(ctx, scope, facts.Topic); err != nil {
				return decide.TopicPlan{}, err
			} else if !same {
				continue
			}
			if err := act(ctx, scope, plan.Steps, &attempts); err != nil {
				return decide.TopicPlan{}, err
			}
		case plan.Waiting && patience > 0:
			if err := sleep(ctx, pause); err != nil {
				return decide.TopicPlan{}, err
			}
			patience -= pause
			pause = min(2*pause, propagation/4)
		default:
			return plan, nil
		}
	}
}

// isStill says whether a topic is the one that the plan is about. Its config was read by name, after its
// id: between the two others may have put another topic in its place.
func isStill(ctx context.Context, scope *topicScope, planned *decide.ObservedTopic) (bool, error) {
	if planned == nil {
		return true, nil
	}
	now, err := scope.session.DescribeTopic(ctx, scope.name)
	if kafka.IsTopicNotFound(err) {
		return false, nil
	}
	return now.ID.String() == planned.ID, err
}

// contest looks for who owns the topic by its id, now that it is seen and was not known before: a Topic of
// another KafkaCluster may have claimed it first.
func (r *TopicReconciler) contest(ctx context.Context, scope *topicScope, facts *decide.TopicFacts) (err error) {
	if facts.Topic != nil && facts.Topic.ID != scope.topic.Status.TopicID {
		facts.Owner, err = r.owner(ctx, scope.topic, facts.Topic.ID)
	}
	return err
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
