package protocol

// What is to be done to a config: org.apache.kafka.clients.admin.AlterConfigOp.OpType.
const (
	ConfigOperationSet      int8 = 0
	ConfigOperationDelete   int8 = 1
	ConfigOperationAppend   int8 = 2 // to a list
	ConfigOperationSubtract int8 = 3 // from a list
)

// IncrementalAlterConfigsRequest changes some configs of topics, brokers and the like, and leaves the others (key 44, since
// 2.3). Of one resource either all changes are made or none, so that one unknown key stops the others.
// Source: common/message/IncrementalAlterConfigsRequest.json.
type IncrementalAlterConfigsRequest struct {
	Resources    []AlterConfigsResource
	ValidateOnly bool
	UnknownTags
}

func (*IncrementalAlterConfigsRequest) Key() APIKey { return KeyIncrementalAlterConfigs }
func (*IncrementalAlterConfigsRequest) NewResponse() Response {
	return new(IncrementalAlterConfigsResponse)
}

func (m *IncrementalAlterConfigsRequest) fields(c *Codec) {
	Array(c, &m.Resources)
	c.Bool(&m.ValidateOnly)
	c.Tags(&m.UnknownTags)
}

// AlterConfigsResource is a resource and the changes to it, at most one for each key.
type AlterConfigsResource struct {
	ResourceType int8
	ResourceName string
	Configs      []AlterableConfig
	UnknownTags
}

func (m *AlterConfigsResource) fields(c *Codec) {
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	Array(c, &m.Configs)
	c.Tags(&m.UnknownTags)
}

// AlterableConfig is a change to a config.
type AlterableConfig struct {
	Name            string
	ConfigOperation int8
	Value           NullString // null to delete
	UnknownTags
}

func (m *AlterableConfig) fields(c *Codec) {
	c.String(&m.Name)
	c.Int8(&m.ConfigOperation)
	c.NullString(&m.Value)
	c.Tags(&m.UnknownTags)
}

// IncrementalAlterConfigsResponse has one result for each resource.
// Source: common/message/IncrementalAlterConfigsResponse.json.
type IncrementalAlterConfigsResponse struct {
	ThrottleTimeMs int32
	Responses      []AlterConfigsResourceResponse
	UnknownTags
}

func (*IncrementalAlterConfigsResponse) Key() APIKey { return KeyIncrementalAlterConfigs }

func (m *IncrementalAlterConfigsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Responses)
	c.Tags(&m.UnknownTags)
}

// AlterConfigsResourceResponse says what became of the changes to a resource.
type AlterConfigsResourceResponse struct {
	ErrorCode    ErrorCode
	ErrorMessage NullString
	ResourceType int8
	ResourceName string
	UnknownTags
}

func (m *AlterConfigsResourceResponse) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	c.Tags(&m.UnknownTags)
}
