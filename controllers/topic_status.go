package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
)

// shownUnmanaged bounds the names of foreign overrides in a status; all are counted.
const shownUnmanaged = 64

// report writes what came of a plan, if it differs from what stands there, and says when to look again.
func (r *TopicReconciler) report(ctx context.Context, scope *topicScope, plan decide.TopicPlan) (ctrl.Result, error) {
	topic := scope.topic
	r.lost.Delete(client.ObjectKeyFromObject(topic))
	before := topic.DeepCopy()
	status, generation := &topic.Status, topic.Generation

	status.ObservedGeneration = generation
	status.TopicName = scope.name
	setReady(&status.Conditions, generation, plan.Ready)
	setCondition(&status.Conditions, v1alpha1.ConditionConfigSynced, generation, plan.ConfigSynced)
	if plan.Topic != nil {
		status.TopicID = plan.Topic.ID
		status.Partitions = ptr.To(plan.Topic.Partitions)
		status.ReplicationFactor = ptr.To(plan.Topic.ReplicationFactor)
		status.Config = plan.Config
		status.UnmanagedConfig = unmanagedStatus(plan.Unmanaged)
	}
	reportWindow(topic, plan)
	if err := r.write(ctx, before, topic); err != nil {
		return ctrl.Result{}, err
	}
	r.tell(before, scope, plan)
	return ctrl.Result{RequeueAfter: nextTopicLook(scope.cluster, plan)}, nil
}

func unmanagedStatus(names []string) *v1alpha1.UnmanagedConfig {
	if len(names) == 0 {
		return nil
	}
	return &v1alpha1.UnmanagedConfig{
		Count: int32(len(names)),
		Names: names[:min(len(names), shownUnmanaged)],
	}
}

// reportWindow says how the window is. Of a topic that is not managed nothing is known, and what was said
// of it is withdrawn.
func reportWindow(topic *v1alpha1.Topic, plan decide.TopicPlan) {
	status := &topic.Status
	status.DedupWindow = nil
	verdict := decide.Unknown(plan.Ready.Reason, plan.Ready.Message)
	if window := plan.Window; window != nil {
		verdict = window.Verdict
		status.DedupWindow = windowStatus(*window)
	}
	if topic.Spec.DedupWindow == nil || topic.Spec.DedupWindow.BatchesToRetain == nil {
		meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionDedupWindowEffective)
		return
	}
	setCondition(&status.Conditions, v1alpha1.ConditionDedupWindowEffective, topic.Generation, verdict)
}

func windowStatus(plan decide.WindowPlan) *v1alpha1.DedupWindowStatus {
	if plan.State == "" { // others set it, and it is theirs
		return nil
	}
	status := &v1alpha1.DedupWindowStatus{
		State: plan.State, Requested: plan.Requested, Desired: plan.Desired, Applied: plan.Applied, Effective: plan.Effective,
	}
	if plan.LoweringRequestedAt != nil {
		status.LoweringRequestedAt = ptr.To(metav1.NewTime(*plan.LoweringRequestedAt).Rfc3339Copy())
	}
	return status
}

// soon is when to look again at a change that was accepted and not yet seen.
const soon = time.Second

func nextTopicLook(cluster *v1alpha1.KafkaCluster, plan decide.TopicPlan) time.Duration {
	next := pollInterval(cluster)
	if plan.RetryAfter > 0 {
		next = min(next, plan.RetryAfter)
	}
	if plan.Waiting {
		next = min(next, soon)
	}
	return next
}

// reportLost says that Kafka stopped answering in the middle of the work. Where the cluster was thought
// to be well it is looked at now, and its topics are woken by what that look finds.
func (r *TopicReconciler) reportLost(ctx context.Context, topic *v1alpha1.Topic, scope *topicScope, failure decide.Refusal) (ctrl.Result, error) {
	if failure.Passing {
		r.Sessions.look(scope.cluster)
	}
	next, err := r.reportHeld(ctx, topic, scope, failure.Verdict())
	next.RequeueAfter = min(next.RequeueAfter, lostRetry)
	return next, err
}

// lostRetry is how soon work that was broken off is taken up again.
const lostRetry = 5 * time.Second

// reportHeld says that a topic can't be worked on for now. A topic that is verified keeps its status
// for the grace period, because nothing is known against it and the KafkaCluster tells of the outage.
func (r *TopicReconciler) reportHeld(ctx context.Context, topic *v1alpha1.Topic, scope *topicScope, verdict decide.Verdict) (ctrl.Result, error) {
	next := ctrl.Result{}
	if scope.cluster != nil {
		next.RequeueAfter = pollInterval(scope.cluster)
		if remaining := r.graceLeft(topic, scope.cluster); remaining > 0 && !verdict.Stalled {
			next.RequeueAfter = remaining
			return next, nil
		}
	}
	if verdict.Reason == v1alpha1.ReasonClusterNotReady && topic.Status.ObservedGeneration == topic.Generation {
		return next, nil // what is said holds until the cluster was looked at, in a moment
	}
	before := topic.DeepCopy()
	topic.Status.ObservedGeneration = topic.Generation
	topic.Status.TopicName = scope.name
	verdict = notReady(verdict)
	setReady(&topic.Status.Conditions, topic.Generation, verdict)
	if err := r.write(ctx, before, topic); err != nil {
		return ctrl.Result{}, err
	}
	r.tellReady(before, topic, verdict)
	return next, nil
}

// graceLeft is how long a topic whose generation is verified keeps its status while its KafkaCluster
// can't be worked with.
func (r *TopicReconciler) graceLeft(topic *v1alpha1.Topic, cluster *v1alpha1.KafkaCluster) time.Duration {
	ready := meta.FindStatusCondition(topic.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != topic.Generation {
		return 0
	}
	return r.lostSince(topic, cluster).Add(r.OutageGrace).Sub(r.Now())
}

// lostSince is when the cluster went away, or, while the cluster is well and only this topic can't be
// read, when that was first found.
func (r *TopicReconciler) lostSince(topic *v1alpha1.Topic, cluster *v1alpha1.KafkaCluster) time.Time {
	condition := meta.FindStatusCondition(cluster.Status.Conditions, v1alpha1.ConditionReady)
	if condition != nil && condition.Status != metav1.ConditionTrue {
		return condition.LastTransitionTime.Time
	}
	since, _ := r.lost.LoadOrStore(client.ObjectKeyFromObject(topic), r.Now())
	return since.(time.Time)
}

// notReady is a cluster's verdict as one on its topic, which is never ready while it can't be seen.
func notReady(verdict decide.Verdict) decide.Verdict {
	verdict.Status = metav1.ConditionFalse
	return verdict
}

// write updates the status if it changed: the one write of a reconcile. A Topic that is gone by now needs
// none.
func (r *TopicReconciler) write(ctx context.Context, before, topic *v1alpha1.Topic) error {
	if equality.Semantic.DeepEqual(before.Status, topic.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.Status().Update(ctx, topic))
}
