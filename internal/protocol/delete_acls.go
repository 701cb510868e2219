package protocol

// DeleteAclsRequest removes the ACLs that pass filters (key 31, since 0.11). Its constants are with DescribeAclsRequest.
// Source: common/message/DeleteAclsRequest.json.
type DeleteAclsRequest struct {
	Filters []DeleteAclsFilter
	UnknownTags
}

func (*DeleteAclsRequest) Key() APIKey           { return KeyDeleteAcls }
func (*DeleteAclsRequest) NewResponse() Response { return new(DeleteAclsResponse) }

func (m *DeleteAclsRequest) fields(c *Codec) {
	Array(c, &m.Filters)
	c.Tags(&m.UnknownTags)
}

// DeleteAclsFilter is as in DescribeAclsRequest.
type DeleteAclsFilter struct {
	ResourceTypeFilter int8
	ResourceNameFilter NullString // null: any
	PatternTypeFilter  int8       // v1+ (2.0): PatternLiteral unless told otherwise
	PrincipalFilter    NullString // null: any
	HostFilter         NullString // null: any
	Operation          int8
	PermissionType     int8
	UnknownTags
}

// NewDeleteAclsFilter is a filter with Kafka's defaults: literal names only.
func NewDeleteAclsFilter() DeleteAclsFilter {
	return DeleteAclsFilter{PatternTypeFilter: PatternLiteral}
}

func (m *DeleteAclsFilter) fields(c *Codec) {
	c.Int8(&m.ResourceTypeFilter)
	c.NullString(&m.ResourceNameFilter)
	Since(c, 1, &m.PatternTypeFilter, PatternLiteral, (*Codec).Int8)
	c.NullString(&m.PrincipalFilter)
	c.NullString(&m.HostFilter)
	c.Int8(&m.Operation)
	c.Int8(&m.PermissionType)
	c.Tags(&m.UnknownTags)
}

// DeleteAclsResponse has one result for each filter, in the order of the request.
// Source: common/message/DeleteAclsResponse.json.
type DeleteAclsResponse struct {
	ThrottleTimeMs int32
	FilterResults  []DeleteAclsFilterResult
	UnknownTags
}

func (*DeleteAclsResponse) Key() APIKey { return KeyDeleteAcls }

func (m *DeleteAclsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.FilterResults)
	c.Tags(&m.UnknownTags)
}

// DeleteAclsFilterResult is the ACLs that passed a filter.
type DeleteAclsFilterResult struct {
	ErrorCode    ErrorCode
	ErrorMessage NullString
	MatchingAcls []DeleteAclsMatchingAcl
	UnknownTags
}

func (m *DeleteAclsFilterResult) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	Array(c, &m.MatchingAcls)
	c.Tags(&m.UnknownTags)
}

// DeleteAclsMatchingAcl is an ACL, and whether it was removed.
type DeleteAclsMatchingAcl struct {
	ErrorCode      ErrorCode
	ErrorMessage   NullString
	ResourceType   int8
	ResourceName   string
	PatternType    int8 // v1+
	Principal      string
	Host           string
	Operation      int8
	PermissionType int8
	UnknownTags
}

// NewDeleteAclsMatchingAcl is an ACL with Kafka's defaults.
func NewDeleteAclsMatchingAcl() DeleteAclsMatchingAcl {
	return DeleteAclsMatchingAcl{PatternType: PatternLiteral}
}

func (m *DeleteAclsMatchingAcl) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Int8(&m.ResourceType)
	c.String(&m.ResourceName)
	Since(c, 1, &m.PatternType, PatternLiteral, (*Codec).Int8)
	c.String(&m.Principal)
	c.String(&m.Host)
	c.Int8(&m.Operation)
	c.Int8(&m.PermissionType)
	c.Tags(&m.UnknownTags)
}
