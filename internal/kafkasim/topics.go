package kafkasim

import (
	"fmt"
	"slices"
	"strings"
)

// invalidTopicName says what is wrong with a name, in Kafka's words; "" if nothing is.
func invalidTopicName(name string) string {
	const prefix = "Topic name is invalid: "
	legal := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
	}
	switch {
	case name == "":
		return prefix + "the empty string is not allowed"
	case name == "." || name == "..":
		return prefix + "'" + name + "' is not allowed"
	case len(name) > 249:
		return prefix + "the length of '" + name + "' is longer than the max allowed length 249"
	case strings.ContainsFunc(name, func(r rune) bool { return !legal(r) }):
		return prefix + "'" + name + "' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
	}
	return ""
}

func isInternalTopic(name string) bool {
	return slices.Contains([]string{"__consumer_offsets", "__transaction_state", "__share_group_state"}, name)
}

// collisions maps the metric name of each topic with a dot or an underscore, which are one there, to the topic.
func (m *image) collisions() map[string]string {
	names := map[string]string{}
	for name := range m.topics {
		if hasCollisionChars(name) {
			names[metricName(name)] = name
		}
	}
	return names
}

func hasCollisionChars(name string) bool { return strings.ContainsAny(name, "._") }

func metricName(topic string) string { return strings.ReplaceAll(topic, ".", "_") }

// place chooses replicas: leaders go round over live brokers, followers over the next ones, racks alternating. Fenced
// brokers get replicas only when there are not enough others.
func (c *Cluster) place(partitions, factor int) ([]partition, error) {
	live, fenced := alternatingRacks(c.metadata.sortedNodes(false)), []node(nil)
	for _, n := range c.metadata.sortedNodes(true) {
		if n.fenced {
			fenced = append(fenced, n)
		}
	}
	switch total := len(live) + len(fenced); {
	case len(live) == 0:
		return nil, placementError("All brokers are currently fenced, or have all their log directories cordoned.")
	case factor > total:
		return nil, placementError(fmt.Sprintf("The target replication factor of %d cannot be reached because only %d broker(s) are registered"+
			" or some brokers have all their log directories cordoned.", factor, total))
	}
	offset := c.random.IntN(len(live))
	placed := make([]partition, partitions)
	for i := range placed {
		var replicas []int32
		for r := range min(factor, len(live)) {
			replicas = append(replicas, live[(offset+i+r)%len(live)].id)
		}
		for r := 0; len(replicas) < factor; r++ {
			replicas = append(replicas, fenced[(offset+i+r)%len(fenced)].id)
		}
		placed[i] = c.newPartition(replicas)
	}
	return placed, nil
}

// A placementError is why replicas can't be placed, in Kafka's words.
type placementError string

func (e placementError) Error() string { return string(e) }

// newPartition has all live replicas in sync, led by the first.
func (c *Cluster) newPartition(replicas []int32) partition {
	p := partition{replicas: replicas, leader: -1}
	for _, id := range replicas {
		if c.metadata.alive(id) {
			p.isr = append(p.isr, id)
		}
	}
	if len(p.isr) > 0 {
		p.leader = p.isr[0]
	}
	return p
}

func alternatingRacks(nodes []node) []node {
	byRack := map[string][]node{}
	var racks []string
	for _, n := range nodes {
		if byRack[n.rack] == nil {
			racks = append(racks, n.rack)
		}
		byRack[n.rack] = append(byRack[n.rack], n)
	}
	var mixed []node
	for i := 0; len(mixed) < len(nodes); i++ {
		for _, rack := range racks {
			if i < len(byRack[rack]) {
				mixed = append(mixed, byRack[rack][i])
			}
		}
	}
	return mixed
}

// updatePartitions elects leaders and moves replicas in and out of the ISR after a broker has come or gone.
func (c *Cluster) updatePartitions() {
	for _, t := range c.metadata.sortedTopics() {
		partitions, changed := slices.Clone(t.partitions), false
		for i := range partitions {
			if p, differs := c.updated(partitions[i]); differs {
				partitions[i], changed = p, true
			}
		}
		if changed {
			c.apply(putTopic(&topic{name: t.name, id: t.id, partitions: partitions, configs: t.configs}))
		}
	}
}

func (c *Cluster) updated(p partition) (partition, bool) {
	var isr []int32
	for _, id := range p.isr {
		if c.metadata.alive(id) {
			isr = append(isr, id)
		}
	}
	if len(isr) == 0 {
		isr = p.isr[:1] // who wrote last is waited for
	} else {
		for _, id := range p.replicas {
			if c.metadata.alive(id) && !slices.Contains(isr, id) {
				isr = append(isr, id)
			}
		}
	}
	leader := p.leader
	if !c.metadata.alive(leader) || !slices.Contains(isr, leader) {
		leader = -1
		for _, id := range p.replicas {
			if c.metadata.alive(id) && slices.Contains(isr, id) {
				leader = id
				break
			}
		}
	}
	if leader == p.leader && slices.Equal(isr, p.isr) {
		return p, false
	}
	if leader != p.leader {
		p.leaderEpoch++
	}
	p.isr, p.leader = isr, leader
	return p, true
}
