package testbed

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// KafkaOptions describe a cluster; the zero value is one broker of the default version.
type KafkaOptions struct {
	Version string // of all brokers that Versions does not name; default DefaultKafkaVersion
	Brokers int    // ids 1 to n, default 1; broker 1 is also the only controller

	Versions         map[int32]string            // of single brokers, for a cluster of mixed versions
	Properties       map[string]string           // of all brokers, added to ours or replacing them
	BrokerProperties map[int32]map[string]string // of single brokers, such as broker.rack; these replace both
	JavaOptions      map[int32][]string          // of single brokers, such as -javaagent:…

	// Listeners are further ones on each broker, by name with their security protocol, such as "CLIENT": "SASL_SSL";
	// what else they need goes into Properties.
	Listeners map[string]string
	ClusterID string // default a new one; 16 bytes as 22 characters of base64, as Kafka wants it
}

// The two listeners that every cluster has.
const plaintext, controller = "PLAINTEXT", "CONTROLLER"

// broker is one node of the cluster as planned; what runs of it is its process.
type broker struct {
	id         int32
	version    string
	addresses  map[string]string // by listener name
	properties map[string]string
	options    []string // for Java
	folder     string   // data, properties and log

	process *process // nil until the first start
}

func (b *broker) address() string        { return b.addresses[plaintext] }
func (b *broker) propertiesFile() string { return filepath.Join(b.folder, "broker.properties") }
func (b *broker) logFile() string        { return filepath.Join(b.folder, "broker.log") }
func (b *broker) running() bool          { return b.process != nil && b.process.running() }

// plan turns options into brokers, with ports from reserve and everything they write below root.
func plan(options KafkaOptions, root string, reserve func() (int, error)) ([]*broker, error) {
	options.Version = cmp.Or(options.Version, DefaultKafkaVersion)
	options.Brokers = cmp.Or(options.Brokers, 1)
	if err := check(options); err != nil {
		return nil, err
	}
	listeners := append([]string{plaintext}, slices.Sorted(maps.Keys(options.Listeners))...)

	var brokers []*broker
	for id := int32(1); id <= int32(options.Brokers); id++ {
		b := &broker{
			id: id, version: cmp.Or(options.Versions[id], options.Version), options: options.JavaOptions[id],
			addresses: map[string]string{}, folder: filepath.Join(root, fmt.Sprintf("broker-%d", id)),
		}
		for _, name := range listeners {
			port, err := reserve()
			if err != nil {
				return nil, err
			}
			b.addresses[name] = loopback(port)
		}
		brokers = append(brokers, b)
	}
	port, err := reserve()
	if err != nil {
		return nil, err
	}
	for _, b := range brokers {
		b.properties = defaults(b, listeners, loopback(port), options)
		maps.Copy(b.properties, options.Properties)
		maps.Copy(b.properties, options.BrokerProperties[b.id])
	}
	return brokers, nil
}

// check refuses what names a broker that there is not: such an override would be silently lost.
func check(options KafkaOptions) error {
	if options.Brokers < 1 || options.Brokers > 9 {
		return fmt.Errorf("a cluster of %d brokers: give 1 to 9", options.Brokers)
	}
	named := map[string][]int32{
		"Versions":         slices.Sorted(maps.Keys(options.Versions)),
		"BrokerProperties": slices.Sorted(maps.Keys(options.BrokerProperties)),
		"JavaOptions":      slices.Sorted(maps.Keys(options.JavaOptions)),
	}
	for field, ids := range named {
		for _, id := range ids {
			if id < 1 || int(id) > options.Brokers {
				return fmt.Errorf("%s names broker %d, but the ids of %d brokers are 1 to %d", field, id, options.Brokers, options.Brokers)
			}
		}
	}
	for name := range options.Listeners {
		if name == plaintext || name == controller {
			return fmt.Errorf("listener %s is always there: give yours another name", name)
		}
	}
	return nil
}

// defaults are a broker's properties before the options: small, quick to start, quick to notice a killed broker.
func defaults(b *broker, listeners []string, controllerAddress string, options KafkaOptions) map[string]string {
	protocols := []string{controller + ":PLAINTEXT", plaintext + ":PLAINTEXT"}
	var listen []string
	for _, name := range listeners {
		listen = append(listen, name+"://"+b.addresses[name])
		if protocol, further := options.Listeners[name]; further {
			protocols = append(protocols, name+":"+protocol)
		}
	}
	replicas := strconv.Itoa(min(3, options.Brokers))
	inSync := strconv.Itoa(min(2, options.Brokers))
	p := map[string]string{
		"node.id":                        strconv.Itoa(int(b.id)),
		"process.roles":                  "broker",
		"advertised.listeners":           strings.Join(listen, ","),
		"listeners":                      strings.Join(listen, ","),
		"listener.security.protocol.map": strings.Join(protocols, ","),
		"inter.broker.listener.name":     plaintext,
		"controller.listener.names":      controller,
		"controller.quorum.voters":       "1@" + controllerAddress,
		"log.dirs":                       filepath.Join(b.folder, "data"),

		"offsets.topic.replication.factor":         replicas,
		"offsets.topic.num.partitions":             "5",
		"transaction.state.log.replication.factor": replicas,
		"transaction.state.log.min.isr":            inSync,
		"transaction.state.log.num.partitions":     "5",

		"broker.heartbeat.interval.ms":     "500",
		"broker.session.timeout.ms":        "6000",
		"group.initial.rebalance.delay.ms": "0",
		"num.network.threads":              "2",
		"num.io.threads":                   "4",
		"log.cleaner.dedupe.buffer.size":   "8388608", // the usual 128 MiB would be a third of the heap
	}
	if b.id == 1 {
		p["process.roles"] = "broker,controller"
		p["listeners"] += "," + controller + "://" + controllerAddress
	}
	if !olderThan(b.version, "4.0") {
		p["share.coordinator.state.topic.replication.factor"] = replicas
		p["share.coordinator.state.topic.min.isr"] = inSync
		p["share.coordinator.state.topic.num.partitions"] = "5"
	}
	return p
}

// release is the feature level that a cluster of mixed versions is formatted with, that of its oldest broker: "3.9".
// It is empty, for the version's own default, when all are of one version.
func release(brokers []*broker) string {
	oldest, mixed := brokers[0].version, false
	for _, b := range brokers[1:] {
		mixed = mixed || b.version != brokers[0].version
		if olderThan(b.version, oldest) {
			oldest = b.version
		}
	}
	if !mixed {
		return ""
	}
	parts := strings.Split(oldest, ".")
	return parts[0] + "." + parts[1]
}

func olderThan(version, other string) bool {
	return slices.Compare(numbers(version), numbers(other)) < 0
}

func numbers(version string) (parts []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		parts = append(parts, n)
	}
	return parts
}

// text is how Java reads properties; a backslash or a line break in a value would not survive unescaped.
func text(properties map[string]string) string {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	var lines strings.Builder
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		fmt.Fprintf(&lines, "%s=%s\n", key, escape.Replace(properties[key]))
	}
	return lines.String()
}
