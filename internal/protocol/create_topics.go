package protocol

// CreateTopicsRequest creates topics, or says what would become of it (key 19).
// Source: common/message/CreateTopicsRequest.json.
type CreateTopicsRequest struct {
	Topics       []CreatableTopic
	TimeoutMs    int32
	ValidateOnly bool // v1+
	UnknownTags
}

// NewCreateTopicsRequest is a request with Kafka's defaults: one minute.
func NewCreateTopicsRequest() *CreateTopicsRequest { return &CreateTopicsRequest{TimeoutMs: 60000} }

func (*CreateTopicsRequest) Key() APIKey           { return KeyCreateTopics }
func (*CreateTopicsRequest) NewResponse() Response { return new(CreateTopicsResponse) }

func (m *CreateTopicsRequest) fields(c *Codec) {
	Array(c, &m.Topics)
	c.Int32(&m.TimeoutMs)
	Since(c, 1, &m.ValidateOnly, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// CreatableTopic is a topic to be created.
type CreatableTopic struct {
	Name              string
	NumPartitions     int32 // −1 with assignments and, from v4 on, for the broker's default
	ReplicationFactor int16 // −1 with assignments and, from v4 on, for the broker's default
	Assignments       []CreatableReplicaAssignment
	Configs           []CreatableTopicConfig
	UnknownTags
}

func (m *CreatableTopic) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32(&m.NumPartitions)
	c.Int16(&m.ReplicationFactor)
	Array(c, &m.Assignments)
	Array(c, &m.Configs)
	c.Tags(&m.UnknownTags)
}

// CreatableReplicaAssignment says where a partition is to be.
type CreatableReplicaAssignment struct {
	PartitionIndex int32
	BrokerIDs      []int32
	UnknownTags
}

func (m *CreatableReplicaAssignment) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.Int32s(&m.BrokerIDs)
	c.Tags(&m.UnknownTags)
}

// CreatableTopicConfig is a config to be set.
type CreatableTopicConfig struct {
	Name  string
	Value NullString
	UnknownTags
}

func (m *CreatableTopicConfig) fields(c *Codec) {
	c.String(&m.Name)
	c.NullString(&m.Value)
	c.Tags(&m.UnknownTags)
}

// CreateTopicsResponse has one result for each topic.
// Source: common/message/CreateTopicsResponse.json.
type CreateTopicsResponse struct {
	ThrottleTimeMs int32 // v2+
	Topics         []CreatableTopicResult
	UnknownTags
}

func (*CreateTopicsResponse) Key() APIKey { return KeyCreateTopics }

func (m *CreateTopicsResponse) fields(c *Codec) {
	Since(c, 2, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// CreatableTopicResult is the topic that was (or would be) created, or why not.
type CreatableTopicResult struct {
	Name                 string
	TopicID              UUID // v7+
	ErrorCode            ErrorCode
	ErrorMessage         NullString              // v1+
	TopicConfigErrorCode ErrorCode               // v5+, tagged: why there are no configs below
	NumPartitions        int32                   // v5+; −1 if not told
	ReplicationFactor    int16                   // v5+; −1 if not told
	Configs              []CreatableTopicConfigs // v5+; null if not told
	UnknownTags
}

// NewCreatableTopicResult is a result with Kafka's defaults.
func NewCreatableTopicResult() CreatableTopicResult {
	return CreatableTopicResult{NumPartitions: -1, ReplicationFactor: -1}
}

func (m *CreatableTopicResult) fields(c *Codec) {
	c.String(&m.Name)
	Since(c, 7, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	c.ErrorCode(&m.ErrorCode)
	Since(c, 1, &m.ErrorMessage, NullString{}, (*Codec).NullString, Ignorable)
	Since(c, 5, &m.NumPartitions, -1, (*Codec).Int32, Ignorable)
	Since(c, 5, &m.ReplicationFactor, -1, (*Codec).Int16, Ignorable)
	SinceArray(c, 5, &m.Configs, NullArray, Ignorable)
	c.Tags(&m.UnknownTags,
		Tag(0, 5, &m.TopicConfigErrorCode, CodeNone, (*Codec).ErrorCode, Ignorable),
	)
}

// CreatableTopicConfigs is a config of a created topic and where its value is from.
type CreatableTopicConfigs struct {
	Name         string
	Value        NullString
	ReadOnly     bool
	ConfigSource int8 // one of the ConfigSource constants
	IsSensitive  bool
	UnknownTags
}

// NewCreatableTopicConfigs is a config with Kafka's defaults.
func NewCreatableTopicConfigs() CreatableTopicConfigs { return CreatableTopicConfigs{ConfigSource: -1} }

func (m *CreatableTopicConfigs) fields(c *Codec) {
	c.String(&m.Name)
	c.NullString(&m.Value)
	c.Bool(&m.ReadOnly)
	c.Int8(&m.ConfigSource)
	c.Bool(&m.IsSensitive)
	c.Tags(&m.UnknownTags)
}
