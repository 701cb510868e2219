package kafka

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// TopicID is the identity that a topic keeps from its creation to its deletion; a topic made again under the same name has
// another. The zero value stands for none.
type TopicID [16]byte

// String is Kafka's own spelling: 22 characters of URL-safe base64, "AAAAAAAAAAAAAAAAAAAAAA" for none.
func (id TopicID) String() string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// IsZero says whether this is no id at all, as from brokers older than Kafka 2.8.
func (id TopicID) IsZero() bool { return id == TopicID{} }

// ParseTopicID reads what String writes.
func ParseTopicID(text string) (TopicID, error) {
	var id TopicID
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != len(id) {
		return TopicID{}, fmt.Errorf("%.64q is no topic id: an id is 22 characters of URL-safe base64", text)
	}
	copy(id[:], raw)
	return id, nil
}

// Topic is a topic as a broker sees it.
type Topic struct {
	Name       string
	ID         TopicID
	Internal   bool
	Partitions []Partition // by id
}

// Partition is one partition of a topic. Broker lists are in Kafka's order: the preferred leader is the first replica.
type Partition struct {
	ID                     int32
	Leader                 int32 // −1: none
	LeaderEpoch            int32 // −1: not told
	Replicas, ISR, Offline []int32
}

// DescribeTopic asks any broker for one topic by name. It never creates the topic. IsTopicNotFound tells a missing topic from
// every other error; a topic created a moment ago may be missing for a few hundred milliseconds, as brokers learn of it later
// than the controller that made it.
func (s *Session) DescribeTopic(ctx context.Context, name string) (Topic, error) {
	object := "topic " + name
	if name == "" {
		return Topic{}, &RefusedHereError{Object: "a topic without a name", Reason: "can't be described"}
	}
	var topic Topic
	err := s.read(ctx, anyBroker, func(ctx context.Context, c *connection) error {
		version, err := c.version(protocol.KeyMetadata, oldestMetadata)
		if err != nil {
			return err
		}
		request := protocol.NewMetadataRequest()
		request.Topics = []protocol.MetadataRequestTopic{{Name: protocol.StringOf(name)}}
		request.AllowAutoTopicCreation = false
		answer := protocol.NewMetadataResponse()
		if err := c.ask(ctx, version, request, answer); err != nil {
			return err
		}
		if answer.ErrorCode != protocol.CodeNone {
			return c.refused(protocol.KeyMetadata, object, answer.ErrorCode, protocol.NullString{}, answer.ThrottleTimeMs)
		}
		for _, t := range answer.Topics {
			switch {
			case t.Name.S != name:
			case t.ErrorCode != protocol.CodeNone:
				return c.refused(protocol.KeyMetadata, object, t.ErrorCode, protocol.NullString{}, answer.ThrottleTimeMs)
			default:
				topic = topicOf(name, t)
				return nil
			}
		}
		return c.incomplete(protocol.KeyMetadata, object)
	})
	return topic, err
}

func topicOf(name string, t protocol.MetadataResponseTopic) Topic {
	topic := Topic{Name: name, ID: TopicID(t.TopicID), Internal: t.IsInternal}
	for _, p := range t.Partitions {
		topic.Partitions = append(topic.Partitions, Partition{
			ID: p.PartitionIndex, Leader: p.LeaderID, LeaderEpoch: p.LeaderEpoch,
			Replicas: p.ReplicaNodes, ISR: p.ISRNodes, Offline: p.OfflineReplicas,
		})
	}
	slices.SortFunc(topic.Partitions, func(a, b Partition) int { return cmp.Compare(a.ID, b.ID) })
	return topic
}

// NewTopic is a topic to be created.
type NewTopic struct {
	Name              string
	Partitions        int32             // at least 1, or −1 for the cluster's default
	ReplicationFactor int16             // at least 1, or −1 for the cluster's default
	Config            map[string]string // without WindowConfig, which is set afterwards and alone
}

// CreatedTopic is what the controller made, or with validateOnly would make.
type CreatedTopic struct {
	ID                TopicID // zero with validateOnly
	Partitions        int32   // −1: the broker did not tell
	ReplicationFactor int16   // −1: the broker did not tell
}

// CreateTopic creates a topic, or with validateOnly has it checked.
//
// It refuses WindowConfig: a controller that does not know the key would reject the whole topic.
// OutcomeUnknownError: it may or may not have been created, look before trying again.
func (s *Session) CreateTopic(ctx context.Context, topic NewTopic, validateOnly bool) (CreatedTopic, error) {
	object := "topic " + topic.Name
	if _, has := topic.Config[WindowConfig]; has {
		return CreatedTopic{}, &RefusedHereError{
			Object: object, Reason: WindowConfig + " is never part of a creation: it is set afterwards, alone",
		}
	}
	var created CreatedTopic
	err := s.change(ctx, protocol.KeyCreateTopics, object, validateOnly, func(ctx context.Context, c *connection) (err error) {
		created, err = askToCreate(ctx, c, topic, validateOnly, object, s.patience(ctx))
		return err
	})
	return created, err
}

// oldestDefaults is the first version of CreateTopics that takes −1 for the cluster's defaults (Kafka 2.4).
const oldestDefaults = 4

func askToCreate(
	ctx context.Context, c *connection, topic NewTopic, validateOnly bool, object string, patience time.Duration,
) (CreatedTopic, error) {
	version, err := c.version(protocol.KeyCreateTopics, oldestDefaults)
	if err != nil {
		return CreatedTopic{}, err
	}
	wanted := protocol.CreatableTopic{Name: topic.Name, NumPartitions: topic.Partitions, ReplicationFactor: topic.ReplicationFactor}
	for _, key := range slices.Sorted(maps.Keys(topic.Config)) {
		wanted.Configs = append(wanted.Configs, protocol.CreatableTopicConfig{Name: key, Value: protocol.StringOf(topic.Config[key])})
	}
	request := protocol.NewCreateTopicsRequest()
	request.Topics = []protocol.CreatableTopic{wanted}
	request.TimeoutMs = int32(patience.Milliseconds())
	request.ValidateOnly = validateOnly
	var answer protocol.CreateTopicsResponse
	if err := c.ask(ctx, version, request, &answer); err != nil {
		return CreatedTopic{}, err
	}
	for _, t := range answer.Topics {
		switch {
		case t.Name != topic.Name:
		case t.ErrorCode != protocol.CodeNone:
			return CreatedTopic{}, c.refused(protocol.KeyCreateTopics, object, t.ErrorCode, t.ErrorMessage, answer.ThrottleTimeMs)
		default:
			created := CreatedTopic{ID: TopicID(t.TopicID), Partitions: t.NumPartitions, ReplicationFactor: t.ReplicationFactor}
			if validateOnly {
				created.ID = TopicID{} // a controller makes up an id even for a topic that it does not create
			}
			return created, nil
		}
	}
	return CreatedTopic{}, c.incomplete(protocol.KeyCreateTopics, object)
}

// CreatePartitions raises a topic's number of partitions to count, a total, or with validateOnly has that checked.
// OutcomeUnknownError: it may or may not have been done; look before trying again.
func (s *Session) CreatePartitions(ctx context.Context, name string, count int32, validateOnly bool) error {
	object := fmt.Sprintf("%d partitions for topic %s", count, name)
	return s.change(ctx, protocol.KeyCreatePartitions, object, validateOnly, func(ctx context.Context, c *connection) error {
		version, err := c.version(protocol.KeyCreatePartitions, 0)
		if err != nil {
			return err
		}
		request := &protocol.CreatePartitionsRequest{
			Topics:       []protocol.CreatePartitionsTopic{{Name: name, Count: count}},
			TimeoutMs:    int32(s.patience(ctx).Milliseconds()),
			ValidateOnly: validateOnly,
		}
		var answer protocol.CreatePartitionsResponse
		if err := c.ask(ctx, version, request, &answer); err != nil {
			return err
		}
		for _, r := range answer.Results {
			if r.Name == name {
				return c.verdict(protocol.KeyCreatePartitions, object, r.ErrorCode, r.ErrorMessage, answer.ThrottleTimeMs)
			}
		}
		return c.incomplete(protocol.KeyCreatePartitions, object)
	})
}

// oldestDeleteByID is the first version of DeleteTopics that takes ids (Kafka 2.8).
const oldestDeleteByID = 6

// DeleteTopic deletes the topic with this id, whatever its name is by now. It needs a broker that deletes by id (Kafka 2.8), and
// otherwise fails with an UnsupportedError: a name may belong to another topic by now. IsTopicNotFound: there is none (any more).
// OutcomeUnknownError: it may or may not have been deleted; look before trying again.
func (s *Session) DeleteTopic(ctx context.Context, id TopicID) error {
	object := "the deletion of topic id " + id.String()
	if id.IsZero() {
		return &RefusedHereError{Object: "a topic without an id", Reason: "can't be deleted: only its id tells it from another of the same name"}
	}
	return s.change(ctx, protocol.KeyDeleteTopics, object, false, func(ctx context.Context, c *connection) error {
		version, err := c.version(protocol.KeyDeleteTopics, oldestDeleteByID)
		if err != nil {
			return err
		}
		request := &protocol.DeleteTopicsRequest{
			Topics:    []protocol.DeleteTopicState{{TopicID: protocol.UUID(id)}},
			TimeoutMs: int32(s.patience(ctx).Milliseconds()),
		}
		var answer protocol.DeleteTopicsResponse
		if err := c.ask(ctx, version, request, &answer); err != nil {
			return err
		}
		for _, r := range answer.Responses {
			if TopicID(r.TopicID) == id {
				return c.verdict(protocol.KeyDeleteTopics, object, r.ErrorCode, r.ErrorMessage, answer.ThrottleTimeMs)
			}
		}
		return c.incomplete(protocol.KeyDeleteTopics, object)
	})
}
