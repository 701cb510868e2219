package protocol

// OffsetFetchRequest asks a coordinator for offsets that groups have committed (key 9; v1, which is not about ZooKeeper, since
// 0.8.2).
// Source: common/message/OffsetFetchRequest.json.
type OffsetFetchRequest struct {
	GroupID       string                    // v0–v7
	Topics        []OffsetFetchRequestTopic // v0–v7; null, from v2 on: all
	Groups        []OffsetFetchRequestGroup // v8+ (3.0)
	RequireStable bool                      // v7+ (2.5): UNSTABLE_OFFSET_COMMIT while a transaction is about to commit others
	UnknownTags
}

func (*OffsetFetchRequest) Key() APIKey           { return KeyOffsetFetch }
func (*OffsetFetchRequest) NewResponse() Response { return new(OffsetFetchResponse) }

func (m *OffsetFetchRequest) fields(c *Codec) {
	Between(c, 0, 7, &m.GroupID, "", (*Codec).String)
	BetweenArray(c, 0, 7, &m.Topics, func(c *Codec, p *[]OffsetFetchRequestTopic) { NullArraySince(c, 2, p) })
	SinceArray(c, 8, &m.Groups, Array)
	Since(c, 7, &m.RequireStable, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchRequestTopic is partitions of a topic, up to version 7.
type OffsetFetchRequestTopic struct {
	Name             string
	PartitionIndexes []int32
	UnknownTags
}

func (m *OffsetFetchRequestTopic) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32s(&m.PartitionIndexes)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchRequestGroup is a group, from version 8 on.
type OffsetFetchRequestGroup struct {
	GroupID     string
	MemberID    NullString                 // v9+ (3.7)
	MemberEpoch int32                      // v9+; −1: not a member
	Topics      []OffsetFetchRequestTopics // null: all
	UnknownTags
}

// NewOffsetFetchRequestGroup is a group with Kafka's defaults: all topics, asked by somebody who is no member.
func NewOffsetFetchRequestGroup() OffsetFetchRequestGroup {
	return OffsetFetchRequestGroup{MemberEpoch: -1}
}

func (m *OffsetFetchRequestGroup) fields(c *Codec) {
	c.String(&m.GroupID)
	Since(c, 9, &m.MemberID, NullString{}, (*Codec).NullString, Ignorable)
	Since(c, 9, &m.MemberEpoch, -1, (*Codec).Int32, Ignorable)
	NullArray(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchRequestTopics is partitions of a topic, from version 8 on.
type OffsetFetchRequestTopics struct {
	Name             string // v8–v9; ignored since
	TopicID          UUID   // v10+ (4.2)
	PartitionIndexes []int32
	UnknownTags
}

func (m *OffsetFetchRequestTopics) fields(c *Codec) {
	Between(c, 8, 9, &m.Name, "", (*Codec).String, Ignorable)
	Since(c, 10, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	c.Int32s(&m.PartitionIndexes)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchResponse has one result for each partition.
// Source: common/message/OffsetFetchResponse.json.
type OffsetFetchResponse struct {
	ThrottleTimeMs int32                      // v3+ (0.11)
	Topics         []OffsetFetchResponseTopic // v0–v7
	ErrorCode      ErrorCode                  // v2–v7
	Groups         []OffsetFetchResponseGroup // v8+
	UnknownTags
}

func (*OffsetFetchResponse) Key() APIKey { return KeyOffsetFetch }

func (m *OffsetFetchResponse) fields(c *Codec) {
	Since(c, 3, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	BetweenArray(c, 0, 7, &m.Topics, Array)
	Between(c, 2, 7, &m.ErrorCode, CodeNone, (*Codec).ErrorCode, Ignorable)
	SinceArray(c, 8, &m.Groups, Array)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchResponseTopic is the results of a topic, up to version 7.
type OffsetFetchResponseTopic struct {
	Name       string
	Partitions []OffsetFetchResponsePartition
	UnknownTags
}

func (m *OffsetFetchResponseTopic) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchResponsePartition is an offset, or why there is none, up to version 7.
type OffsetFetchResponsePartition struct {
	PartitionIndex       int32
	CommittedOffset      int64 // −1 if there is none
	CommittedLeaderEpoch int32 // v5–v7; −1 if unknown
	Metadata             NullString
	ErrorCode            ErrorCode
	UnknownTags
}

// NewOffsetFetchResponsePartition is a result with Kafka's defaults.
func NewOffsetFetchResponsePartition() OffsetFetchResponsePartition {
	return OffsetFetchResponsePartition{CommittedLeaderEpoch: -1}
}

func (m *OffsetFetchResponsePartition) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.Int64(&m.CommittedOffset)
	Between(c, 5, 7, &m.CommittedLeaderEpoch, -1, (*Codec).Int32, Ignorable)
	c.NullString(&m.Metadata)
	c.ErrorCode(&m.ErrorCode)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchResponseGroup is the results of a group, from version 8 on.
type OffsetFetchResponseGroup struct {
	GroupID   string
	Topics    []OffsetFetchResponseTopics
	ErrorCode ErrorCode
	UnknownTags
}

func (m *OffsetFetchResponseGroup) fields(c *Codec) {
	c.String(&m.GroupID)
	Array(c, &m.Topics)
	c.ErrorCode(&m.ErrorCode)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchResponseTopics is the results of a topic, from version 8 on.
type OffsetFetchResponseTopics struct {
	Name       string // v8–v9; ignored since
	TopicID    UUID   // v10+
	Partitions []OffsetFetchResponsePartitions
	UnknownTags
}

func (m *OffsetFetchResponseTopics) fields(c *Codec) {
	Between(c, 8, 9, &m.Name, "", (*Codec).String, Ignorable)
	Since(c, 10, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// OffsetFetchResponsePartitions is an offset, or why there is none, from version 8 on.
type OffsetFetchResponsePartitions struct {
	PartitionIndex       int32
	CommittedOffset      int64 // −1 if there is none
	CommittedLeaderEpoch int32 // −1 if unknown
	Metadata             NullString
	ErrorCode            ErrorCode
	UnknownTags
}

// NewOffsetFetchResponsePartitions is a result with Kafka's defaults.
func NewOffsetFetchResponsePartitions() OffsetFetchResponsePartitions {
	return OffsetFetchResponsePartitions{CommittedLeaderEpoch: -1}
}

func (m *OffsetFetchResponsePartitions) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.Int64(&m.CommittedOffset)
	c.Int32(&m.CommittedLeaderEpoch)
	c.NullString(&m.Metadata)
	c.ErrorCode(&m.ErrorCode)
	c.Tags(&m.UnknownTags)
}
