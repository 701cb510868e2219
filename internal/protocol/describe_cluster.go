package protocol

// What DescribeCluster is asked for.
const (
	EndpointBrokers     int8 = 1
	EndpointControllers int8 = 2
)

// DescribeClusterRequest asks a broker or controller for the nodes of its cluster (key 60, since 2.8).
// Source: common/message/DescribeClusterRequest.json.
type DescribeClusterRequest struct {
	IncludeClusterAuthorizedOperations bool
	EndpointType                       int8 // v1+ (3.7): EndpointBrokers or EndpointControllers
	IncludeFencedBrokers               bool // v2+ (4.0)
	UnknownTags
}

// NewDescribeClusterRequest is a request with Kafka's defaults: brokers that aren't fenced.
func NewDescribeClusterRequest() *DescribeClusterRequest {
	return &DescribeClusterRequest{EndpointType: EndpointBrokers}
}

func (*DescribeClusterRequest) Key() APIKey           { return KeyDescribeCluster }
func (*DescribeClusterRequest) NewResponse() Response { return new(DescribeClusterResponse) }

func (m *DescribeClusterRequest) fields(c *Codec) {
	c.Bool(&m.IncludeClusterAuthorizedOperations)
	Since(c, 1, &m.EndpointType, EndpointBrokers, (*Codec).Int8)
	Since(c, 2, &m.IncludeFencedBrokers, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// DescribeClusterResponse is the cluster and its nodes.
// Source: common/message/DescribeClusterResponse.json.
type DescribeClusterResponse struct {
	ThrottleTimeMs              int32
	ErrorCode                   ErrorCode
	ErrorMessage                NullString
	EndpointType                int8 // v1+: of the nodes below
	ClusterID                   string
	ControllerID                int32 // from a controller the leader, from a broker a random live broker
	Brokers                     []DescribeClusterBroker
	ClusterAuthorizedOperations int32 // UnknownOperations if not asked for
	UnknownTags
}

// NewDescribeClusterResponse is a response with Kafka's defaults.
func NewDescribeClusterResponse() *DescribeClusterResponse {
	return &DescribeClusterResponse{
		EndpointType: EndpointBrokers, ControllerID: -1, ClusterAuthorizedOperations: UnknownOperations,
	}
}

func (*DescribeClusterResponse) Key() APIKey { return KeyDescribeCluster }

func (m *DescribeClusterResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	Since(c, 1, &m.EndpointType, EndpointBrokers, (*Codec).Int8)
	c.String(&m.ClusterID)
	c.Int32(&m.ControllerID)
	Array(c, &m.Brokers)
	c.Int32(&m.ClusterAuthorizedOperations)
	c.Tags(&m.UnknownTags)
}

// DescribeClusterBroker is a node of the asked kind.
type DescribeClusterBroker struct {
	BrokerID int32
	Host     string
	Port     int32
	Rack     NullString
	IsFenced bool // v2+
	UnknownTags
}

func (m *DescribeClusterBroker) fields(c *Codec) {
	c.Int32(&m.BrokerID)
	c.String(&m.Host)
	c.Int32(&m.Port)
	c.NullString(&m.Rack)
	Since(c, 2, &m.IsFenced, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}
