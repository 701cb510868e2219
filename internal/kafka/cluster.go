package kafka

import (
	"context"
	"net"
	"strconv"
)

// Cluster is what a broker says about the cluster that it belongs to.
type Cluster struct {
	ID           string
	ControllerID int32    // −1: none is known. Under KRaft any live broker, which forwards to the active controller.
	Brokers      []Broker // by id; with fenced ones where the brokers can tell (Kafka 4.0 and later)
}

// Broker is one registered broker.
type Broker struct {
	ID     int32
	Host   string // as advertised on the listener that was asked
	Port   int32
	Rack   string // "" when it has none
	Fenced bool   // registered, but not live. Never true for clusters older than Kafka 4.0: they leave fenced brokers out.
}

// Address is the broker's host and port as one string, fit for dialling.
func (b Broker) Address() string {
	return net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
}

// DescribeCluster asks any broker for the cluster's id, controller and registered brokers.
func (s *Session) DescribeCluster(ctx context.Context) (Cluster, error) {
	return Cluster{}, errNotYet
}
