package operator

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

// kstatusFaults lists what of the status of a Topic or KafkaCluster would mislead tools that wait for
// it by the rules of kstatus. At the end of each spec there is nothing for any object that the spec made.
func kstatusFaults(object client.Object) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		conditions, err := conditionsOf(ctx, object)
		if err != nil {
			return nil, err
		}
		observed := int64(0)
		switch object := object.(type) {
		case *v1alpha1.Topic:
			observed = object.Status.ObservedGeneration
		case *v1alpha1.KafkaCluster:
			observed = object.Status.ObservedGeneration
		default:
			return nil, nil
		}
		return faultsOf(conditions, object.GetGeneration(), observed), nil
	}
}

func faultsOf(conditions []metav1.Condition, generation, observed int64) (faults []string) {
	find := func(name string) (condition metav1.Condition, present bool) {
		if found := meta.FindStatusCondition(conditions, name); found != nil {
			return *found, true
		}
		return metav1.Condition{}, false
	}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }

	ready, present := find(v1alpha1.ConditionReady)
	reconciling, works := find(v1alpha1.ConditionReconciling)
	stalled, waits := find(v1alpha1.ConditionStalled)
	switch {
	case !present:
		fault("Ready is absent")
	case ready.Status == metav1.ConditionTrue && ready.ObservedGeneration != observed:
		fault("Ready is True for generation %d and the status is of %d", ready.ObservedGeneration, observed)
	case ready.Status == metav1.ConditionTrue && (works || waits):
		fault("Ready is True beside Reconciling or Stalled")
	case ready.Status != metav1.ConditionTrue && !works && !waits:
		fault("Ready is %s and neither Reconciling nor Stalled says whether that will change by itself", ready.Status)
	}
	if works && reconciling.Status != metav1.ConditionTrue || waits && stalled.Status != metav1.ConditionTrue {
		fault("Reconciling or Stalled is there without being True")
	}
	if works && waits {
		fault("Reconciling and Stalled are both there")
	}
	if observed > generation {
		fault("the status is of generation %d, which is yet to come after %d", observed, generation)
	}
	for _, condition := range conditions {
		if condition.ObservedGeneration > generation {
			fault("%s is of generation %d, which is yet to come after %d", condition.Type, condition.ObservedGeneration, generation)
		}
		if condition.Reason == "" || condition.Message == "" {
			fault("%s doesn't say why", condition.Type)
		}
	}
	return faults
}

// settled reads the Ready condition of an object once it is about the spec as it is now.
func settled(object client.Object) func(context.Context) (metav1.Condition, error) {
	return func(ctx context.Context) (metav1.Condition, error) {
		condition, err := ready(object)(ctx)
		if condition.ObservedGeneration != object.GetGeneration() {
			return metav1.Condition{}, err
		}
		return condition, err
	}
}
