package protocol

// What a coordinator is looked for by: FindCoordinatorRequest.CoordinatorType in Kafka's clients.
const (
	CoordinatorGroup       int8 = 0
	CoordinatorTransaction int8 = 1
	CoordinatorShare       int8 = 2 // v6+
)

// FindCoordinatorRequest asks any broker which one coordinates a group or, since 0.11, a transactional id (key 10). Whether
// it exists is not looked at. The first request for one may create the topic that the coordinator keeps it in; until that is
// there, the answer is COORDINATOR_NOT_AVAILABLE.
// Source: common/message/FindCoordinatorRequest.json.
type FindCoordinatorRequest struct {
	CoordinatorKey  string   // v0–v3; Key in Kafka
	KeyType         int8     // v1+ (0.11): one of the Coordinator constants, CoordinatorGroup before
	CoordinatorKeys []string // v4+ (3.0)
	UnknownTags
}

func (*FindCoordinatorRequest) Key() APIKey           { return KeyFindCoordinator }
func (*FindCoordinatorRequest) NewResponse() Response { return new(FindCoordinatorResponse) }

func (m *FindCoordinatorRequest) fields(c *Codec) {
	Between(c, 0, 3, &m.CoordinatorKey, "", (*Codec).String)
	Since(c, 1, &m.KeyType, CoordinatorGroup, (*Codec).Int8)
	SinceArray(c, 4, &m.CoordinatorKeys, (*Codec).Strings)
	c.Tags(&m.UnknownTags)
}

// FindCoordinatorResponse is the coordinator, or of each key the coordinator.
// Source: common/message/FindCoordinatorResponse.json.
type FindCoordinatorResponse struct {
	ThrottleTimeMs int32         // v1+
	ErrorCode      ErrorCode     // v0–v3
	ErrorMessage   NullString    // v1–v3
	NodeID         int32         // v0–v3; −1 with an error
	Host           string        // v0–v3
	Port           int32         // v0–v3
	Coordinators   []Coordinator // v4+
	UnknownTags
}

func (*FindCoordinatorResponse) Key() APIKey { return KeyFindCoordinator }

func (m *FindCoordinatorResponse) fields(c *Codec) {
	Since(c, 1, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	Between(c, 0, 3, &m.ErrorCode, CodeNone, (*Codec).ErrorCode)
	Between(c, 1, 3, &m.ErrorMessage, NullString{}, (*Codec).NullString, Ignorable)
	Between(c, 0, 3, &m.NodeID, 0, (*Codec).Int32)
	Between(c, 0, 3, &m.Host, "", (*Codec).String)
	Between(c, 0, 3, &m.Port, 0, (*Codec).Int32)
	SinceArray(c, 4, &m.Coordinators, Array)
	c.Tags(&m.UnknownTags)
}

// Coordinator is the broker that coordinates a key, or why there is none.
type Coordinator struct {
	Key          string
	NodeID       int32 // −1 with an error
	Host         string
	Port         int32
	ErrorCode    ErrorCode
	ErrorMessage NullString
	UnknownTags
}

func (m *Coordinator) fields(c *Codec) {
	c.String(&m.Key)
	c.Int32(&m.NodeID)
	c.String(&m.Host)
	c.Int32(&m.Port)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Tags(&m.UnknownTags)
}
