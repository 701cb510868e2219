package protocol

// What an ACL is about: org.apache.kafka.common.resource.ResourceType, whose numbers are not those of config resources.
const (
	ACLResourceAny             int8 = 1 // in filters
	ACLResourceTopic           int8 = 2
	ACLResourceGroup           int8 = 3
	ACLResourceCluster         int8 = 4
	ACLResourceTransactionalID int8 = 5
	ACLResourceDelegationToken int8 = 6
	ACLResourceUser            int8 = 7 // v3+ (3.3)
)

// How an ACL's resource name is read: org.apache.kafka.common.resource.PatternType.
const (
	PatternAny      int8 = 1 // in filters
	PatternMatch    int8 = 2 // in filters: whatever applies to the name
	PatternLiteral  int8 = 3
	PatternPrefixed int8 = 4
)

// What an ACL allows or denies: org.apache.kafka.common.acl.AclOperation.
const (
	OperationAny             int8 = 1 // in filters
	OperationAll             int8 = 2
	OperationRead            int8 = 3
	OperationWrite           int8 = 4
	OperationCreate          int8 = 5
	OperationDelete          int8 = 6
	OperationAlter           int8 = 7
	OperationDescribe        int8 = 8
	OperationClusterAction   int8 = 9
	OperationDescribeConfigs int8 = 10
	OperationAlterConfigs    int8 = 11
	OperationIdempotentWrite int8 = 12
	OperationCreateTokens    int8 = 13
	OperationDescribeTokens  int8 = 14
	OperationTwoPhaseCommit  int8 = 15
)

// Whether an ACL allows or denies: org.apache.kafka.common.acl.AclPermissionType.
const (
	PermissionAny   int8 = 1 // in filters
	PermissionDeny  int8 = 2
	PermissionAllow int8 = 3
)

// DescribeAclsRequest asks for the ACLs that pass a filter (key 29, since 0.11).
// Source: common/message/DescribeAclsRequest.json.
type DescribeAclsRequest struct {
	ResourceTypeFilter int8
	ResourceNameFilter NullString // null: any
	PatternTypeFilter  int8       // v1+ (2.0): PatternLiteral unless told otherwise
	PrincipalFilter    NullString // null: any
	HostFilter         NullString // null: any
	Operation          int8
	PermissionType     int8
	UnknownTags
}

// NewDescribeAclsRequest is a request with Kafka's defaults: literal names only.
func NewDescribeAclsRequest() *DescribeAclsRequest {
	return &DescribeAclsRequest{PatternTypeFilter: PatternLiteral}
}

func (*DescribeAclsRequest) Key() APIKey           { return KeyDescribeAcls }
func (*DescribeAclsRequest) NewResponse() Response { return new(DescribeAclsResponse) }

func (m *DescribeAclsRequest) fields(c *Codec) {
	c.Int8(&m.ResourceTypeFilter)
	c.NullString(&m.ResourceNameFilter)
	Since(c, 1, &m.PatternTypeFilter, PatternLiteral, (*Codec).Int8)
	c.NullString(&m.PrincipalFilter)
	c.NullString(&m.HostFilter)
	c.Int8(&m.Operation)
	c.Int8(&m.PermissionType)
	c.Tags(&m.UnknownTags)
}

// DescribeAclsResponse is the ACLs, by what they are about.
// Source: common/message/DescribeAclsResponse.json.
type DescribeAclsResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode
	ErrorMessage   NullString
	Resources      []DescribeAclsResource
	UnknownTags
}

func (*DescribeAclsResponse) Key() APIKey { return KeyDescribeAcls }

func (m *DescribeAclsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	Array(c, &m.Resources)
	c.Tags(&m.UnknownTags)
}

// DescribeAclsResource is something that has ACLs.
type DescribeAclsResource struct {
	ResourceType int8
	ResourceName string
	PatternType  int8 // v1+
	Acls         []AclDescription
	UnknownTags
}

// NewDescribeAclsResource is a resource with Kafka's defaults.
func NewDescribeAclsResource() DescribeAclsResource {
	return DescribeAclsResource{PatternType: PatternLiteral}
}

func (m *DescribeAclsResource) fields(c *Codec) {
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	Since(c, 1, &m.PatternType, PatternLiteral, (*Codec).Int8)
	Array(c, &m.Acls)
	c.Tags(&m.UnknownTags)
}

// AclDescription is who may or may not do what, and from where.
type AclDescription struct {
	Principal      string
	Host           string
	Operation      int8
	PermissionType int8
	UnknownTags
}

func (m *AclDescription) fields(c *Codec) {
	c.String(&m.Principal)
	c.String(&m.Host)
	c.Int8(&m.Operation)
	c.Int8(&m.PermissionType)
	c.Tags(&m.UnknownTags)
}
