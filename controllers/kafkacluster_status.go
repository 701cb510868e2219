package controllers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
)

// shownBrokers bounds the brokers in a status.
const shownBrokers = 256

// report writes what was seen, if it differs from what stands there, and says when to look again.
func (r *KafkaClusterReconciler) report(ctx context.Context, cluster *v1alpha1.KafkaCluster, seen sighting, verdicts decide.ClusterVerdicts) (ctrl.Result, error) {
	before := cluster.DeepCopy()
	status := &cluster.Status
	status.ObservedGeneration = cluster.Generation
	setReady(&status.Conditions, cluster.Generation, verdicts.Ready)
	setCondition(&status.Conditions, v1alpha1.ConditionDedupWindowSupported, cluster.Generation, verdicts.Supported)
	if seen.failure == nil { // else the rest stays as last seen
		status.ClusterID = seen.id
		status.BrokerCount = ptr.To(int32(len(seen.brokers)))
		status.Brokers = brokerStatus(seen)
		status.ControllerDedupWindow = seen.controllerAnswer()
	}
	if !equality.Semantic.DeepEqual(before.Status, cluster.Status) {
		if err := r.Status().Update(ctx, cluster); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		r.tell(before, cluster, verdicts.Ready)
	}
	return ctrl.Result{RequeueAfter: nextLook(cluster, verdicts.Ready, r.Now())}, nil
}

func brokerStatus(seen sighting) []v1alpha1.BrokerStatus {
	var shown []v1alpha1.BrokerStatus
	for _, broker := range seen.brokers[:min(len(seen.brokers), shownBrokers)] {
		facts := broker.facts()
		status := v1alpha1.BrokerStatus{
			ID: broker.ID, Address: broker.Address(), Rack: broker.Rack, State: facts.State,
			MaximumProduceVersion: facts.Produce, DedupWindow: facts.Window,
		}
		if facts.Produce != nil {
			status.MinimumProduceVersion = ptr.To(int32(broker.support.ProduceMin))
		}
		if facts.Window == decide.Yes {
			status.DefaultBatchesToRetain = ptr.To(broker.support.DefaultWindow)
		}
		shown = append(shown, status)
	}
	return shown
}

// tell emits one event when the cluster is lost and one when it is back.
func (r *KafkaClusterReconciler) tell(before, cluster *v1alpha1.KafkaCluster, ready decide.Verdict) {
	was := meta.FindStatusCondition(before.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case !ready.Holds() && (was == nil || was.Reason != ready.Reason):
		r.Events.Eventf(cluster, nil, corev1.EventTypeWarning, ready.Reason, "Connect", "%s", ready.Message)
	case ready.Holds() && was != nil && was.Status != "True":
		r.Events.Eventf(cluster, nil, corev1.EventTypeNormal, ready.Reason, "Connect", "%s", ready.Message)
	}
}

// nextLook is the poll interval for a cluster all of whose brokers answer. One that does not answer is
// looked at more often at first, and then ever more seldom, by how long it has been away. No lost
// connection tells of a broker that comes back, so that it is looked out for.
func nextLook(cluster *v1alpha1.KafkaCluster, ready decide.Verdict, now time.Time) time.Duration {
	poll := pollInterval(cluster)
	switch {
	case ready.Reason == v1alpha1.ReasonPartlyConnected:
		return min(poll, longestRetry)
	case ready.Holds():
		return poll
	}
	away := time.Second
	if condition := meta.FindStatusCondition(cluster.Status.Conditions, v1alpha1.ConditionReady); condition != nil {
		away = now.Sub(condition.LastTransitionTime.Time)
	}
	return min(max(away/2, time.Second), poll, longestRetry)
}

func pollInterval(cluster *v1alpha1.KafkaCluster) time.Duration {
	return time.Duration(max(cluster.Spec.PollIntervalSeconds, 1)) * time.Second
}
