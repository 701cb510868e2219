package protocol

// ListPartitionReassignmentsRequest asks which partitions are on the move (key 46, since 2.4).
// Source: common/message/ListPartitionReassignmentsRequest.json.
type ListPartitionReassignmentsRequest struct {
	TimeoutMs int32
	Topics    []ListPartitionReassignmentsTopics // null: all
	UnknownTags
}

// NewListPartitionReassignmentsRequest is a request with Kafka's defaults: all topics, and one minute.
func NewListPartitionReassignmentsRequest() *ListPartitionReassignmentsRequest {
	return &ListPartitionReassignmentsRequest{TimeoutMs: 60000}
}

func (*ListPartitionReassignmentsRequest) Key() APIKey { return KeyListPartitionReassignments }
func (*ListPartitionReassignmentsRequest) NewResponse() Response {
	return new(ListPartitionReassignmentsResponse)
}

func (m *ListPartitionReassignmentsRequest) fields(c *Codec) {
	c.Int32(&m.TimeoutMs)
	NullArray(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// ListPartitionReassignmentsTopics is partitions of a topic.
type ListPartitionReassignmentsTopics struct {
	Name             string
	PartitionIndexes []int32
	UnknownTags
}

func (m *ListPartitionReassignmentsTopics) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32s(&m.PartitionIndexes)
	c.Tags(&m.UnknownTags)
}

// ListPartitionReassignmentsResponse is the partitions on the move.
// Source: common/message/ListPartitionReassignmentsResponse.json.
type ListPartitionReassignmentsResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode
	ErrorMessage   NullString
	Topics         []OngoingTopicReassignment
	UnknownTags
}

func (*ListPartitionReassignmentsResponse) Key() APIKey { return KeyListPartitionReassignments }

func (m *ListPartitionReassignmentsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// OngoingTopicReassignment is partitions of a topic that are on the move.
type OngoingTopicReassignment struct {
	Name       string
	Partitions []OngoingPartitionReassignment
	UnknownTags
}

func (m *OngoingTopicReassignment) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// OngoingPartitionReassignment is where a partition is, where it is coming to and where it is going from.
type OngoingPartitionReassignment struct {
	PartitionIndex   int32
	Replicas         []int32 // all, those below included
	AddingReplicas   []int32
	RemovingReplicas []int32
	UnknownTags
}

func (m *OngoingPartitionReassignment) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.Int32s(&m.Replicas)
	c.Int32s(&m.AddingReplicas)
	c.Int32s(&m.RemovingReplicas)
	c.Tags(&m.UnknownTags)
}
