package decide

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Claim is one Topic resource's claim on a topic of a Kafka cluster.
type Claim struct {
	Namespace, Name string
	UID             types.UID
	Created         time.Time
}

// Owner returns the claim that owns a topic: the oldest, then the one with the lower UID. The answer
// depends on the claims alone, so it is the same after every restart.
func Owner(claims []Claim) Claim {
	var owner Claim
	for i, claim := range claims {
		if i == 0 || cmp.Or(claim.Created.Compare(owner.Created), cmp.Compare(claim.UID, owner.UID)) < 0 {
			owner = claim
		}
	}
	return owner
}
