package kafkasim

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// logLength is how many mutating requests are remembered in words.
const logLength = 1000

// Requests is what brokers were asked, up to a moment.
type Requests struct {
	ByAPI             map[protocol.APIKey]int
	AllTopicsMetadata int      // Metadata requests for all topics
	Mutations         int      // see Mutating
	Log               []string // the last 1000 mutating requests, in words, oldest first
}

// Count is how many requests of an API came.
func (r Requests) Count(key protocol.APIKey) int { return r.ByAPI[key] }

// Total is how many requests came.
func (r Requests) Total() int {
	n := 0
	for _, count := range r.ByAPI {
		n += count
	}
	return n
}

// Mutating is how many requests asked for a change: CreateTopics, CreatePartitions and IncrementalAlterConfigs unless
// only to validate, DeleteTopics, Produce and InitProducerId. Whether they succeeded does not matter.
func (r Requests) Mutating() int { return r.Mutations }

// Since is what came after an earlier snapshot; the log is left out.
func (r Requests) Since(earlier Requests) Requests {
	d := Requests{
		ByAPI: map[protocol.APIKey]int{}, Mutations: r.Mutations - earlier.Mutations,
		AllTopicsMetadata: r.AllTopicsMetadata - earlier.AllTopicsMetadata,
	}
	for key, n := range r.ByAPI {
		if n > earlier.ByAPI[key] {
			d.ByAPI[key] = n - earlier.ByAPI[key]
		}
	}
	return d
}

// Requests is what brokers were asked so far.
func (c *Cluster) Requests() Requests {
	c.counts.mu.Lock()
	defer c.counts.mu.Unlock()
	r := c.counts.Requests
	r.ByAPI = maps.Clone(r.ByAPI)
	r.Log = append([]string(nil), r.Log...)
	return r
}

type counts struct {
	mu sync.Mutex
	Requests
}

func newCounts() *counts { return &counts{Requests: Requests{ByAPI: map[protocol.APIKey]int{}}} }

func (c *counts) add(broker int32, version int16, req protocol.Request) {
	words := mutation(req)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ByAPI[req.Key()]++
	if m, is := req.(*protocol.MetadataRequest); is && wantsAllTopics(version, m) {
		c.AllTopicsMetadata++
	}
	if words == "" {
		return
	}
	c.Mutations++
	c.Log = append(c.Log, fmt.Sprintf("broker %d: %s v%d %s", broker, req.Key(), version, words))
	if surplus := len(c.Log) - logLength; surplus > 0 {
		c.Log = c.Log[surplus:]
	}
}

// mutation says what a request changes; "" if nothing.
func mutation(req protocol.Request) string {
	switch req := req.(type) {
	case *protocol.CreateTopicsRequest:
		if !req.ValidateOnly {
			return list(req.Topics, func(t protocol.CreatableTopic) string {
				return fmt.Sprintf("%s (%d partitions, replication factor %d, %d configs)", t.Name, t.NumPartitions, t.ReplicationFactor, len(t.Configs))
			})
		}
	case *protocol.CreatePartitionsRequest:
		if !req.ValidateOnly {
			return list(req.Topics, func(t protocol.CreatePartitionsTopic) string { return fmt.Sprintf("%s to %d", t.Name, t.Count) })
		}
	case *protocol.IncrementalAlterConfigsRequest:
		if !req.ValidateOnly {
			return list(req.Resources, describeAlteration)
		}
	case *protocol.DeleteTopicsRequest:
		byName := list(req.TopicNames, func(name string) string { return name })
		return byName + list(req.Topics, func(t protocol.DeleteTopicState) string {
			if t.Name.Valid {
				return t.Name.S
			}
			return t.TopicID.String()
		})
	case *protocol.ProduceRequest:
		return list(req.TopicData, func(t protocol.TopicProduceData) string {
			name := t.Name
			if name == "" {
				name = t.TopicID.String()
			}
			return fmt.Sprintf("%s (%d partitions)", name, len(t.PartitionData))
		})
	case *protocol.InitProducerIdRequest:
		if req.TransactionalID.Valid {
			return fmt.Sprintf("for transactional id %q", req.TransactionalID.S)
		}
		return "without transactional id"
	}
	return ""
}

func describeAlteration(r protocol.AlterConfigsResource) string {
	kind := map[int8]string{protocol.ResourceTopic: "topic", protocol.ResourceBroker: "broker"}[r.ResourceType]
	return fmt.Sprintf("%s %q: %s", kind, r.ResourceName, list(r.Configs, func(config protocol.AlterableConfig) string {
		switch config.ConfigOperation {
		case protocol.ConfigOperationDelete:
			return "delete " + config.Name
		case protocol.ConfigOperationAppend:
			return config.Name + "+=" + config.Value.S
		case protocol.ConfigOperationSubtract:
			return config.Name + "-=" + config.Value.S
		}
		return config.Name + "=" + config.Value.S
	}))
}

// list names the first few of many.
func list[T any](items []T, words func(T) string) string {
	const most = 5
	var parts []string
	for i, item := range items {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(items)-most))
			break
		}
		parts = append(parts, words(item))
	}
	return strings.Join(parts, ", ")
}
