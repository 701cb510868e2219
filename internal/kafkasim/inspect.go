package kafkasim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// TopicState is a topic as the controller has it.
type TopicState struct {
	Name       string
	ID         protocol.UUID
	Partitions []PartitionState
	Configs    map[string]string // what is set on the topic
}

// PartitionState is one partition; Leader −1: none.
type PartitionState struct {
	Replicas, ISR []int32
	Leader        int32
	LeaderEpoch   int32
}

// Topic looks a topic up.
func (c *Cluster) Topic(name string) (TopicState, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.metadata.topics[name]
	if t == nil {
		return TopicState{}, false
	}
	return t.state(), true
}

// Topics lists all topics by name.
func (c *Cluster) Topics() []TopicState {
	c.mu.Lock()
	defer c.mu.Unlock()
	var states []TopicState
	for _, t := range c.metadata.sortedTopics() {
		states = append(states, t.state())
	}
	return states
}

func (t *topic) state() TopicState {
	s := TopicState{Name: t.name, ID: t.id, Configs: maps.Clone(t.configs)}
	for _, p := range t.partitions {
		s.Partitions = append(s.Partitions, PartitionState{
			Replicas: slices.Clone(p.replicas), ISR: slices.Clone(p.isr), Leader: p.leader, LeaderEpoch: p.leaderEpoch,
		})
	}
	return s
}

// CreateTopic creates a topic behind everybody's back; −1 is the cluster's default.
func (c *Cluster) CreateTopic(name string, partitions int32, replicationFactor int16, configs map[string]string) (protocol.UUID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wanted := protocol.CreatableTopic{Name: name, NumPartitions: partitions, ReplicationFactor: replicationFactor}
	for key, value := range configs {
		wanted.Configs = append(wanted.Configs, protocol.CreatableTopicConfig{Name: key, Value: protocol.StringOf(value)})
	}
	made, _, err := c.createTopic(wanted, c.metadata.collisions())
	if err != nil {
		return protocol.UUID{}, fmt.Errorf("creating topic %s: %w", name, err.asError())
	}
	c.apply(putTopic(made))
	return made.id, nil
}

// DeleteTopic deletes a topic behind everybody's back, and says whether there was one.
func (c *Cluster) DeleteTopic(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.metadata.topics[name]
	if t != nil {
		c.remove(t)
	}
	return t != nil
}

// MoveLeader makes another replica in sync the leader, as a preferred-leader election would.
func (c *Cluster) MoveLeader(name string, number int32, leader int32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.metadata.topics[name]
	if t == nil || number < 0 || int(number) >= len(t.partitions) {
		return fmt.Errorf("there is no partition %s-%d", name, number)
	}
	partitions := slices.Clone(t.partitions)
	p := &partitions[number]
	if !slices.Contains(p.isr, leader) || !c.metadata.alive(leader) {
		return fmt.Errorf("broker %d can't lead %s-%d: it is not alive and in sync", leader, name, number)
	}
	if p.leader != leader {
		p.leader = leader
		p.leaderEpoch++
		c.apply(putTopic(&topic{name: t.name, id: t.id, partitions: partitions, configs: t.configs}))
	}
	return nil
}

// Log is what was appended to a partition.
func (c *Cluster) Log(name string, number int32) []LogBatch {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.metadata.topics[name]
	if t == nil {
		return nil
	}
	if l := c.logs[logKey{t.id, number}]; l != nil {
		return slices.Clone(l.batches)
	}
	return nil
}

// BrokerIDs are all brokers that ever were, in order.
func (c *Cluster) BrokerIDs() []int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.brokers))
}

// Software is what a broker runs, or last ran.
func (c *Cluster) Software(id int32) Software {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mustBroker(id).software
}
