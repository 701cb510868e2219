package protocol

import "math"

// FetchRequest reads records of partitions (key 1; v4, the first with transactions, since 0.11). Brokers replicate with it too.
// Source: common/message/FetchRequest.json.
type FetchRequest struct {
	ClusterID           NullString        // v12+, tagged: for controllers
	ReplicaID           int32             // v0–v14; −1 for all but brokers
	ReplicaState        FetchReplicaState // v15+ (3.5), tagged
	MaxWaitMs           int32             // how long to wait for MinBytes
	MinBytes            int32
	MaxBytes            int32 // one batch comes even if it is larger
	IsolationLevel      int8  // ReadUncommitted or ReadCommitted
	SessionID           int32 // v7+ (1.1)
	SessionEpoch        int32 // v7+; −1: without a session
	Topics              []FetchTopic
	ForgottenTopicsData []ForgottenTopic // v7+: to be left out of the session from now on
	RackID              string           // v11+ (2.4)
	UnknownTags
}

// NewFetchRequest is a request with Kafka's defaults: a consumer's, without a session and without limits.
func NewFetchRequest() *FetchRequest {
	return &FetchRequest{ReplicaID: -1, ReplicaState: NewFetchReplicaState(), MaxBytes: math.MaxInt32, SessionEpoch: -1}
}

func (*FetchRequest) Key() APIKey           { return KeyFetch }
func (*FetchRequest) NewResponse() Response { return new(FetchResponse) }

func (m *FetchRequest) fields(c *Codec) {
	Between(c, 0, 14, &m.ReplicaID, -1, (*Codec).Int32)
	c.Int32(&m.MaxWaitMs)
	c.Int32(&m.MinBytes)
	c.Int32(&m.MaxBytes)
	c.Int8(&m.IsolationLevel)
	Since(c, 7, &m.SessionID, 0, (*Codec).Int32, Ignorable)
	Since(c, 7, &m.SessionEpoch, -1, (*Codec).Int32, Ignorable)
	Array(c, &m.Topics)
	SinceArray(c, 7, &m.ForgottenTopicsData, Array)
	Since(c, 11, &m.RackID, "", (*Codec).String, Ignorable)
	c.Tags(&m.UnknownTags,
		Tag(0, 12, &m.ClusterID, NullString{}, (*Codec).NullString, Ignorable),
		Tag(1, 15, &m.ReplicaState, NewFetchReplicaState(), Struct),
	)
}

// FetchReplicaState is the broker that replicates.
type FetchReplicaState struct {
	ReplicaID    int32 // −1: not a broker
	ReplicaEpoch int64 // −1 if unknown
	UnknownTags
}

// NewFetchReplicaState is a state with Kafka's defaults: not a broker.
func NewFetchReplicaState() FetchReplicaState {
	return FetchReplicaState{ReplicaID: -1, ReplicaEpoch: -1}
}

func (m *FetchReplicaState) fields(c *Codec) {
	c.Int32(&m.ReplicaID)
	c.Int64(&m.ReplicaEpoch)
	c.Tags(&m.UnknownTags)
}

// FetchTopic is partitions of a topic.
type FetchTopic struct {
	Topic      string // v0–v12; ignored since
	TopicID    UUID   // v13+ (3.1)
	Partitions []FetchPartition
	UnknownTags
}

func (m *FetchTopic) fields(c *Codec) {
	Between(c, 0, 12, &m.Topic, "", (*Codec).String, Ignorable)
	Since(c, 13, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// FetchPartition is where to read in a partition.
type FetchPartition struct {
	Partition          int32
	CurrentLeaderEpoch int32 // v9+ (2.1); −1 if unknown
	FetchOffset        int64
	LastFetchedEpoch   int32 // v12+ (2.7); −1 if there is none
	LogStartOffset     int64 // v5+ (1.0): for brokers
	PartitionMaxBytes  int32
	ReplicaDirectoryID UUID  // v17+ (3.9), tagged: for brokers
	HighWatermark      int64 // v18+ (4.1), tagged: for brokers
	UnknownTags
}

// NewFetchPartition is a partition with Kafka's defaults.
func NewFetchPartition() FetchPartition {
	return FetchPartition{CurrentLeaderEpoch: -1, LastFetchedEpoch: -1, LogStartOffset: -1, HighWatermark: math.MaxInt64}
}

func (m *FetchPartition) fields(c *Codec) {
	c.Int32(&m.Partition)
	Since(c, 9, &m.CurrentLeaderEpoch, -1, (*Codec).Int32, Ignorable)
	c.Int64(&m.FetchOffset)
	Since(c, 12, &m.LastFetchedEpoch, -1, (*Codec).Int32)
	Since(c, 5, &m.LogStartOffset, -1, (*Codec).Int64, Ignorable)
	c.Int32(&m.PartitionMaxBytes)
	c.Tags(&m.UnknownTags,
		Tag(0, 17, &m.ReplicaDirectoryID, UUID{}, (*Codec).UUID, Ignorable),
		Tag(1, 18, &m.HighWatermark, math.MaxInt64, (*Codec).Int64, Ignorable),
	)
}

// ForgottenTopic is partitions that a session is to leave out.
type ForgottenTopic struct {
	Topic      string // v7–v12; ignored since
	TopicID    UUID   // v13+
	Partitions []int32
	UnknownTags
}

func (m *ForgottenTopic) fields(c *Codec) {
	Between(c, 7, 12, &m.Topic, "", (*Codec).String, Ignorable)
	Since(c, 13, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	c.Int32s(&m.Partitions)
	c.Tags(&m.UnknownTags)
}

// FetchResponse is records, and how far the partitions go.
// Source: common/message/FetchResponse.json.
type FetchResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode // v7+
	SessionID      int32     // v7+; 0: no session
	Responses      []FetchableTopicResponse
	NodeEndpoints  []NodeEndpoint // v16+ (3.7), tagged: where the current leaders below are
	UnknownTags
}

func (*FetchResponse) Key() APIKey { return KeyFetch }

func (m *FetchResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Since(c, 7, &m.ErrorCode, CodeNone, (*Codec).ErrorCode, Ignorable)
	Since(c, 7, &m.SessionID, 0, (*Codec).Int32)
	Array(c, &m.Responses)
	c.Tags(&m.UnknownTags,
		TagArray(0, 16, &m.NodeEndpoints, Array),
	)
}

// FetchableTopicResponse is the part of a response about a topic.
type FetchableTopicResponse struct {
	Topic      string // v0–v12; ignored since
	TopicID    UUID   // v13+
	Partitions []FetchPartitionData
	UnknownTags
}

func (m *FetchableTopicResponse) fields(c *Codec) {
	Between(c, 0, 12, &m.Topic, "", (*Codec).String, Ignorable)
	Since(c, 13, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// FetchPartitionData is records of a partition, or why there are none.
type FetchPartitionData struct {
	PartitionIndex       int32
	ErrorCode            ErrorCode
	HighWatermark        int64
	LastStableOffset     int64                // before the first open transaction; −1 if not told
	LogStartOffset       int64                // v5+; −1 if not told
	DivergingEpoch       EpochEndOffset       // v12+, tagged: where the reader's log differs from the leader's
	CurrentLeader        LeaderIdAndEpoch     // v12+, tagged
	SnapshotID           FetchSnapshotId      // v12+, tagged: for controllers
	AbortedTransactions  []AbortedTransaction // null unless read committed
	PreferredReadReplica int32                // v11+; −1: go on reading here
	Records              []byte               // record batches, the last of which may be cut off
	UnknownTags
}

// NewFetchPartitionData is a partition with Kafka's defaults.
func NewFetchPartitionData() FetchPartitionData {
	return FetchPartitionData{
		LastStableOffset: -1, LogStartOffset: -1, DivergingEpoch: NewEpochEndOffset(), CurrentLeader: NewLeaderIdAndEpoch(),
		SnapshotID: NewFetchSnapshotId(), PreferredReadReplica: -1,
	}
}

func (m *FetchPartitionData) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.ErrorCode)
	c.Int64(&m.HighWatermark)
	c.Int64(&m.LastStableOffset)
	Since(c, 5, &m.LogStartOffset, -1, (*Codec).Int64, Ignorable)
	NullArray(c, &m.AbortedTransactions)
	Since(c, 11, &m.PreferredReadReplica, -1, (*Codec).Int32)
	c.NullBytes(&m.Records)
	c.Tags(&m.UnknownTags,
		Tag(0, 12, &m.DivergingEpoch, NewEpochEndOffset(), Struct),
		Tag(1, 12, &m.CurrentLeader, NewLeaderIdAndEpoch(), Struct),
		Tag(2, 12, &m.SnapshotID, NewFetchSnapshotId(), Struct),
	)
}

// EpochEndOffset is where a leader's epoch ended.
type EpochEndOffset struct {
	Epoch     int32
	EndOffset int64
	UnknownTags
}

// NewEpochEndOffset is no epoch.
func NewEpochEndOffset() EpochEndOffset { return EpochEndOffset{Epoch: -1, EndOffset: -1} }

func (m *EpochEndOffset) fields(c *Codec) {
	c.Int32(&m.Epoch)
	c.Int64(&m.EndOffset)
	c.Tags(&m.UnknownTags)
}

// FetchSnapshotId is a snapshot of the metadata, which replaces a log that doesn't reach back.
type FetchSnapshotId struct {
	EndOffset int64
	Epoch     int32
	UnknownTags
}

// NewFetchSnapshotId is no snapshot.
func NewFetchSnapshotId() FetchSnapshotId { return FetchSnapshotId{EndOffset: -1, Epoch: -1} }

func (m *FetchSnapshotId) fields(c *Codec) {
	c.Int64(&m.EndOffset)
	c.Int32(&m.Epoch)
	c.Tags(&m.UnknownTags)
}

// AbortedTransaction tells a reader of committed records which ones to skip: the producer's, from this offset up to its marker.
type AbortedTransaction struct {
	ProducerID  int64
	FirstOffset int64
	UnknownTags
}

func (m *AbortedTransaction) fields(c *Codec) {
	c.Int64(&m.ProducerID)
	c.Int64(&m.FirstOffset)
	c.Tags(&m.UnknownTags)
}
