package controllers

import (
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
)

// maximumMessage bounds a condition's message; the API allows 32768 characters, nobody reads them.
const maximumMessage = 4096

// setCondition says one verdict. It changes nothing when the verdict is the one that stands there.
func setCondition(conditions *[]metav1.Condition, conditionType string, generation int64, verdict decide.Verdict) {
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type:               conditionType,
		Status:             verdict.Status,
		ObservedGeneration: generation,
		Reason:             verdict.Reason,
		Message:            strings.ToValidUTF8(verdict.Message[:min(len(verdict.Message), maximumMessage)], ""),
	})
}

// setReady says whether the resource is ready, in the terms of kstatus: Stalled while only a person
// can help, Reconciling while it will help itself, and neither when it is ready.
func setReady(conditions *[]metav1.Condition, generation int64, ready decide.Verdict) {
	setCondition(conditions, v1alpha1.ConditionReady, generation, ready)
	working, other := v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled
	if ready.Stalled {
		working, other = other, working
	}
	meta.RemoveStatusCondition(conditions, other)
	if ready.Holds() {
		meta.RemoveStatusCondition(conditions, working)
		return
	}
	setCondition(conditions, working, generation, decide.True(ready.Reason, ready.Message))
}

// againOnConflict takes a write that came too late for what it is: somebody changed the resource
// meanwhile, and it is looked at anew.
func againOnConflict(result ctrl.Result, err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	return result, err
}

const conflictRetry = 50 * time.Millisecond

// verdictOf reads a verdict back from a condition; the zero verdict if it is absent.
func verdictOf(conditions []metav1.Condition, conditionType string) decide.Verdict {
	condition := meta.FindStatusCondition(conditions, conditionType)
	if condition == nil {
		return decide.Verdict{}
	}
	return decide.Verdict{Status: condition.Status, Reason: condition.Reason, Message: condition.Message}
}
