package protocol

// CreatePartitionsRequest raises the number of partitions of topics (key 37).
// Source: common/message/CreatePartitionsRequest.json.
type CreatePartitionsRequest struct {
	Topics       []CreatePartitionsTopic
	TimeoutMs    int32
	ValidateOnly bool
	UnknownTags
}

func (*CreatePartitionsRequest) Key() APIKey           { return KeyCreatePartitions }
func (*CreatePartitionsRequest) NewResponse() Response { return new(CreatePartitionsResponse) }

func (m *CreatePartitionsRequest) fields(c *Codec) {
	Array(c, &m.Topics)
	c.Int32(&m.TimeoutMs)
	c.Bool(&m.ValidateOnly)
	c.Tags(&m.UnknownTags)
}

// CreatePartitionsTopic is a topic and the partitions that it shall have.
type CreatePartitionsTopic struct {
	Name        string
	Count       int32                        // in all, not in addition
	Assignments []CreatePartitionsAssignment // of the new ones, null: as the controller likes
	UnknownTags
}

func (m *CreatePartitionsTopic) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32(&m.Count)
	NullArray(c, &m.Assignments)
	c.Tags(&m.UnknownTags)
}

// CreatePartitionsAssignment is where a new partition shall be.
type CreatePartitionsAssignment struct {
	BrokerIDs []int32
	UnknownTags
}

func (m *CreatePartitionsAssignment) fields(c *Codec) {
	c.Int32s(&m.BrokerIDs)
	c.Tags(&m.UnknownTags)
}

// CreatePartitionsResponse has one result for each topic.
// Source: common/message/CreatePartitionsResponse.json.
type CreatePartitionsResponse struct {
	ThrottleTimeMs int32
	Results        []CreatePartitionsTopicResult
	UnknownTags
}

func (*CreatePartitionsResponse) Key() APIKey { return KeyCreatePartitions }

func (m *CreatePartitionsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Results)
	c.Tags(&m.UnknownTags)
}

// CreatePartitionsTopicResult says what became of a topic.
type CreatePartitionsTopicResult struct {
	Name         string
	ErrorCode    ErrorCode
	ErrorMessage NullString
	UnknownTags
}

func (m *CreatePartitionsTopicResult) fields(c *Codec) {
	c.String(&m.Name)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Tags(&m.UnknownTags)
}
