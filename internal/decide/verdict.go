package decide

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Verdict is what one condition is going to say.
type Verdict struct {
	Status  metav1.ConditionStatus
	Reason  string
	Message string
	// Stalled marks a failure that ends only when a person changes the resource or the Kafka cluster.
	// Every other failure is expected to end by itself.
	Stalled bool
}

// True is the verdict of a state that is as it should be.
func True(reason, message string) Verdict {
	return Verdict{Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

// False is the verdict of a state that is not yet as it should be and gets there by itself.
func False(reason, message string) Verdict {
	return Verdict{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

// Unknown is the verdict where not everyone who knows could be asked.
func Unknown(reason, message string) Verdict {
	return Verdict{Status: metav1.ConditionUnknown, Reason: reason, Message: message}
}

// Stalled is the verdict of a state that only a person can change.
func Stalled(reason, message string) Verdict {
	return Verdict{Status: metav1.ConditionFalse, Reason: reason, Message: message, Stalled: true}
}

// Holds reports whether the condition is true.
func (v Verdict) Holds() bool { return v.Status == metav1.ConditionTrue }

// maximumNamed bounds how many brokers or keys a message names before it counts the rest.
const maximumNamed = 5

// enumerate joins items as a person would say them: "a", "a and b", "a, b and c", and counts those
// beyond maximumNamed.
func enumerate(items []string) string {
	if extra := len(items) - maximumNamed; extra > 0 {
		items = append(slices.Clone(items[:maximumNamed]), fmt.Sprintf("%d more", extra))
	}
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
