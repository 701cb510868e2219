package protocol

// DescribeLogDirsRequest asks a broker what is in its folders (key 35, since 1.0).
// Source: common/message/DescribeLogDirsRequest.json.
type DescribeLogDirsRequest struct {
	Topics []DescribableLogDirTopic // null: all
	UnknownTags
}

func (*DescribeLogDirsRequest) Key() APIKey           { return KeyDescribeLogDirs }
func (*DescribeLogDirsRequest) NewResponse() Response { return new(DescribeLogDirsResponse) }

func (m *DescribeLogDirsRequest) fields(c *Codec) {
	NullArray(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// DescribableLogDirTopic is partitions of a topic.
type DescribableLogDirTopic struct {
	Topic      string
	Partitions []int32
	UnknownTags
}

func (m *DescribableLogDirTopic) fields(c *Codec) {
	c.String(&m.Topic)
	c.Int32s(&m.Partitions)
	c.Tags(&m.UnknownTags)
}

// DescribeLogDirsResponse is the folders. Without permission it is empty, and says why from version 3 on only.
// Source: common/message/DescribeLogDirsResponse.json.
type DescribeLogDirsResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode // v3+ (3.2)
	Results        []DescribeLogDirsResult
	UnknownTags
}

func (*DescribeLogDirsResponse) Key() APIKey { return KeyDescribeLogDirs }

func (m *DescribeLogDirsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Since(c, 3, &m.ErrorCode, CodeNone, (*Codec).ErrorCode, Ignorable)
	Array(c, &m.Results)
	c.Tags(&m.UnknownTags)
}

// DescribeLogDirsResult is a folder, or why it can't be read.
type DescribeLogDirsResult struct {
	ErrorCode   ErrorCode
	LogDir      string // its path
	Topics      []DescribeLogDirsTopic
	TotalBytes  int64 // v4+ (3.3): of the volume; −1 if not told
	UsableBytes int64 // v4+: of the volume; −1 if not told
	IsCordoned  bool  // v5+ (4.3): gets no new partitions
	UnknownTags
}

// NewDescribeLogDirsResult is a folder with Kafka's defaults.
func NewDescribeLogDirsResult() DescribeLogDirsResult {
	return DescribeLogDirsResult{TotalBytes: -1, UsableBytes: -1}
}

func (m *DescribeLogDirsResult) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.String(&m.LogDir)
	Array(c, &m.Topics)
	Since(c, 4, &m.TotalBytes, -1, (*Codec).Int64, Ignorable)
	Since(c, 4, &m.UsableBytes, -1, (*Codec).Int64, Ignorable)
	Since(c, 5, &m.IsCordoned, false, (*Codec).Bool, Ignorable)
	c.Tags(&m.UnknownTags)
}

// DescribeLogDirsTopic is partitions of a topic.
type DescribeLogDirsTopic struct {
	Name       string
	Partitions []DescribeLogDirsPartition
	UnknownTags
}

func (m *DescribeLogDirsTopic) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// DescribeLogDirsPartition is a replica in a folder.
type DescribeLogDirsPartition struct {
	PartitionIndex int32
	PartitionSize  int64 // bytes
	OffsetLag      int64
	IsFutureKey    bool // on its way from another folder
	UnknownTags
}

func (m *DescribeLogDirsPartition) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.Int64(&m.PartitionSize)
	c.Int64(&m.OffsetLag)
	c.Bool(&m.IsFutureKey)
	c.Tags(&m.UnknownTags)
}
