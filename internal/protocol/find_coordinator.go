package protocol

// What a coordinator is looked for by: FindCoordinatorRequest.CoordinatorType in Kafka's clients.
const (
	CoordinatorGroup       int8 = 0
	CoordinatorTransaction int8 = 1
	CoordinatorShare       int8 = 2 // v6+
)

// FindCoordinatorRequest asks any broker which one coordinates a group or a transactional id (key 10; of transactional ids
// since 0.11). Whether the id exists is not looked at. The first request for one may create __transaction_state; until then
// the answer is COORDINATOR_NOT_AVAILABLE.
// Source: common/message/FindCoordinatorRequest.json.
type FindCoordinatorRequest struct {
	Key             string   // v0–v3
	KeyType         int8     // v1+ (0.11): one of the Coordinator constants; a group before
	CoordinatorKeys []string // v4+ (3.0): any number of them
	UnknownTags
}

func (*FindCoordinatorRequest) Key_() APIKey          { return KeyFindCoordinator }
func (*FindCoordinatorRequest) NewResponse() Response { return new(FindCoordinatorResponse) }
