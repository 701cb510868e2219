package protocol

// DefaultBatchesToRetain is how many batches of a producer a broker without KIP-1269 remembers for each partition, and one
// with it unless told otherwise.
const DefaultBatchesToRetain int32 = 5

// ProduceRequest appends records to partitions (key 0). With acks 0 there is no response.
// Source: common/message/ProduceRequest.json; version 14 is KIP-1269's and like 13.
type ProduceRequest struct {
	TransactionalID NullString
	Acks            int16 // 0: none, 1: the leader, −1: all in-sync replicas
	TimeoutMs       int32
	TopicData       []TopicProduceData
	UnknownTags
}

func (*ProduceRequest) Key() APIKey           { return KeyProduce }
func (*ProduceRequest) NewResponse() Response { return new(ProduceResponse) }

func (m *ProduceRequest) fields(c *Codec) {
	c.NullString(&m.TransactionalID)
	c.Int16(&m.Acks)
	c.Int32(&m.TimeoutMs)
	Array(c, &m.TopicData)
	c.Tags(&m.UnknownTags)
}

// TopicProduceData is what is to be appended to a topic.
type TopicProduceData struct {
	Name          string // v0–v12; ignored since
	TopicID       UUID   // v13+ (4.1)
	PartitionData []PartitionProduceData
	UnknownTags
}

func (m *TopicProduceData) fields(c *Codec) {
	Between(c, 0, 12, &m.Name, "", (*Codec).String, Ignorable)
	Since(c, 13, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.PartitionData)
	c.Tags(&m.UnknownTags)
}

// PartitionProduceData is what is to be appended to a partition.
type PartitionProduceData struct {
	Index   int32
	Records []byte // exactly one RecordBatch
	UnknownTags
}

func (m *PartitionProduceData) fields(c *Codec) {
	c.Int32(&m.Index)
	c.NullBytes(&m.Records)
	c.Tags(&m.UnknownTags)
}

// ProduceResponse says for each partition what became of its records.
// Source: common/message/ProduceResponse.json; version 14 is KIP-1269's.
type ProduceResponse struct {
	Responses      []TopicProduceResponse
	ThrottleTimeMs int32
	NodeEndpoints  []NodeEndpoint // v10+, tagged: where the current leaders below are
	UnknownTags
}

func (*ProduceResponse) Key() APIKey { return KeyProduce }

func (m *ProduceResponse) fields(c *Codec) {
	Array(c, &m.Responses)
	c.Int32(&m.ThrottleTimeMs)
	c.Tags(&m.UnknownTags,
		TagArray(0, 10, &m.NodeEndpoints, Array),
	)
}

// TopicProduceResponse is the part of a response about a topic.
type TopicProduceResponse struct {
	Name               string // v0–v12; ignored since
	TopicID            UUID   // v13+
	PartitionResponses []PartitionProduceResponse
	UnknownTags
}

func (m *TopicProduceResponse) fields(c *Codec) {
	Between(c, 0, 12, &m.Name, "", (*Codec).String, Ignorable)
	Since(c, 13, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.PartitionResponses)
	c.Tags(&m.UnknownTags)
}

// PartitionProduceResponse says what became of the records of a partition.
type PartitionProduceResponse struct {
	Index                        int32
	ErrorCode                    ErrorCode
	BaseOffset                   int64
	LogAppendTimeMs              int64                       // −1 if the topic keeps the producer's timestamps
	LogStartOffset               int64                       // v5+
	RecordErrors                 []BatchIndexAndErrorMessage // v8+
	ErrorMessage                 NullString                  // v8+
	CurrentLeader                LeaderIdAndEpoch            // v10+, tagged
	ProducerStateBatchesToRetain int32                       // v14+, tagged: absent at 5, so that absence proves nothing
	UnknownTags
}

// NewPartitionProduceResponse is a response with Kafka's defaults.
func NewPartitionProduceResponse() PartitionProduceResponse {
	return PartitionProduceResponse{
		LogAppendTimeMs: -1, LogStartOffset: -1,
		CurrentLeader: NewLeaderIdAndEpoch(), ProducerStateBatchesToRetain: DefaultBatchesToRetain,
	}
}

func (m *PartitionProduceResponse) fields(c *Codec) {
	c.Int32(&m.Index)
	c.ErrorCode(&m.ErrorCode)
	c.Int64(&m.BaseOffset)
	c.Int64(&m.LogAppendTimeMs)
	Since(c, 5, &m.LogStartOffset, -1, (*Codec).Int64, Ignorable)
	SinceArray(c, 8, &m.RecordErrors, Array, Ignorable)
	Since(c, 8, &m.ErrorMessage, NullString{}, (*Codec).NullString, Ignorable)
	c.Tags(&m.UnknownTags,
		Tag(0, 10, &m.CurrentLeader, NewLeaderIdAndEpoch(), Struct),
		Tag(1, 14, &m.ProducerStateBatchesToRetain, DefaultBatchesToRetain, (*Codec).Int32),
	)
}

// BatchIndexAndErrorMessage is a record because of which its batch was dropped.
type BatchIndexAndErrorMessage struct {
	BatchIndex             int32
	BatchIndexErrorMessage NullString
	UnknownTags
}

func (m *BatchIndexAndErrorMessage) fields(c *Codec) {
	c.Int32(&m.BatchIndex)
	c.NullString(&m.BatchIndexErrorMessage)
	c.Tags(&m.UnknownTags)
}

// LeaderIdAndEpoch is the leader that the producer should turn to.
type LeaderIdAndEpoch struct {
	LeaderID    int32 // −1 if unknown
	LeaderEpoch int32 // −1 if unknown
	UnknownTags
}

// NewLeaderIdAndEpoch is an unknown leader.
func NewLeaderIdAndEpoch() LeaderIdAndEpoch { return LeaderIdAndEpoch{LeaderID: -1, LeaderEpoch: -1} }

func (m *LeaderIdAndEpoch) fields(c *Codec) {
	c.Int32(&m.LeaderID)
	c.Int32(&m.LeaderEpoch)
	c.Tags(&m.UnknownTags)
}

// NodeEndpoint is a broker's address.
type NodeEndpoint struct {
	NodeID int32
	Host   string
	Port   int32
	Rack   NullString
	UnknownTags
}

func (m *NodeEndpoint) fields(c *Codec) {
	c.Int32(&m.NodeID)
	c.String(&m.Host)
	c.Int32(&m.Port)
	c.NullString(&m.Rack)
	c.Tags(&m.UnknownTags)
}
