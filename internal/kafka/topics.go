package kafka

import (
	"context"
	"encoding/base64"
	"fmt"
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
	return Topic{}, errNotYet
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
	return CreatedTopic{}, errNotYet
}

// CreatePartitions raises a topic's number of partitions to count, a total.
func (s *Session) CreatePartitions(ctx context.Context, name string, count int32) error {
	return errNotYet
}

// DeleteTopic deletes the topic with this id, whatever its name is by now. It needs a broker that deletes by id (Kafka 2.8).
func (s *Session) DeleteTopic(ctx context.Context, id TopicID) error {
	return errNotYet
}
