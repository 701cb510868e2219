package protocol

// AlterPartitionReassignmentsRequest moves partitions to other brokers, or no longer (key 45, since 2.4).
// Source: common/message/AlterPartitionReassignmentsRequest.json.
type AlterPartitionReassignmentsRequest struct {
	TimeoutMs                    int32
	AllowReplicationFactorChange bool // v1+ (4.1): Kafka's default is true, as it always is below
	Topics                       []ReassignableTopic
	UnknownTags
}

// NewAlterPartitionReassignmentsRequest is a request with Kafka's defaults: one minute.
func NewAlterPartitionReassignmentsRequest() *AlterPartitionReassignmentsRequest {
	return &AlterPartitionReassignmentsRequest{TimeoutMs: 60000, AllowReplicationFactorChange: true}
}

func (*AlterPartitionReassignmentsRequest) Key() APIKey { return KeyAlterPartitionReassignments }
func (*AlterPartitionReassignmentsRequest) NewResponse() Response {
	return new(AlterPartitionReassignmentsResponse)
}

func (m *AlterPartitionReassignmentsRequest) fields(c *Codec) {
	c.Int32(&m.TimeoutMs)
	Since(c, 1, &m.AllowReplicationFactorChange, true, (*Codec).Bool)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// ReassignableTopic is partitions of a topic.
type ReassignableTopic struct {
	Name       string
	Partitions []ReassignablePartition
	UnknownTags
}

func (m *ReassignableTopic) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// ReassignablePartition is a partition and where it is to be.
type ReassignablePartition struct {
	PartitionIndex int32
	Replicas       []int32 // null: where it is, giving up a move that is under way
	UnknownTags
}

func (m *ReassignablePartition) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.NullInt32s(&m.Replicas)
	c.Tags(&m.UnknownTags)
}

// AlterPartitionReassignmentsResponse has one result for each partition.
// Source: common/message/AlterPartitionReassignmentsResponse.json.
type AlterPartitionReassignmentsResponse struct {
	ThrottleTimeMs               int32
	AllowReplicationFactorChange bool // v1+: as in the request
	ErrorCode                    ErrorCode
	ErrorMessage                 NullString
	Responses                    []ReassignableTopicResponse
	UnknownTags
}

// NewAlterPartitionReassignmentsResponse is a response with Kafka's defaults.
func NewAlterPartitionReassignmentsResponse() *AlterPartitionReassignmentsResponse {
	return &AlterPartitionReassignmentsResponse{AllowReplicationFactorChange: true}
}

func (*AlterPartitionReassignmentsResponse) Key() APIKey { return KeyAlterPartitionReassignments }

func (m *AlterPartitionReassignmentsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Since(c, 1, &m.AllowReplicationFactorChange, true, (*Codec).Bool, Ignorable)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	Array(c, &m.Responses)
	c.Tags(&m.UnknownTags)
}

// ReassignableTopicResponse is the results of a topic.
type ReassignableTopicResponse struct {
	Name       string
	Partitions []ReassignablePartitionResponse
	UnknownTags
}

func (m *ReassignableTopicResponse) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// ReassignablePartitionResponse says whether a move has begun, or was given up.
type ReassignablePartitionResponse struct {
	PartitionIndex int32
	ErrorCode      ErrorCode
	ErrorMessage   NullString
	UnknownTags
}

func (m *ReassignablePartitionResponse) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Tags(&m.UnknownTags)
}
