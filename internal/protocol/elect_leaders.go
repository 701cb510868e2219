package protocol

// Whom ElectLeadersRequest elects: org.apache.kafka.common.ElectionType.
const (
	ElectPreferred int8 = 0 // the first replica
	ElectUnclean   int8 = 1 // v1+: the first live replica where none is in sync, which loses records
)

// ElectLeadersRequest elects leaders of partitions (key 43, since 2.2). ELECTION_NOT_NEEDED is not a failure.
// Source: common/message/ElectLeadersRequest.json.
type ElectLeadersRequest struct {
	ElectionType    int8                          // v1+ (2.4): ElectPreferred below
	TopicPartitions []ElectLeadersTopicPartitions // null: all
	TimeoutMs       int32
	UnknownTags
}

// NewElectLeadersRequest is a request with Kafka's defaults: the preferred leaders of all partitions, and one minute.
func NewElectLeadersRequest() *ElectLeadersRequest { return &ElectLeadersRequest{TimeoutMs: 60000} }

func (*ElectLeadersRequest) Key() APIKey           { return KeyElectLeaders }
func (*ElectLeadersRequest) NewResponse() Response { return new(ElectLeadersResponse) }

func (m *ElectLeadersRequest) fields(c *Codec) {
	Since(c, 1, &m.ElectionType, ElectPreferred, (*Codec).Int8)
	NullArray(c, &m.TopicPartitions)
	c.Int32(&m.TimeoutMs)
	c.Tags(&m.UnknownTags)
}

// ElectLeadersTopicPartitions is partitions of a topic.
type ElectLeadersTopicPartitions struct {
	Topic      string
	Partitions []int32
	UnknownTags
}

func (m *ElectLeadersTopicPartitions) fields(c *Codec) {
	c.String(&m.Topic)
	c.Int32s(&m.Partitions)
	c.Tags(&m.UnknownTags)
}

// ElectLeadersResponse has one result for each partition.
// Source: common/message/ElectLeadersResponse.json.
type ElectLeadersResponse struct {
	ThrottleTimeMs         int32
	ErrorCode              ErrorCode // v1+
	ReplicaElectionResults []ReplicaElectionResult
	UnknownTags
}

func (*ElectLeadersResponse) Key() APIKey { return KeyElectLeaders }

func (m *ElectLeadersResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Since(c, 1, &m.ErrorCode, CodeNone, (*Codec).ErrorCode)
	Array(c, &m.ReplicaElectionResults)
	c.Tags(&m.UnknownTags)
}

// ReplicaElectionResult is the results of a topic.
type ReplicaElectionResult struct {
	Topic           string
	PartitionResult []ElectLeadersPartitionResult
	UnknownTags
}

func (m *ReplicaElectionResult) fields(c *Codec) {
	c.String(&m.Topic)
	Array(c, &m.PartitionResult)
	c.Tags(&m.UnknownTags)
}

// ElectLeadersPartitionResult says what became of an election.
type ElectLeadersPartitionResult struct {
	PartitionID  int32
	ErrorCode    ErrorCode
	ErrorMessage NullString
	UnknownTags
}

func (m *ElectLeadersPartitionResult) fields(c *Codec) {
	c.Int32(&m.PartitionID)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Tags(&m.UnknownTags)
}
