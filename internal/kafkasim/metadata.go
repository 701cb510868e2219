package kafkasim

import (
	"slices"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// metadataOf answers Metadata from one broker's image.
func (c *Cluster) metadataOf(m *image, version int16, req *protocol.MetadataRequest) *protocol.MetadataResponse {
	resp := protocol.NewMetadataResponse()
	resp.ClusterID, resp.ControllerID = protocol.StringOf(c.id), c.randomLive(m)
	for _, n := range m.sortedNodes(false) {
		resp.Brokers = append(resp.Brokers, protocol.MetadataResponseBroker{NodeID: n.id, Host: n.host, Port: n.port, Rack: nullIfEmpty(n.rack)})
	}
	if wantsAllTopics(version, req) {
		for _, t := range m.sortedTopics() {
			resp.Topics = append(resp.Topics, describedTopic(m, t, req))
		}
		return resp
	}
	// Once one id is asked for, names don't count.
	byID := slices.ContainsFunc(req.Topics, func(t protocol.MetadataRequestTopic) bool { return t.TopicID != protocol.UUID{} })
	done := map[protocol.MetadataRequestTopic]bool{}
	for _, wanted := range req.Topics {
		once := protocol.MetadataRequestTopic{TopicID: wanted.TopicID, Name: wanted.Name}
		if byID {
			once.Name = protocol.NullString{}
		}
		if done[once] {
			continue
		}
		done[once] = true
		var t *topic
		missing := protocol.NewMetadataResponseTopic()
		switch {
		case byID && wanted.TopicID == protocol.UUID{}:
			continue
		case byID:
			t = m.byID[wanted.TopicID]
			missing.ErrorCode, missing.TopicID = protocol.CodeUnknownTopicID, wanted.TopicID
		default:
			t = m.topics[wanted.Name.S]
			missing.ErrorCode, missing.Name, missing.IsInternal = protocol.CodeUnknownTopicOrPartition, wanted.Name, isInternalTopic(wanted.Name.S)
			if invalidTopicName(wanted.Name.S) != "" {
				missing.ErrorCode = protocol.CodeInvalidTopicException
			}
		}
		if t != nil {
			resp.Topics = append(resp.Topics, describedTopic(m, t, req))
			continue
		}
		if c.options.AutoCreateTopics && req.AllowAutoTopicCreation && missing.ErrorCode == protocol.CodeUnknownTopicOrPartition {
			c.autoCreate(wanted.Name.S)
		}
		resp.Topics = append(resp.Topics, missing)
	}
	return resp
}

func wantsAllTopics(version int16, req *protocol.MetadataRequest) bool {
	return req.Topics == nil || version == 0 && len(req.Topics) == 0
}

// namesIDsTooEarly: topic ids are in the request since v10 and are answered since v12.
func namesIDsTooEarly(version int16, req *protocol.MetadataRequest) bool {
	return version < 12 && slices.ContainsFunc(req.Topics, func(t protocol.MetadataRequestTopic) bool {
		return !t.Name.Valid || t.TopicID != protocol.UUID{}
	})
}

// autoCreate creates a topic with the defaults; this answer doesn't have it yet, the next one does.
func (c *Cluster) autoCreate(name string) {
	c.createTopics(7, &protocol.CreateTopicsRequest{Topics: []protocol.CreatableTopic{{Name: name, NumPartitions: -1, ReplicationFactor: -1}}})
}

func describedTopic(m *image, t *topic, req *protocol.MetadataRequest) protocol.MetadataResponseTopic {
	d := protocol.NewMetadataResponseTopic()
	d.Name, d.TopicID, d.IsInternal = protocol.StringOf(t.name), t.id, isInternalTopic(t.name)
	if req.IncludeTopicAuthorizedOperations {
		d.TopicAuthorizedOperations = allTopicOperations
	}
	for number, p := range t.partitions {
		described := protocol.MetadataResponsePartition{
			PartitionIndex: int32(number), LeaderID: p.leader, LeaderEpoch: p.leaderEpoch, ReplicaNodes: p.replicas, ISRNodes: p.isr,
		}
		if !m.alive(p.leader) {
			described.LeaderID, described.ErrorCode = -1, protocol.CodeLeaderNotAvailable
		}
		for _, id := range p.replicas {
			if !m.alive(id) {
				described.OfflineReplicas = append(described.OfflineReplicas, id)
			}
		}
		d.Partitions = append(d.Partitions, described)
	}
	return d
}

// Bit fields of all operations that Kafka knows of, which is what one without an authorizer permits.
const (
	allTopicOperations   int32 = 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<10 | 1<<11
	allClusterOperations int32 = 1<<5 | 1<<7 | 1<<8 | 1<<9 | 1<<10 | 1<<11 | 1<<12
)

// describeCluster answers DescribeCluster. Fenced brokers are shown only to who asks for them.
func (c *Cluster) describeCluster(m *image, version int16, req *protocol.DescribeClusterRequest) *protocol.DescribeClusterResponse {
	resp := protocol.NewDescribeClusterResponse()
	if req.EndpointType != protocol.EndpointBrokers {
		resp.ErrorCode = protocol.CodeMismatchedEndpointType
		resp.ErrorMessage = protocol.StringOf("The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER")
		if req.EndpointType != protocol.EndpointControllers {
			resp.ErrorCode = protocol.CodeUnsupportedEndpointType
			resp.ErrorMessage = failure(0, "Unsupported endpoint type %d", req.EndpointType).message
		}
		return resp
	}
	resp.ClusterID, resp.ControllerID = c.id, c.randomLive(m)
	if req.IncludeClusterAuthorizedOperations {
		resp.ClusterAuthorizedOperations = allClusterOperations
	}
	for _, n := range m.sortedNodes(req.IncludeFencedBrokers) {
		resp.Brokers = append(resp.Brokers, protocol.DescribeClusterBroker{
			BrokerID: n.id, Host: n.host, Port: n.port, Rack: nullIfEmpty(n.rack), IsFenced: n.fenced && version >= 2,
		})
	}
	return resp
}

// randomLive is what a KRaft broker calls the controller.
func (c *Cluster) randomLive(m *image) int32 {
	live := m.sortedNodes(false)
	if len(live) == 0 {
		return -1
	}
	return live[c.random.IntN(len(live))].id
}

func nullIfEmpty(s string) protocol.NullString {
	return protocol.NullString{S: s, Valid: s != ""}
}
