package kafkasim

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// An image is the cluster's metadata as one node sees it. The controller's is the truth; a broker's follows by replaying
// the same changes, at once or later. Topics and nodes in it are never modified, only replaced.
type image struct {
	topics  map[string]*topic
	byID    map[protocol.UUID]*topic
	nodes   map[int32]node
	configs map[string]map[string]string // dynamic broker configs: by id, "" for the whole cluster
}

type topic struct {
	name       string
	id         protocol.UUID
	partitions []partition
	configs    map[string]string
}

type partition struct {
	replicas, isr []int32
	leader        int32 // −1: none
	leaderEpoch   int32
}

type node struct {
	id     int32
	host   string
	port   int32
	rack   string
	fenced bool
}

// A change is one record of the metadata log.
type change func(*image)

func newImage() *image {
	return &image{
		topics: map[string]*topic{}, byID: map[protocol.UUID]*topic{}, nodes: map[int32]node{}, configs: map[string]map[string]string{},
	}
}

func (m *image) clone() *image {
	c := &image{topics: maps.Clone(m.topics), byID: maps.Clone(m.byID), nodes: maps.Clone(m.nodes), configs: map[string]map[string]string{}}
	for name, configs := range m.configs {
		c.configs[name] = maps.Clone(configs)
	}
	return c
}

func putTopic(t *topic) change {
	return func(m *image) { m.topics[t.name], m.byID[t.id] = t, t }
}

func removeTopic(t *topic) change {
	return func(m *image) {
		delete(m.topics, t.name)
		delete(m.byID, t.id)
	}
}

func putNode(n node) change { return func(m *image) { m.nodes[n.id] = n } }

func removeNode(id int32) change { return func(m *image) { delete(m.nodes, id) } }

func putBrokerConfig(resource, key string, value *string) change {
	return func(m *image) {
		if m.configs[resource] == nil {
			m.configs[resource] = map[string]string{}
		}
		if value == nil {
			delete(m.configs[resource], key)
		} else {
			m.configs[resource][key] = *value
		}
	}
}

// sortedNodes lists nodes by id.
func (m *image) sortedNodes(includeFenced bool) []node {
	var nodes []node
	for _, n := range m.nodes {
		if includeFenced || !n.fenced {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.id, b.id) })
	return nodes
}

func (m *image) alive(id int32) bool {
	n, known := m.nodes[id]
	return known && !n.fenced
}

func (m *image) sortedTopics() []*topic {
	return slices.SortedFunc(maps.Values(m.topics), func(a, b *topic) int { return cmp.Compare(a.name, b.name) })
}

// A view is a broker's image with the changes that it has not seen yet.
type view struct {
	image   *image
	pending []pendingChange
}

type pendingChange struct {
	change change
	at     time.Time
	reads  int // how many reads since
}

// A Lag says how far a broker's metadata stays behind the controller's. With both set, a change shows when both have
// passed.
type Lag struct {
	Reads int           // so many metadata reads after a change still show the state before it
	Delay time.Duration // by the cluster's clock
}

// add hands a broker a change, which it sees at once if nothing is to be late.
func (v *view) add(change change, now time.Time, lag Lag) {
	if lag == (Lag{}) && len(v.pending) == 0 {
		change(v.image)
		return
	}
	v.pending = append(v.pending, pendingChange{change: change, at: now})
}

// read returns the image that a read at this moment sees, and counts the read.
func (v *view) read(lag Lag, now time.Time) *image {
	n := 0
	for _, p := range v.pending {
		if p.reads < lag.Reads || now.Sub(p.at) < lag.Delay {
			break
		}
		p.change(v.image)
		n++
	}
	v.pending = v.pending[n:]
	for i := range v.pending {
		v.pending[i].reads++
	}
	return v.image
}
