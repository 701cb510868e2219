package kafka

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
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
	var cluster Cluster
	err := s.read(ctx, anyBroker, func(ctx context.Context, c *connection) (err error) {
		cluster, err = askForCluster(ctx, c)
		if err == nil {
			s.learn(cluster, true)
		}
		return err
	})
	if err != nil {
		return Cluster{}, err
	}
	return cluster, nil
}

// askForCluster uses the newest way to ask that the broker knows: DescribeCluster since Kafka 2.8, Metadata before.
func askForCluster(ctx context.Context, c *connection) (Cluster, error) {
	version, err := c.version(protocol.KeyDescribeCluster, 0)
	if err != nil {
		return askWhichCluster(ctx, c)
	}
	request := protocol.NewDescribeClusterRequest()
	request.IncludeFencedBrokers = version >= 2
	answer := protocol.NewDescribeClusterResponse()
	if err := c.ask(ctx, version, request, answer); err != nil {
		return Cluster{}, err
	}
	if answer.ErrorCode != protocol.CodeNone {
		return Cluster{}, c.refused(protocol.KeyDescribeCluster, "the description of the cluster",
			answer.ErrorCode, answer.ErrorMessage, answer.ThrottleTimeMs)
	}
	cluster := Cluster{ID: strings.Clone(answer.ClusterID), ControllerID: answer.ControllerID}
	for _, b := range answer.Brokers {
		cluster.Brokers = append(cluster.Brokers, Broker{
			ID: b.BrokerID, Host: strings.Clone(b.Host), Port: b.Port, Rack: strings.Clone(b.Rack.S), Fenced: b.IsFenced,
		})
	}
	cluster.sort()
	return cluster, nil
}

func (c *Cluster) sort() {
	slices.SortFunc(c.Brokers, func(a, b Broker) int { return cmp.Compare(a.ID, b.ID) })
}
