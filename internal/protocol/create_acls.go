package protocol

// CreateAclsRequest adds ACLs (key 30, since 0.11). Its constants are with DescribeAclsRequest.
// Source: common/message/CreateAclsRequest.json.
type CreateAclsRequest struct {
	Creations []AclCreation
	UnknownTags
}

func (*CreateAclsRequest) Key() APIKey           { return KeyCreateAcls }
func (*CreateAclsRequest) NewResponse() Response { return new(CreateAclsResponse) }

func (m *CreateAclsRequest) fields(c *Codec) {
	Array(c, &m.Creations)
	c.Tags(&m.UnknownTags)
}

// AclCreation is an ACL to be added.
type AclCreation struct {
	ResourceType        int8
	ResourceName        string
	ResourcePatternType int8 // v1+ (2.0): PatternLiteral unless told otherwise
	Principal           string
	Host                string
	Operation           int8
	PermissionType      int8
	UnknownTags
}

// NewAclCreation is an ACL with Kafka's defaults.
func NewAclCreation() AclCreation { return AclCreation{ResourcePatternType: PatternLiteral} }

func (m *AclCreation) fields(c *Codec) {
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	Since(c, 1, &m.ResourcePatternType, PatternLiteral, (*Codec).Int8)
	c.String(&m.Principal)
	c.String(&m.Host)
	c.Int8(&m.Operation)
	c.Int8(&m.PermissionType)
	c.Tags(&m.UnknownTags)
}

// CreateAclsResponse has one result for each ACL, in the order of the request.
// Source: common/message/CreateAclsResponse.json.
type CreateAclsResponse struct {
	ThrottleTimeMs int32
	Results        []AclCreationResult
	UnknownTags
}

func (*CreateAclsResponse) Key() APIKey { return KeyCreateAcls }

func (m *CreateAclsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Results)
	c.Tags(&m.UnknownTags)
}

// AclCreationResult says whether an ACL was added.
type AclCreationResult struct {
	ErrorCode    ErrorCode
	ErrorMessage NullString
	UnknownTags
}

func (m *AclCreationResult) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Tags(&m.UnknownTags)
}
