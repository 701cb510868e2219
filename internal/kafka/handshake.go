package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// The name that brokers see in their metrics of client software; they accept letters, digits, dots and dashes only.
const (
	softwareName    = "kafka-dedup-operator"
	softwareVersion = "v1alpha1"
)

// oldestMetadata is the first version that can say "and don't create the topic" (Kafka 1.0).
const oldestMetadata = 4

// handshake makes a new connection fit for use: it learns the versions, and which cluster this is. Nobody else has the connection
// before it has succeeded, so nothing can be asked of, let alone written to, a cluster with another id.
func handshake(ctx context.Context, c *connection) (Cluster, error) {
	if err := learnVersions(ctx, c); err != nil {
		return Cluster{}, stranger(c, err)
	}
	cluster, err := askWhichCluster(ctx, c)
	if err != nil {
		return Cluster{}, stranger(c, err)
	}
	c.limit.Store(frameLimit)
	return cluster, nil
}

// learnVersions asks for the versions of all APIs, starting with the newest way to ask. A broker that does not know that way
// answers as of version 0, with the range of ApiVersions among the rest (KIP-511).
func learnVersions(ctx context.Context, c *connection) error {
	ours, _ := protocol.Supported(protocol.KeyApiVersions)
	version := ours.Max
	for {
		answer, err := askVersions(ctx, c, version)
		if err != nil {
			return err
		}
		theirs := make(map[protocol.APIKey]protocol.VersionRange, len(answer.APIKeys))
		for _, api := range answer.APIKeys {
			theirs[api.APIKey] = protocol.VersionRange{Min: api.MinVersion, Max: api.MaxVersion}
		}
		switch {
		case answer.ErrorCode == protocol.CodeNone:
			c.versions = theirs
			return nil
		case answer.ErrorCode != protocol.CodeUnsupportedVersion || version == 0:
			return c.refused(protocol.KeyApiVersions, "this connection", answer.ErrorCode, protocol.NullString{}, 0)
		}
		common, ok := ours.Intersect(theirs[protocol.KeyApiVersions])
		if version--; ok && common.Max < version {
			version = common.Max
		} else if !ok {
			version = 0
		}
	}
}

func askVersions(ctx context.Context, c *connection, version int16) (*protocol.ApiVersionsResponse, error) {
	request := protocol.NewApiVersionsRequest()
	if version >= 3 {
		request.ClientSoftwareName, request.ClientSoftwareVersion = softwareName, softwareVersion
	}
	frame, err := c.send(ctx, version, request)
	if err != nil {
		return nil, err
	}
	if saysUnsupported(frame) {
		version = 0
	}
	answer := &protocol.ApiVersionsResponse{}
	if _, err := protocol.DecodeResponse(frame, version, answer); err != nil {
		return nil, &notKafkaError{err}
	}
	return answer, nil
}

// saysUnsupported looks at the error code of an ApiVersions answer, which follows the correlation id in every version.
func saysUnsupported(frame []byte) bool {
	return len(frame) >= 6 && protocol.ErrorCode(binary.BigEndian.Uint16(frame[4:])) == protocol.CodeUnsupportedVersion
}

// askWhichCluster asks for the cluster and its brokers but for no topic. (An empty list means none; null would mean all.)
func askWhichCluster(ctx context.Context, c *connection) (Cluster, error) {
	version, err := c.version(protocol.KeyMetadata, oldestMetadata)
	if err != nil {
		return Cluster{}, err
	}
	request := protocol.NewMetadataRequest()
	request.Topics = []protocol.MetadataRequestTopic{}
	request.AllowAutoTopicCreation = false
	var answer protocol.MetadataResponse
	if err := c.ask(ctx, version, request, &answer); err != nil {
		return Cluster{}, err
	}
	if answer.ErrorCode != protocol.CodeNone {
		return Cluster{}, c.refused(protocol.KeyMetadata, "the cluster", answer.ErrorCode, protocol.NullString{}, answer.ThrottleTimeMs)
	}
	if answer.ClusterID.S == "" {
		return Cluster{}, &ConnectError{Address: c.address, Kind: NotKafka, Err: errNoClusterID}
	}
	cluster := Cluster{ID: strings.Clone(answer.ClusterID.S), ControllerID: answer.ControllerID}
	for _, b := range answer.Brokers {
		cluster.Brokers = append(cluster.Brokers, Broker{
			ID: b.NodeID, Host: strings.Clone(b.Host), Port: b.Port, Rack: strings.Clone(b.Rack.S),
		})
	}
	cluster.sort()
	return cluster, nil
}

var errNoClusterID = errors.New("the broker has no cluster id")

// stranger makes sure that the failure of a handshake is one of a connection: what an unproved peer says is not passed on.
func stranger(c *connection, err error) error {
	var (
		refused *Error
		unable  *UnsupportedError
	)
	switch {
	case errors.As(err, &unable):
		return err
	case errors.As(err, &refused):
		return &ConnectError{Address: c.address, Kind: Other, Err: fmt.Errorf("%s: %s", refused.API, refused.Code)}
	}
	return connectError(c.address, err)
}

// version picks the highest version of an API that both sides know and that is at least oldest.
func (c *connection) version(api protocol.APIKey, oldest int16) (int16, error) {
	ours, known := protocol.Supported(api)
	theirs, offered := c.versions[api]
	unsupported := &UnsupportedError{API: api.String(), Broker: c.broker, Address: c.address}
	if !known || !offered {
		unsupported.Detail = "the broker does not offer it"
		return 0, unsupported
	}
	// Brokers from 4.0 on advertise Produce 0 to 2 and refuse them (KAFKA-18659).
	if api == protocol.KeyProduce {
		oldest = max(oldest, 3)
	}
	ours.Min = max(ours.Min, oldest)
	common, ok := ours.Intersect(theirs)
	if !ok {
		unsupported.Detail = fmt.Sprintf("the broker speaks versions %d to %d, this client needs %d to %d", theirs.Min, theirs.Max, ours.Min, ours.Max)
		return 0, unsupported
	}
	return common.Max, nil
}
