package decide

import (
	"fmt"
	"time"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

// DeletionWait bounds every wait while a topic is to be deleted with its resource. Afterwards the topic
// is kept and the resource is let go, so that no namespace hangs on a Kafka that is gone.
const DeletionWait = 300 * time.Second

// DeletionFacts are what the end of a Topic resource goes by.
type DeletionFacts struct {
	Name       string
	Policy     v1alpha1.DeletionPolicy
	RecordedID string         // the id of the topic that the resource managed; "": it never got to manage one
	Owner      *Owned         // the resource that owns the topic; nil: this one does
	Topic      *ObservedTopic // nil: the broker that was asked knows no such topic
	Blocked    *Refusal       // what keeps Kafka from being asked, or from deleting
	Accepted   bool           // the controller has accepted the deletion, or has no such topic
	Requested  time.Time
	Now        time.Time
}

// DeletionPlan is what becomes of the topic and its resource.
type DeletionPlan struct {
	DeleteID   string // delete the topic with this id; "": nothing is deleted now
	Release    bool   // let the resource go
	Orphaned   bool   // the topic was to be deleted and is kept
	Verdict    Verdict
	RetryAfter time.Duration
}

// Deletion says how a Topic resource that is being deleted ends. Only the topic with the recorded id
// is ever deleted, and when in doubt it is kept.
func Deletion(f DeletionFacts) DeletionPlan {
	keep := func(format string, args ...any) DeletionPlan {
		return DeletionPlan{Release: true, Verdict: True(v1alpha1.ReasonDeleting, fmt.Sprintf(format, args...))}
	}
	remaining := f.Requested.Add(DeletionWait).Sub(f.Now)
	switch {
	case f.Policy != v1alpha1.DeletionPolicyDelete:
		return keep("topic %s is retained", f.Name)
	case f.RecordedID == "":
		return keep("this resource never managed a topic, so none is deleted")
	case f.Owner != nil:
		return keep("topic %s belongs to %s and is retained", f.Name, f.Owner.name())
	case f.Blocked == nil && f.Topic == nil && f.Accepted:
		return keep("topic %s is deleted", f.Name)
	case f.Blocked == nil && f.Topic != nil && f.Topic.Internal:
		return keep("topic %s is internal to Kafka and is retained", f.Name)
	case f.Blocked == nil && f.Topic != nil && f.Topic.ID != f.RecordedID:
		return keep("topic %s with id %s is gone; the one that has its name now, with id %s, is not of this resource and is retained", f.Name, f.RecordedID, f.Topic.ID)
	case f.Blocked == nil && !f.Accepted: // also when a broker has no such topic: it may be behind the controller, which knows
		return DeletionPlan{DeleteID: f.RecordedID, Verdict: False(v1alpha1.ReasonDeleting, fmt.Sprintf("topic %s is being deleted", f.Name))}
	case remaining <= 0:
		plan := keep("topic %s could not be deleted within %s and is kept: %s; delete it with Kafka's tools", f.Name, DeletionWait, f.why())
		plan.Orphaned = true
		plan.Verdict.Reason = v1alpha1.ReasonTopicOrphaned
		return plan
	case f.Blocked == nil:
		return DeletionPlan{RetryAfter: min(remaining, deletionLook), Verdict: False(v1alpha1.ReasonDeleting, fmt.Sprintf("topic %s is being deleted", f.Name))}
	default:
		return DeletionPlan{RetryAfter: min(remaining, deletionRetry), Verdict: False(v1alpha1.ReasonDeletionBlocked, fmt.Sprintf(
			"topic %s can't be deleted now and is kept after %s: %s", f.Name, f.Requested.Add(DeletionWait).UTC().Format(time.RFC3339), f.why()))}
	}
}

const (
	deletionLook  = 200 * time.Millisecond // how soon to look whether an accepted deletion is done
	deletionRetry = 5 * time.Second        // how soon to try again what was blocked
)

func (f DeletionFacts) why() string {
	if f.Blocked == nil {
		return "Kafka accepted the deletion and still has the topic"
	}
	return f.Blocked.Message
}
