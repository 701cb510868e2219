package controllers

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
)

// tell emits an event for each transition that somebody should hear of: a failure and its end, what was
// put back, a window that is lost, had again or lowered. What goes as asked for stays silent.
func (r *TopicReconciler) tell(before *v1alpha1.Topic, scope *topicScope, plan decide.TopicPlan) {
	topic := scope.topic
	r.tellReady(before, topic, plan.Ready)
	for _, change := range scope.changes {
		r.tellChange(topic, change)
	}
	r.tellWindow(before, topic, plan)
}

// tellReady tells when a topic of its own accord stops being ready, or is ready again.
func (r *TopicReconciler) tellReady(before, topic *v1alpha1.Topic, ready decide.Verdict) {
	was := verdictOf(before.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case isTopicFailure(ready) && was.Reason != ready.Reason:
		r.warn(topic, ready.Reason, "Reconcile", ready.Message)
	case ready.Holds() && isTopicFailure(was):
		r.note(topic, ready.Reason, "Reconcile", ready.Message)
	}
}

// isTopicFailure says whether a topic is not ready for a reason of its own: not because work is under
// way, and not because of its cluster, whose own events tell of that.
func isTopicFailure(ready decide.Verdict) bool {
	switch ready.Reason {
	case "", v1alpha1.ReasonProgressing, v1alpha1.ReasonDeleting, v1alpha1.ReasonClusterNotReady,
		v1alpha1.ReasonBrokersUnreachable, v1alpha1.ReasonBootstrapUnresolvable, v1alpha1.ReasonNotKafka, v1alpha1.ReasonClusterReplaced:
		return false
	}
	return !ready.Holds()
}

func (r *TopicReconciler) tellChange(topic *v1alpha1.Topic, change decide.Step) {
	switch change := change.(type) {
	case decide.AlterConfig:
		if change.Drift {
			r.note(topic, v1alpha1.ReasonDrifted, "AlterConfig", "configs that were changed outside of this resource are put back: "+strings.Join(names(change.Changes), ", "))
		}
	case decide.SetWindow:
		if change.Lowers {
			r.warn(topic, v1alpha1.ReasonLowered, "LowerWindow", fmt.Sprintf("the dedup window is lowered to %d; producers with more batches in flight may now write duplicates or fail", change.Value))
		}
	case decide.ResetWindow:
		if change.Lowers {
			r.warn(topic, v1alpha1.ReasonLowered, "LowerWindow", "the dedup window is taken back to the broker's default; producers with more batches in flight may now write duplicates or fail")
		}
	}
}

func names(changes []decide.ConfigChange) []string {
	var names []string
	for _, change := range changes {
		names = append(names, change.Name)
	}
	return names
}

// tellWindow tells when a window is lost, and when it is had after it was not.
func (r *TopicReconciler) tellWindow(before, topic *v1alpha1.Topic, plan decide.TopicPlan) {
	if plan.Window == nil || before.Status.DedupWindow == nil || before.Status.DedupWindow.State == plan.Window.State {
		return
	}
	verdict := plan.Window.Verdict
	switch plan.Window.State {
	case v1alpha1.WindowDrifted, v1alpha1.WindowDegraded:
		r.warn(topic, verdict.Reason, "CheckWindow", verdict.Message)
	case v1alpha1.WindowEffective:
		r.note(topic, verdict.Reason, "CheckWindow", verdict.Message)
	}
}

func (r *TopicReconciler) warn(topic *v1alpha1.Topic, reason, action, message string) {
	r.Events.Eventf(topic, nil, corev1.EventTypeWarning, reason, action, "%s", shortNote(message))
}

func (r *TopicReconciler) note(topic *v1alpha1.Topic, reason, action, message string) {
	r.Events.Eventf(topic, nil, corev1.EventTypeNormal, reason, action, "%s", shortNote(message))
}

// shortNote keeps a note within the 1 kB that the API server takes.
func shortNote(message string) string {
	const limit = 1000
	if len(message) <= limit {
		return message
	}
	return strings.ToValidUTF8(message[:limit], "") + "…"
}
