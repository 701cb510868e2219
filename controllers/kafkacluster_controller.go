package controllers

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
)

const (
	// clusterLook bounds one look at a Kafka cluster, so that its status says within 5 s what is wrong.
	clusterLook = 4 * time.Second
	// brokersLook bounds the part of it in which the brokers are asked, so that some is left for the
	// controller.
	brokersLook = 2500 * time.Millisecond
	// brokersAsked bounds how many brokers are asked at the same time.
	brokersAsked = 16
	// longestRetry bounds the time between two looks at a cluster that is away, in whole or in part.
	longestRetry = 15 * time.Second
)

// KafkaClusterReconciler keeps watch over Kafka clusters: whether they answer, who they are, and what
// their brokers and controller can do.
type KafkaClusterReconciler struct {
	client.Client
	Sessions *Sessions
	Events   events.EventRecorder
	Now      func() time.Time
}

// +kubebuilder:rbac:groups=kafka-dedup.dev,resources=kafkaclusters,verbs=get;list;watch
// +kubebuilder:rbac:groups=kafka-dedup.dev,resources=kafkaclusters/status,verbs=get;update;patch

// SetupWithManager has the manager run the reconciler.
func (r *KafkaClusterReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.KafkaCluster{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		WatchesRawSource(source.Channel(r.Sessions.lookAt, &handler.TypedEnqueueRequestForObject[*v1alpha1.KafkaCluster]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(r)
}

// Reconcile looks at one Kafka cluster and says what it sees.
func (r *KafkaClusterReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return againOnConflict(r.reconcile(ctx, req))
}

func (r *KafkaClusterReconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cluster v1alpha1.KafkaCluster
	if err := r.Get(ctx, req.NamespacedName, &cluster); err != nil {
		r.Sessions.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !cluster.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	lease := r.Sessions.lease(&cluster)
	defer lease.Release()

	seen := lookAt(ctx, lease.Session())
	return r.report(ctx, &cluster, seen, decide.Cluster(seen.facts()))
}

// sighting is what one look at a cluster found.
type sighting struct {
	failure    error // nothing else is known
	id         string
	brokers    []brokerSighting
	controller error // nil: it accepts the window
}

type brokerSighting struct {
	kafka.Broker
	support kafka.BrokerSupport
	failure error // its support is unknown
}

// lookAt asks a cluster for its id and brokers, each broker for what it can do, and the active
// controller whether it accepts a dedup window.
func lookAt(ctx context.Context, session *kafka.Session) sighting {
	ctx, cancel := context.WithTimeout(ctx, clusterLook)
	defer cancel()

	cluster, err := session.DescribeCluster(ctx)
	if err != nil {
		return sighting{failure: err}
	}
	seen := sighting{id: cluster.ID, brokers: make([]brokerSighting, len(cluster.Brokers))}
	brokers, done := context.WithTimeout(ctx, brokersLook)
	defer done()
	var asked errgroup.Group
	asked.SetLimit(brokersAsked)
	for i, broker := range cluster.Brokers {
		seen.brokers[i].Broker = broker
		if broker.Fenced {
			continue
		}
		asked.Go(func() error {
			seen.brokers[i].support, seen.brokers[i].failure = session.BrokerSupport(brokers, broker.ID)
			return nil
		})
	}
	_ = asked.Wait() // what failed is kept with who was asked
	// Last, because a broker answers in order: one that waits for a controller that hangs could not tell
	// about itself meanwhile.
	seen.controller = session.ControllerSupport(ctx)
	return seen
}

// facts are the sighting in the terms of a decision.
func (s sighting) facts() decide.ClusterFacts {
	if s.failure != nil {
		failure := failureOf(s.failure)
		return decide.ClusterFacts{Failure: &failure}
	}
	facts := decide.ClusterFacts{Support: decide.Support{Controller: s.controllerAnswer()}}
	if facts.Support.Controller == decide.Unsure {
		facts.Support.Problem = wordsOf(s.controller)
	}
	for _, broker := range s.brokers {
		facts.Support.Brokers = append(facts.Support.Brokers, broker.facts())
	}
	return facts
}

func (s sighting) controllerAnswer() decide.Answer {
	switch {
	case s.controller == nil:
		return decide.Yes
	case kafka.IsWindowUnsupported(s.controller):
		return decide.No
	default:
		return decide.Unsure
	}
}

func (b brokerSighting) facts() decide.BrokerSupport {
	facts := decide.BrokerSupport{ID: b.ID, Rack: b.Rack, State: v1alpha1.BrokerActive, Window: decide.Unsure}
	switch {
	case b.Fenced:
		facts.State = v1alpha1.BrokerFenced
	case b.failure != nil:
		if kafka.ClassOf(b.failure) != kafka.NotAuthorized {
			facts.State = v1alpha1.BrokerUnreachable
		}
	default:
		produce := int32(b.support.ProduceMax)
		facts.Produce, facts.Window = &produce, decide.No
		if b.support.KnowsWindow {
			facts.Window = decide.Yes
		}
	}
	return facts
}
