package kafkasim

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// Options says what cluster to start; the zero value is three brokers with KIP-1269.
type Options struct {
	Brokers   int                // ids 1 to n; default 3
	Software  Software           // of all brokers; default KIP1269
	PerBroker map[int32]Software // of some
	Racks     map[int32]string
	Addresses map[int32]string // where to listen, to play another cluster behind known addresses; default a free port of 127.0.0.1
	ClusterID string           // default random

	TransactionVersion int16 // finalized transaction.version; default 2, −1: 0

	DefaultPartitions        int32 // default 1
	DefaultReplicationFactor int16 // default 1
	AutoCreateTopics         bool  // whether Metadata creates what it is asked for, as a broker does by default; here not

	// WindowDefault is log.producer.state.batches.to.retain in a broker's file, and BrokerConfig is the whole file.
	WindowDefault map[int32]int32
	BrokerConfig  map[int32]map[string]string

	// Policy is the cluster's create.topic.policy and alter.config.policy in one: an error is answered with POLICY_VIOLATION.
	Policy func(PolicyRequest) error

	Clock Clock  // default the system's
	Seed  uint64 // of ids and placements; 0: another one each time
}

// PolicyRequest is what a policy is asked about. Partitions and ReplicationFactor are 0 when configs are altered.
type PolicyRequest struct {
	Topic             string
	Partitions        int
	ReplicationFactor int
	Configs           map[string]string // the keys of the request; deleted ones are missing
}

// A Cluster is a running simulated cluster.
type Cluster struct {
	options Options
	id      string
	clock   Clock
	faults  *faults
	counts  *counts
	serving sync.WaitGroup

	mu         sync.Mutex // guards all that follows, and what it points to
	random     *rand.Rand
	metadata   *image // the controller's
	controller int32
	brokers    map[int32]*broker
	logs       map[logKey]*partitionLog
	producers  producerIDs
	lag        Lag
	latency    time.Duration
	closed     bool
}

// Start starts a cluster. Every broker listens when it returns.
func Start(options Options) (*Cluster, error) {
	options = withDefaults(options)
	c := &Cluster{
		options: options, clock: options.Clock, random: rand.New(rand.NewPCG(options.Seed, options.Seed)),
		metadata: newImage(), controller: 1, brokers: map[int32]*broker{}, logs: map[logKey]*partitionLog{},
		producers: producerIDs{next: 1000, transactional: map[string]producerIdentity{}}, faults: newFaults(), counts: newCounts(),
	}
	c.id = options.ClusterID
	if c.id == "" {
		id := c.newUUID()
		c.id = base64.RawURLEncoding.EncodeToString(id[:])
	}
	// A cluster formatted by 4.x has this one dynamic default, because eligible leader replicas are on.
	c.metadata.configs[""] = map[string]string{"min.insync.replicas": "1"}

	for id := int32(1); id <= int32(options.Brokers); id++ {
		b := &broker{cluster: c, id: id, software: options.Software, static: c.brokerFile(id), address: "127.0.0.1:0"}
		if s, differs := options.PerBroker[id]; differs {
			b.software = s
		}
		if address, given := options.Addresses[id]; given {
			b.address = address
		}
		c.brokers[id] = b
		if err := c.StartBroker(id); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func withDefaults(o Options) Options {
	if o.Brokers == 0 {
		o.Brokers = 3
	}
	if o.Software.Name == "" {
		o.Software = KIP1269
	}
	if o.DefaultPartitions == 0 {
		o.DefaultPartitions = 1
	}
	if o.DefaultReplicationFactor == 0 {
		o.DefaultReplicationFactor = 1
	}
	if o.TransactionVersion == 0 {
		o.TransactionVersion = 2
	}
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	return o
}

// brokerFile is server.properties.
func (c *Cluster) brokerFile(id int32) map[string]string {
	file := map[string]string{
		"node.id": strconv.Itoa(int(id)), "process.roles": "broker,controller",
		"num.partitions":             strconv.Itoa(int(c.options.DefaultPartitions)),
		"default.replication.factor": strconv.Itoa(int(c.options.DefaultReplicationFactor)),
	}
	if rack := c.options.Racks[id]; rack != "" {
		file["broker.rack"] = rack
	}
	if window, set := c.options.WindowDefault[id]; set {
		file[WindowDefaultKey] = strconv.Itoa(int(window))
	}
	maps.Copy(file, c.options.BrokerConfig[id])
	return file
}

// Close stops everything and waits until nothing runs any more.
func (c *Cluster) Close() {
	c.mu.Lock()
	c.closed = true
	for _, b := range c.brokers {
		b.shut()
	}
	c.mu.Unlock()
	c.faults.releaseAll()
	c.serving.Wait()
}

// ID is the cluster id.
func (c *Cluster) ID() string { return c.id }

// BootstrapServers lists the addresses of all brokers by id, also of those that are down.
func (c *Cluster) BootstrapServers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var addresses []string
	for _, id := range slices.Sorted(maps.Keys(c.brokers)) {
		addresses = append(addresses, c.brokers[id].address)
	}
	return addresses
}

// Controller is the active controller. Clients can't see it: brokers name a random live one.
func (c *Cluster) Controller() int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.controller
}

// MoveController makes another broker the active controller.
func (c *Cluster) MoveController(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mustBroker(id)
	c.controller = id
	c.forgetUnknownConfigs()
}

// forgetUnknownConfigs is what fixed software does when it takes over with a log that holds keys it doesn't know.
// A real cluster forgets them with the next snapshot; here at once, and for good.
func (c *Cluster) forgetUnknownConfigs() {
	software := c.brokers[c.controller].software
	if software.KeepsUnknownConfigs {
		return
	}
	known := topicSchema(software.KnowsWindowKey)
	for _, t := range c.metadata.topics {
		kept := maps.Clone(t.configs)
		maps.DeleteFunc(kept, func(key, _ string) bool { return known.byName[key] == nil })
		if len(kept) < len(t.configs) {
			c.apply(putTopic(&topic{name: t.name, id: t.id, partitions: t.partitions, configs: kept}))
		}
	}
}

// StopBroker stops a broker: it is fenced, its leaders move to the first live replica in sync, and connections are
// refused. The last replica in sync stays in the ISR, and its partition has no leader.
func (c *Cluster) StopBroker(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop(c.mustBroker(id))
}

func (c *Cluster) stop(b *broker) {
	if !b.running() {
		return
	}
	b.shut()
	if n, registered := c.metadata.nodes[b.id]; registered {
		n.fenced = true
		c.apply(putNode(n))
	}
	c.updatePartitions()
	if c.controller == b.id {
		for _, n := range c.metadata.sortedNodes(false) {
			c.controller = n.id
			c.forgetUnknownConfigs()
			break
		}
	}
}

// StartBroker starts a stopped broker at its address. It registers, catches up, and joins the ISR of its partitions; its
// window is 1 until it fills again.
func (c *Cluster) StartBroker(id int32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.mustBroker(id)
	if c.closed {
		return errors.New("the cluster is closed")
	}
	if b.running() {
		return nil
	}
	if err := b.listen(); err != nil {
		return fmt.Errorf("broker %d: %w", id, err)
	}
	b.view = view{image: c.metadata.clone()}
	host, port, _ := net.SplitHostPort(b.address)
	number, _ := strconv.Atoi(port)
	c.apply(putNode(node{id: id, host: host, port: int32(number), rack: c.options.Racks[id]}))
	if controller, is := c.brokers[c.controller]; !is || !controller.running() {
		c.controller = id
		c.forgetUnknownConfigs()
	}
	c.catchUp(b)
	c.updatePartitions()
	return nil
}

// UnregisterBroker removes a broker from the cluster's metadata. A running one is stopped first.
func (c *Cluster) UnregisterBroker(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop(c.mustBroker(id))
	c.apply(removeNode(id))
}

// Upgrade restarts a broker on other software, older or newer, at the same address.
func (c *Cluster) Upgrade(id int32, software Software) error {
	c.mu.Lock()
	b := c.mustBroker(id)
	c.stop(b)
	b.software = software
	if c.controller == id {
		c.forgetUnknownConfigs()
	}
	c.mu.Unlock()
	return c.StartBroker(id)
}

// Rollback is Upgrade to what was there before; it reads better.
func (c *Cluster) Rollback(id int32, software Software) error { return c.Upgrade(id, software) }

// SetMetadataLag makes brokers answer from metadata that is behind the controller's.
func (c *Cluster) SetMetadataLag(lag Lag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lag = lag
}

// SetLatency delays every answer.
func (c *Cluster) SetLatency(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latency = d
}

// Connections is the number of open connections.
func (c *Cluster) Connections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, b := range c.brokers {
		n += len(b.connections)
	}
	return n
}

// apply writes to the metadata log: the controller knows at once, each broker when its lag has passed.
func (c *Cluster) apply(changes ...change) {
	now := c.clock.Now()
	for _, change := range changes {
		change(c.metadata)
		for _, b := range c.brokers {
			if b.running() {
				b.view.add(change, now, c.lag)
			}
		}
	}
}

func (c *Cluster) mustBroker(id int32) *broker {
	b, known := c.brokers[id]
	if !known {
		panic(fmt.Sprintf("kafkasim: there is no broker %d", id))
	}
	return b
}

func (c *Cluster) newUUID() (id protocol.UUID) {
	binary.BigEndian.PutUint64(id[:], c.random.Uint64())
	binary.BigEndian.PutUint64(id[8:], c.random.Uint64())
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4
	return id
}
