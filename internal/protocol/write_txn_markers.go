package protocol

// WriteTxnMarkersRequest ends transactions in partitions without asking their coordinator (key 27, since 0.11). Coordinators
// send it to leaders, and so does whoever aborts a transaction that no coordinator knows any more (KIP-664).
// Source: common/message/WriteTxnMarkersRequest.json.
type WriteTxnMarkersRequest struct {
	Markers []WritableTxnMarker
	UnknownTags
}

func (*WriteTxnMarkersRequest) Key() APIKey           { return KeyWriteTxnMarkers }
func (*WriteTxnMarkersRequest) NewResponse() Response { return new(WriteTxnMarkersResponse) }

func (m *WriteTxnMarkersRequest) fields(c *Codec) {
	Array(c, &m.Markers)
	c.Tags(&m.UnknownTags)
}

// WritableTxnMarker is one end of a transaction.
type WritableTxnMarker struct {
	ProducerID         int64
	ProducerEpoch      int16
	TransactionResult  bool // true: committed, false: aborted
	Topics             []WritableTxnMarkerTopic
	CoordinatorEpoch   int32
	TransactionVersion int8 // v2+ (4.2)
	UnknownTags
}

func (m *WritableTxnMarker) fields(c *Codec) {
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	c.Bool(&m.TransactionResult)
	Array(c, &m.Topics)
	c.Int32(&m.CoordinatorEpoch)
	Since(c, 2, &m.TransactionVersion, 0, (*Codec).Int8, Ignorable)
	c.Tags(&m.UnknownTags)
}

// WritableTxnMarkerTopic is where a marker goes to.
type WritableTxnMarkerTopic struct {
	Name             string
	PartitionIndexes []int32
	UnknownTags
}

func (m *WritableTxnMarkerTopic) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32s(&m.PartitionIndexes)
	c.Tags(&m.UnknownTags)
}

// WriteTxnMarkersResponse has one result for each marker in each partition. It has no throttle time.
// Source: common/message/WriteTxnMarkersResponse.json.
type WriteTxnMarkersResponse struct {
	Markers []WritableTxnMarkerResult
	UnknownTags
}

func (*WriteTxnMarkersResponse) Key() APIKey { return KeyWriteTxnMarkers }

func (m *WriteTxnMarkersResponse) fields(c *Codec) {
	Array(c, &m.Markers)
	c.Tags(&m.UnknownTags)
}

// WritableTxnMarkerResult says what became of a marker.
type WritableTxnMarkerResult struct {
	ProducerID int64
	Topics     []WritableTxnMarkerTopicResult
	UnknownTags
}

func (m *WritableTxnMarkerResult) fields(c *Codec) {
	c.Int64(&m.ProducerID)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// WritableTxnMarkerTopicResult says what became of a marker in a topic.
type WritableTxnMarkerTopicResult struct {
	Name       string
	Partitions []WritableTxnMarkerPartitionResult
	UnknownTags
}

func (m *WritableTxnMarkerTopicResult) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// WritableTxnMarkerPartitionResult says what became of a marker in a partition.
type WritableTxnMarkerPartitionResult struct {
	PartitionIndex int32
	ErrorCode      ErrorCode
	UnknownTags
}

func (m *WritableTxnMarkerPartitionResult) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.ErrorCode)
	c.Tags(&m.UnknownTags)
}
