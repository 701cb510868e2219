package protocol

// What has configs: org.apache.kafka.common.config.ConfigResource.Type.
const (
	ResourceTopic         int8 = 2
	ResourceBroker        int8 = 4
	ResourceBrokerLogger  int8 = 8
	ResourceClientMetrics int8 = 16
	ResourceGroup         int8 = 32
)

// Where a config's value is from: DescribeConfigsResponse.ConfigSource in Kafka's clients.
const (
	ConfigSourceUnknown              int8 = 0
	ConfigSourceTopic                int8 = 1 // set on the topic
	ConfigSourceDynamicBroker        int8 = 2 // set on one broker while it runs
	ConfigSourceDynamicDefaultBroker int8 = 3 // set for all brokers while they run
	ConfigSourceStaticBroker         int8 = 4 // from the broker's properties file
	ConfigSourceDefault              int8 = 5 // built in
	ConfigSourceDynamicBrokerLogger  int8 = 6
	ConfigSourceClientMetrics        int8 = 7
	ConfigSourceGroup                int8 = 8
)

// What type a config's value is: DescribeConfigsResponse.ConfigType in Kafka's clients.
const (
	ConfigTypeUnknown  int8 = 0
	ConfigTypeBoolean  int8 = 1
	ConfigTypeString   int8 = 2
	ConfigTypeInt      int8 = 3
	ConfigTypeShort    int8 = 4
	ConfigTypeLong     int8 = 5
	ConfigTypeDouble   int8 = 6
	ConfigTypeList     int8 = 7
	ConfigTypeClass    int8 = 8
	ConfigTypePassword int8 = 9
)

// DescribeConfigsRequest asks for the configs of topics, brokers and the like (key 32). Only the broker itself knows all of
// its own.
// Source: common/message/DescribeConfigsRequest.json.
type DescribeConfigsRequest struct {
	Resources            []DescribeConfigsResource
	IncludeSynonyms      bool // v1+
	IncludeDocumentation bool // v3+
	UnknownTags
}

func (*DescribeConfigsRequest) Key() APIKey           { return KeyDescribeConfigs }
func (*DescribeConfigsRequest) NewResponse() Response { return new(DescribeConfigsResponse) }

func (m *DescribeConfigsRequest) fields(c *Codec) {
	Array(c, &m.Resources)
	Since(c, 1, &m.IncludeSynonyms, false, (*Codec).Bool)
	Since(c, 3, &m.IncludeDocumentation, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// DescribeConfigsResource is something that has configs.
type DescribeConfigsResource struct {
	ResourceType      int8
	ResourceName      string   // of a broker its id, or empty for the default of all
	ConfigurationKeys []string // null: all
	UnknownTags
}

func (m *DescribeConfigsResource) fields(c *Codec) {
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	c.NullStrings(&m.ConfigurationKeys)
	c.Tags(&m.UnknownTags)
}

// DescribeConfigsResponse has one result for each resource.
// Source: common/message/DescribeConfigsResponse.json; of version 0 the one in Kafka 3.9.
type DescribeConfigsResponse struct {
	ThrottleTimeMs int32
	Results        []DescribeConfigsResult
	UnknownTags
}

func (*DescribeConfigsResponse) Key() APIKey { return KeyDescribeConfigs }

func (m *DescribeConfigsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Results)
	c.Tags(&m.UnknownTags)
}

// DescribeConfigsResult is the configs of a resource, or why there are none.
type DescribeConfigsResult struct {
	ErrorCode    ErrorCode
	ErrorMessage NullString
	ResourceType int8
	ResourceName string
	Configs      []DescribeConfigsResourceResult
	UnknownTags
}

func (m *DescribeConfigsResult) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	Array(c, &m.Configs)
	c.Tags(&m.UnknownTags)
}

// DescribeConfigsResourceResult is a config, its value and where that is from.
type DescribeConfigsResourceResult struct {
	Name          string
	Value         NullString // null also if sensitive
	ReadOnly      bool
	IsDefault     bool // v0
	ConfigSource  int8 // v1+; −1 if not told
	IsSensitive   bool
	Synonyms      []DescribeConfigsSynonym // v1+: all that is set for it, the effective one first
	ConfigType    int8                     // v3+
	Documentation NullString               // v3+
	UnknownTags
}

// NewDescribeConfigsResourceResult is a config with Kafka's defaults.
func NewDescribeConfigsResourceResult() DescribeConfigsResourceResult {
	return DescribeConfigsResourceResult{ConfigSource: -1}
}

func (m *DescribeConfigsResourceResult) fields(c *Codec) {
	c.String(&m.Name)
	c.NullString(&m.Value)
	c.Bool(&m.ReadOnly)
	Between(c, 0, 0, &m.IsDefault, false, (*Codec).Bool)
	Since(c, 1, &m.ConfigSource, -1, (*Codec).Int8, Ignorable)
	c.Bool(&m.IsSensitive)
	SinceArray(c, 1, &m.Synonyms, Array, Ignorable)
	Since(c, 3, &m.ConfigType, ConfigTypeUnknown, (*Codec).Int8, Ignorable)
	Since(c, 3, &m.Documentation, NullString{}, (*Codec).NullString, Ignorable)
	c.Tags(&m.UnknownTags)
}

// DescribeConfigsSynonym is a place where a config can be set, and what it is set to there.
type DescribeConfigsSynonym struct {
	Name   string
	Value  NullString
	Source int8
	UnknownTags
}

func (m *DescribeConfigsSynonym) fields(c *Codec) {
	c.String(&m.Name)
	c.NullString(&m.Value)
	c.Int8(&m.Source)
	c.Tags(&m.UnknownTags)
}
