package kafka

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
)

// Config says how to reach a cluster.
type Config struct {
	// BootstrapServers are host:port addresses, tried side by side until one answers. At least one.
	BootstrapServers []string
	// ClusterID is the id that the cluster must have; "" accepts, and from then on insists on, the first one seen.
	ClusterID string
	// ClientID is how brokers call this client in their logs and quotas. Default "kafka-dedup-operator".
	ClientID string
	// DialTimeout bounds connecting and shaking hands with one address, together. Default 3 s.
	DialTimeout time.Duration
	// RequestTimeout is how long a connection may owe its next answer before it is given up. Default 10 s.
	RequestTimeout time.Duration
	// Dial opens connections; TLS and the like go here. nil: TCP by net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Revision changes whenever Dial means something else (a rotated certificate, say): functions can't be compared.
	Revision string
	// ConnectionLost is called, if set, each time a connection that was in use ends and the session did not end it, from a goroutine
	// that Close waits for: it must not block.
	ConnectionLost func()
	// Logger tells of connections made and lost, at V(1). The zero value is silent.
	Logger logr.Logger
}

const (
	defaultDialTimeout    = 3 * time.Second
	defaultRequestTimeout = 10 * time.Second
)

func (c Config) withDefaults() Config {
	c.ClientID = cmp.Or(c.ClientID, softwareName)
	c.DialTimeout = cmp.Or(c.DialTimeout, defaultDialTimeout)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, defaultRequestTimeout)
	c.BootstrapServers = slices.Clone(c.BootstrapServers)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	if c.Logger.GetSink() == nil {
		c.Logger = logr.Discard()
	}
	return c
}

// Session is a client of one cluster: at most one connection to each broker, and one to a bootstrap address. It connects when it
// is asked something, and again when a connection was lost. All its methods may be called at once from many goroutines.
//
// A read is repeated while that can help, until its context ends. A write is repeated only when the earlier attempt surely had no
// effect; otherwise it is an OutcomeUnknownError. While no broker can be reached a call fails within five seconds, and the first
// call a second or so after the cluster is back succeeds.
type Session struct {
	config  Config
	backoff func(failures int) time.Duration // how long to let an address or a refused read rest after so many failures in a row

	life
	bootstrap  *link
	refreshing chan struct{} // the right to refresh, one at a time

	mu         sync.Mutex
	clusterID  string
	replaced   bool // a foreign cluster was seen
	brokers    map[int32]*link
	controller int32     // −1: unknown
	refreshed  time.Time // when the brokers were last asked for on purpose
	turn       int       // spreads calls that any broker can answer
}

// NewSession makes a session, which connects when it is first asked something. The config must not be changed afterwards.
func NewSession(config Config) *Session {
	s := &Session{
		config:     config.withDefaults(),
		backoff:    jitteredBackoff,
		clusterID:  config.ClusterID,
		brokers:    map[int32]*link{},
		controller: -1,
		refreshing: make(chan struct{}, 1),
	}
	s.alive, s.finish = context.WithCancel(context.Background())
	s.bootstrap = newLink(s, -1, s.config.BootstrapServers...)
	return s
}

// Close ends the session, may be called again, and returns when its goroutines and connections are gone. Calls under way fail with
// ErrClosed, writes among them with OutcomeUnknownError if they were sent.
func (s *Session) Close() {
	s.life.end()
	s.running.Wait()
}

// life counts what Close has to wait for.
type life struct {
	alive   context.Context // ends with Close
	finish  context.CancelFunc
	running sync.WaitGroup // all goroutines and connections

	gate  sync.Mutex
	ended bool
}

// join counts one more; false: the session is closed.
func (l *life) join() bool {
	l.gate.Lock()
	defer l.gate.Unlock()
	if !l.ended {
		l.running.Add(1)
	}
	return !l.ended
}

func (l *life) end() {
	l.gate.Lock()
	defer l.gate.Unlock()
	l.ended = true
	l.finish()
}

// bind makes a caller's context end with the session, too.
func (l *life) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.alive, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// reason is why a context ended: ErrClosed for the end of the session, else what the context says.
func reason(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrClosed) {
		return ErrClosed
	}
	return ctx.Err()
}

// ClusterID is the id that the cluster must have: the configured one or the first one seen, "" while there is none.
func (s *Session) ClusterID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clusterID
}

// admit checks the id of the cluster that a new connection leads to, and pins it if it is the first one. Once a foreign cluster was
// seen anywhere, nothing is asked of anybody until a bootstrap server has shown the right id anew.
func (s *Session) admit(cluster Cluster, c *connection) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clusterID == "" {
		s.clusterID = cluster.ID
	}
	if s.clusterID != cluster.ID {
		s.replaced = true
		s.bootstrap.distrust()
		return &ClusterReplacedError{Expected: s.clusterID, Got: cluster.ID, Address: c.address}
	}
	if c.broker < 0 {
		s.replaced = false
	}
	return nil
}

// learn takes over where the brokers are. Only a complete list, with the fenced brokers in it, takes brokers away.
func (s *Session) learn(cluster Cluster, complete bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.controller = cluster.ControllerID
	listed := map[int32]bool{}
	for _, b := range cluster.Brokers {
		if b.Host == "" || b.Port <= 0 {
			continue
		}
		listed[b.ID] = true
		if known := s.brokers[b.ID]; known == nil || known.addresses[0] != b.Address() {
			s.forgetLocked(b.ID)
			s.brokers[b.ID] = newLink(s, b.ID, b.Address())
		}
	}
	for id := range s.brokers {
		if complete && !listed[id] {
			s.forgetLocked(id)
		}
	}
}

func (s *Session) forgetLocked(broker int32) {
	if l := s.brokers[broker]; l != nil {
		l.retire()
		delete(s.brokers, broker)
	}
}

const (
	shortestBackoff = 50 * time.Millisecond
	longestBackoff  = time.Second
)

// jitteredBackoff doubles from 50 ms to a second, give or take a fifth so that many callers spread.
func jitteredBackoff(failures int) time.Duration {
	d := longestBackoff
	if shift := failures - 1; shift < 5 {
		d = min(shortestBackoff<<max(shift, 0), longestBackoff)
	}
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// sleep waits, and says whether it did so to the end; it does not start if the context would not live to see it.
func sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
