package testbed

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// readyPatience bounds the start of a broker; usual are 4 seconds.
	readyPatience = 90 * time.Second
	// brokerGrace bounds a controlled shutdown; usual is a second.
	brokerGrace = 30 * time.Second
	heap        = "-Xmx384m"
)

// logging sends what a broker says to its standard output, which is its log file.
const logging = `log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %p %m (%c)%n
`

// Kafka is a cluster of real brokers on 127.0.0.1 that we can stop, kill, restart and upgrade one by one. Its methods
// may be called from several goroutines, but one broker is to be handled by one at a time.
type Kafka struct {
	clusterID string
	brokers   []*broker
	java      string
	leash     leash
	root      string
	ports     ports
	progress  io.Writer
	mu        sync.Mutex // guards version and process of the brokers
}

// StartKafka starts a KRaft cluster and returns when every broker answers and lists all others: about 6 seconds for one
// broker, 15 for three, once EnsureKafka has what it needs. It ends with Stop, and in any case with this process.
func StartKafka(ctx context.Context, options KafkaOptions, progress io.Writer) (_ *Kafka, err error) {
	java, err := findJava()
	if err != nil {
		return nil, err
	}
	leash, err := newLeash(ctx)
	if err != nil {
		return nil, err
	}
	k := &Kafka{clusterID: options.ClusterID, java: java, leash: leash, root: leash.root, progress: progress}
	defer func() {
		if err != nil {
			err = errors.Join(err, k.Stop())
		}
	}()
	if k.clusterID == "" {
		k.clusterID = newClusterID()
	}
	if k.brokers, err = plan(options, k.root, k.ports.reserve); err != nil {
		return nil, err
	}
	for _, b := range k.brokers { // one after the other, so that each version is fetched once
		if _, err := EnsureKafka(ctx, b.version, progress); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(k.loggingFile(), []byte(logging), 0o644); err != nil {
		return nil, err
	}
	if err := k.each(func(b *broker) error { return k.format(ctx, b) }); err != nil {
		return nil, err
	}
	if err := k.each(func(b *broker) error { return k.launch(ctx, b) }); err != nil {
		return nil, err
	}
	return k, k.waitUntilReady(ctx)
}

func newClusterID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	id[0] &= 0x7f // Kafka reads an id that begins with '-' as an option
	return base64.RawURLEncoding.EncodeToString(id)
}

// each does the same for all brokers at once: most of a start is waiting for a JVM.
func (k *Kafka) each(do func(*broker) error) error {
	failed := make([]error, len(k.brokers))
	var all sync.WaitGroup
	for i, b := range k.brokers {
		all.Go(func() { failed[i] = do(b) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// format writes a broker's properties and gives its empty data folder the cluster's id.
func (k *Kafka) format(ctx context.Context, b *broker) error {
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(b.propertiesFile(), []byte(text(b.properties)), 0o600); err != nil {
		return err
	}
	args := []string{"format", "-t", k.clusterID, "-c", b.propertiesFile()}
	if level := release(k.brokers); level != "" {
		args = append(args, "--release-version", level)
	}
	log := filepath.Join(b.folder, "format.log")
	process, err := k.run(ctx, b, log, nil, "kafka.tools.StorageTool", args...)
	if err == nil {
		err = process.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("formatting the storage of broker %d (Kafka %s): %w\n%s", b.id, b.version, err, tail(log, 20))
	}
	return nil
}

func (k *Kafka) launch(ctx context.Context, b *broker) error {
	process, err := k.run(ctx, b, b.logFile(), b.options, "kafka.Kafka", b.propertiesFile())
	if err != nil {
		return fmt.Errorf("starting broker %d (Kafka %s): %w", b.id, b.version, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	b.process = process
	return nil
}

// run starts a class of a broker's Kafka version. A JVM that compiles little starts in half the time on 2 cores.
func (k *Kafka) run(ctx context.Context, b *broker, log string, options []string, class string, args ...string) (*process, error) {
	jars, err := EnsureKafka(ctx, b.version, k.progress)
	if err != nil {
		return nil, err
	}
	program := append([]string{k.java, heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dlog4j.configuration=file:" + k.loggingFile(), "-cp", filepath.Join(jars, "*")}, options...)
	return k.leash.start(b.folder, log, brokerGrace, append(append(program, class), args...)...)
}

func (k *Kafka) loggingFile() string { return filepath.Join(k.root, "log4j.properties") }

// waitUntilReady waits for every running broker to answer and to list all running ones, which it does once they are
// registered and no longer fenced.
func (k *Kafka) waitUntilReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	for {
		running, err := k.running()
		if err != nil {
			return err
		}
		waitingFor := k.firstNotReady(ctx, running)
		if waitingFor == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("broker %d (Kafka %s) is not ready: %w; %w; the end of its log:\n%s", waitingFor.broker.id,
				waitingFor.broker.version, waitingFor.err, ctx.Err(), tail(waitingFor.broker.logFile(), 30))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

type notReady struct {
	broker *broker
	err    error
}

func (k *Kafka) firstNotReady(ctx context.Context, running []*broker) *notReady {
	for _, b := range running {
		listed, err := ask(ctx, b.address())
		if err != nil {
			return &notReady{b, err}
		}
		for _, other := range running {
			if !listed[other.id] {
				return &notReady{other, fmt.Errorf("broker %d does not list it", b.id)}
			}
		}
	}
	return nil
}

// running returns the brokers that were started and not stopped; one that ended by itself is an error.
func (k *Kafka) running() (running []*broker, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, b := range k.brokers {
		switch {
		case b.process == nil:
		case b.running():
			running = append(running, b)
		default:
			return nil, fmt.Errorf("broker %d (Kafka %s) ended by itself: %w; the end of its log:\n%s",
				b.id, b.version, b.process.err, tail(b.logFile(), 30))
		}
	}
	return running, nil
}

// BootstrapServers are the addresses of all brokers, stopped ones included, in the order of their ids.
func (k *Kafka) BootstrapServers() []string { return k.Addresses(plaintext) }

// Addresses are those of one listener, "PLAINTEXT" or a name from KafkaOptions.Listeners.
func (k *Kafka) Addresses(listener string) (addresses []string) {
	for _, b := range k.brokers {
		addresses = append(addresses, b.addresses[listener])
	}
	return addresses
}

// ClusterID is the id that the storage was formatted with.
func (k *Kafka) ClusterID() string { return k.clusterID }

// LogFile is the path of what a broker says, over all its starts; empty for an unknown id.
func (k *Kafka) LogFile(id int32) string {
	b, err := k.broker(id)
	if err != nil {
		return ""
	}
	return b.logFile()
}

// StopBroker shuts a broker down as an administrator would, at most 30 seconds long. Stop the brokers before broker 1:
// without a controller they can't hand over what they lead.
func (k *Kafka) StopBroker(ctx context.Context, id int32) error {
	process, err := k.takeProcess(id)
	if err != nil {
		return err
	}
	if err := process.stop(ctx); err != nil {
		return fmt.Errorf("stopping broker %d: %w", id, err)
	}
	return nil
}

// KillBroker ends a broker as a power failure would. The others notice after 6 seconds.
func (k *Kafka) KillBroker(id int32) error {
	process, err := k.takeProcess(id)
	if err != nil {
		return err
	}
	process.kill()
	return nil
}

// takeProcess returns what runs of a broker, which from then on counts as stopped.
func (k *Kafka) takeProcess(id int32) (*process, error) {
	b, err := k.broker(id)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if b.process == nil {
		return nil, fmt.Errorf("broker %d is stopped already", id)
	}
	process := b.process
	b.process = nil
	return process, nil
}

// StartBroker starts a stopped or killed broker with the same ports and data, and waits until all list it again.
func (k *Kafka) StartBroker(ctx context.Context, id int32) error {
	b, err := k.broker(id)
	if err != nil {
		return err
	}
	k.mu.Lock()
	running := b.running()
	k.mu.Unlock()
	if running {
		return fmt.Errorf("broker %d runs already", id)
	}
	if err := k.launch(ctx, b); err != nil {
		return err
	}
	return k.waitUntilReady(ctx)
}

// SetVersion changes the version that a stopped broker is started with next: one step of a rolling upgrade. The
// cluster's feature level stays what it was formatted with, that of its oldest broker then.
func (k *Kafka) SetVersion(ctx context.Context, id int32, version string) error {
	b, err := k.broker(id)
	if err != nil {
		return err
	}
	if _, err := EnsureKafka(ctx, version, k.progress); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if b.process != nil {
		return fmt.Errorf("broker %d runs Kafka %s: stop it before its version is changed", id, b.version)
	}
	b.version = version
	return nil
}

func (k *Kafka) broker(id int32) (*broker, error) {
	if id < 1 || int(id) > len(k.brokers) {
		return nil, fmt.Errorf("there is no broker %d, the ids are 1 to %d", id, len(k.brokers))
	}
	return k.brokers[id-1], nil
}

// Tool runs one of Kafka's own command-line tools of broker 1's version, such as "kafka.admin.ConfigCommand" or
// "org.apache.kafka.tools.TopicCommand", and returns what it printed, also with an error.
func (k *Kafka) Tool(ctx context.Context, class string, args ...string) (string, error) {
	output, err := os.CreateTemp(k.root, "tool-*.log")
	if err != nil {
		return "", err
	}
	output.Close()
	defer os.Remove(output.Name())
	process, err := k.run(ctx, k.brokers[0], output.Name(), []string{"-Dlog4j.rootLogger=WARN"}, class, args...)
	if err != nil {
		return "", err
	}
	err = process.wait(ctx)
	printed, readErr := os.ReadFile(output.Name())
	return string(printed), errors.Join(err, readErr)
}

// Stop kills all brokers and removes their data; nothing of it is needed any more. It may be called twice.
func (k *Kafka) Stop() error {
	_ = k.each(func(b *broker) error {
		if process, err := k.takeProcess(b.id); err == nil {
			process.kill()
		}
		return nil
	})
	k.ports.release()
	return os.RemoveAll(k.root)
}
