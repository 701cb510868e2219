package protocol

// TxnOffsetCommitRequest commits offsets of a group when a transaction commits (key 28, since 0.11). With transaction.version
// 2, version 5 adds the group to the transaction too.
// Source: common/message/TxnOffsetCommitRequest.json.
type TxnOffsetCommitRequest struct {
	TransactionalID           string
	GroupID                   string
	ProducerID                int64
	ProducerEpoch             int16
	GenerationIDOrMemberEpoch int32      // v3+ (2.5); −1: not a member
	MemberID                  string     // v3+; empty: not a member
	GroupInstanceID           NullString // v3+; null: not a static member
	Topics                    []TxnOffsetCommitRequestTopic
	UnknownTags
}

// NewTxnOffsetCommitRequest is a request with Kafka's defaults: from somebody who is no member of the group.
func NewTxnOffsetCommitRequest() *TxnOffsetCommitRequest {
	return &TxnOffsetCommitRequest{GenerationIDOrMemberEpoch: -1}
}

func (*TxnOffsetCommitRequest) Key() APIKey           { return KeyTxnOffsetCommit }
func (*TxnOffsetCommitRequest) NewResponse() Response { return new(TxnOffsetCommitResponse) }

func (m *TxnOffsetCommitRequest) fields(c *Codec) {
	c.String(&m.TransactionalID)
	c.String(&m.GroupID)
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	Since(c, 3, &m.GenerationIDOrMemberEpoch, -1, (*Codec).Int32)
	Since(c, 3, &m.MemberID, "", (*Codec).String)
	Since(c, 3, &m.GroupInstanceID, NullString{}, (*Codec).NullString)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// TxnOffsetCommitRequestTopic is offsets in a topic.
type TxnOffsetCommitRequestTopic struct {
	Name       string // v0–v5; ignored since
	TopicID    UUID   // v6+ (4.4)
	Partitions []TxnOffsetCommitRequestPartition
	UnknownTags
}

func (m *TxnOffsetCommitRequestTopic) fields(c *Codec) {
	Between(c, 0, 5, &m.Name, "", (*Codec).String, Ignorable)
	Since(c, 6, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// TxnOffsetCommitRequestPartition is an offset in a partition.
type TxnOffsetCommitRequestPartition struct {
	PartitionIndex       int32
	CommittedOffset      int64
	CommittedLeaderEpoch int32 // v2+; −1 if unknown
	CommittedMetadata    NullString
	UnknownTags
}

// NewTxnOffsetCommitRequestPartition is an offset with Kafka's defaults.
func NewTxnOffsetCommitRequestPartition() TxnOffsetCommitRequestPartition {
	return TxnOffsetCommitRequestPartition{CommittedLeaderEpoch: -1}
}

func (m *TxnOffsetCommitRequestPartition) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.Int64(&m.CommittedOffset)
	Since(c, 2, &m.CommittedLeaderEpoch, -1, (*Codec).Int32, Ignorable)
	c.NullString(&m.CommittedMetadata)
	c.Tags(&m.UnknownTags)
}

// TxnOffsetCommitResponse has one result for each partition.
// Source: common/message/TxnOffsetCommitResponse.json.
type TxnOffsetCommitResponse struct {
	ThrottleTimeMs int32
	Topics         []TxnOffsetCommitResponseTopic
	UnknownTags
}

func (*TxnOffsetCommitResponse) Key() APIKey { return KeyTxnOffsetCommit }

func (m *TxnOffsetCommitResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// TxnOffsetCommitResponseTopic is the results of a topic.
type TxnOffsetCommitResponseTopic struct {
	Name       string // v0–v5; ignored since
	TopicID    UUID   // v6+
	Partitions []TxnOffsetCommitResponsePartition
	UnknownTags
}

func (m *TxnOffsetCommitResponseTopic) fields(c *Codec) {
	Between(c, 0, 5, &m.Name, "", (*Codec).String, Ignorable)
	Since(c, 6, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// TxnOffsetCommitResponsePartition says what became of an offset.
type TxnOffsetCommitResponsePartition struct {
	PartitionIndex int32
	ErrorCode      ErrorCode
	UnknownTags
}

func (m *TxnOffsetCommitResponsePartition) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.ErrorCode)
	c.Tags(&m.UnknownTags)
}
