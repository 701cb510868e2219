package kafka

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/go-logr/logr"
)

var errNotYet = errors.New("not built yet")

// Config says how to reach a cluster.
type Config struct {
	// BootstrapServers are host:port addresses, tried side by side until one answers. At least one.
	BootstrapServers []string
	// ClusterID is the id that the cluster must have; "" accepts, and then insists on, the first one seen.
	ClusterID string
	// ClientID is how brokers call this client in their logs and quotas.
	ClientID string
	// DialTimeout bounds connecting and shaking hands, together. Default 3 s.
	DialTimeout time.Duration
	// RequestTimeout is how long a connection may owe an answer before it is given up. Default 10 s.
	RequestTimeout time.Duration
	// Dial opens connections; TLS and the like go here. nil: TCP by net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Revision changes whenever Dial means something else (a rotated certificate, say): functions can't be compared.
	Revision string
	// Logger tells of connections made and lost, at V(1). The zero value is silent.
	Logger logr.Logger
}

// Session is a client of one cluster. All its methods may be called at once from many goroutines.
type Session struct{}

// NewSession makes a session; it connects when it is first asked something.
func NewSession(config Config) *Session { return &Session{} }

// Close ends the session, may be called again, and returns when its goroutines and connections are gone. Calls under way fail.
func (s *Session) Close() {}

// ClusterID is the id that the cluster must have: the configured one or the first one seen, "" while there is none.
func (s *Session) ClusterID() string { return "" }
