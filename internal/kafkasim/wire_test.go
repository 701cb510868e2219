package kafkasim_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// A wire is one connection that speaks raw frames.
type wire struct {
	net.Conn
	correlation int32
}

func dial(t testing.TB, address string) *wire {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &wire{Conn: conn}
}

func (w *wire) ask(version int16, req protocol.Request) (protocol.Response, error) {
	w.correlation++
	frame, err := protocol.AppendRequest(nil, protocol.RequestHeader{
		Version: version, CorrelationID: w.correlation, ClientID: protocol.StringOf("kafkasim-test"),
	}, req)
	if err != nil {
		return nil, err
	}
	answer, err := w.exchange(frame)
	if err != nil {
		return nil, err
	}
	resp := req.NewResponse()
	correlation, err := protocol.DecodeResponse(answer, version, resp)
	if err == nil && correlation != w.correlation {
		err = fmt.Errorf("answer %d to request %d", correlation, w.correlation)
	}
	return resp, err
}

// exchange sends a frame with its size and returns the answer without.
func (w *wire) exchange(frame []byte) ([]byte, error) {
	_ = w.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := w.Write(frame); err != nil {
		return nil, err
	}
	return protocol.ReadFrame(w, 100<<20)
}

func ask[R protocol.Response](t testing.TB, w *wire, version int16, req protocol.Request) R {
	t.Helper()
	resp, err := w.ask(version, req)
	if err != nil {
		t.Fatalf("%s v%d: %v", req.Key(), version, err)
	}
	return resp.(R)
}

func closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err != nil && strings.Contains(err.Error(), "reset by peer")
}

// Builders of requests.

func create(topics ...protocol.CreatableTopic) *protocol.CreateTopicsRequest {
	return &protocol.CreateTopicsRequest{Topics: topics, TimeoutMs: 30000}
}

func newTopic(name string, partitions int32, factor int16, configs ...string) protocol.CreatableTopic {
	t := protocol.CreatableTopic{Name: name, NumPartitions: partitions, ReplicationFactor: factor}
	for i := 0; i < len(configs); i += 2 {
		t.Configs = append(t.Configs, protocol.CreatableTopicConfig{Name: configs[i], Value: protocol.StringOf(configs[i+1])})
	}
	return t
}

func alter(resources ...protocol.AlterConfigsResource) *protocol.IncrementalAlterConfigsRequest {
	return &protocol.IncrementalAlterConfigsRequest{Resources: resources}
}

func validated(r *protocol.IncrementalAlterConfigsRequest) *protocol.IncrementalAlterConfigsRequest {
	r.ValidateOnly = true
	return r
}

func onTopic(name string, configs ...protocol.AlterableConfig) protocol.AlterConfigsResource {
	return protocol.AlterConfigsResource{ResourceType: protocol.ResourceTopic, ResourceName: name, Configs: configs}
}

func onBroker(name string, configs ...protocol.AlterableConfig) protocol.AlterConfigsResource {
	return protocol.AlterConfigsResource{ResourceType: protocol.ResourceBroker, ResourceName: name, Configs: configs}
}

func operation(op int8, key, value string) protocol.AlterableConfig {
	return protocol.AlterableConfig{Name: key, ConfigOperation: op, Value: protocol.StringOf(value)}
}

func set(key, value string) protocol.AlterableConfig {
	return operation(protocol.ConfigOperationSet, key, value)
}

func unset(key string) protocol.AlterableConfig {
	return protocol.AlterableConfig{Name: key, ConfigOperation: protocol.ConfigOperationDelete}
}

func describe(kind int8, name string, keys ...string) *protocol.DescribeConfigsRequest {
	return &protocol.DescribeConfigsRequest{IncludeSynonyms: true, Resources: []protocol.DescribeConfigsResource{
		{ResourceType: kind, ResourceName: name, ConfigurationKeys: keys},
	}}
}

// batch is n records of an idempotent producer; id −1: of none.
func batch(id int64, epoch int16, sequence int32, n int) []byte {
	return keyed([]byte("k"), id, epoch, sequence, n)
}

func keyed(key []byte, id int64, epoch int16, sequence int32, n int) []byte {
	var records []protocol.Record
	for i := range n {
		records = append(records, protocol.Record{OffsetDelta: int32(i), Key: key, Value: []byte("v")})
	}
	b := protocol.NewRecordBatch(time.Now().UnixMilli(), records...)
	b.ProducerID, b.ProducerEpoch, b.BaseSequence = id, epoch, sequence
	return protocol.AppendRecordBatch(nil, b)
}

func produce(name string, id protocol.UUID, partition int32, records []byte) *protocol.ProduceRequest {
	return &protocol.ProduceRequest{Acks: -1, TimeoutMs: 5000, TopicData: []protocol.TopicProduceData{{
		Name: name, TopicID: id, PartitionData: []protocol.PartitionProduceData{{Index: partition, Records: records}},
	}}}
}

// render prints a response without what is legitimately different from cluster to cluster: ids, ports, clocks and the
// order of what Kafka keeps in hash maps.
func render(resp protocol.Response) string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	id := func(id protocol.UUID) string {
		if id == (protocol.UUID{}) {
			return "no id"
		}
		return "an id"
	}
	code := func(c protocol.ErrorCode, message protocol.NullString) string {
		return fmt.Sprintf("%d %q", c, message)
	}
	switch r := resp.(type) {
	case *protocol.CreateTopicsResponse:
		for _, t := range r.Topics {
			add("%s %s %s %d×%d config error %d null configs %v", t.Name, id(t.TopicID), code(t.ErrorCode, t.ErrorMessage), t.NumPartitions, t.ReplicationFactor, t.TopicConfigErrorCode, t.Configs == nil)
			for _, config := range t.Configs {
				add("%s/%s = %s from %d read-only %v sensitive %v", t.Name, config.Name, config.Value, config.ConfigSource, config.ReadOnly, config.IsSensitive)
			}
		}
	case *protocol.DeleteTopicsResponse:
		for _, t := range r.Responses {
			add("%s %s %s", t.Name, id(t.TopicID), code(t.ErrorCode, t.ErrorMessage))
		}
	case *protocol.CreatePartitionsResponse:
		for _, t := range r.Results {
			add("%s %s", t.Name, code(t.ErrorCode, t.ErrorMessage))
		}
	case *protocol.IncrementalAlterConfigsResponse:
		for _, t := range r.Responses {
			add("%d %q %s", t.ResourceType, t.ResourceName, code(t.ErrorCode, t.ErrorMessage))
		}
	case *protocol.DescribeConfigsResponse:
		for _, t := range r.Results {
			add("%d %q %s", t.ResourceType, t.ResourceName, code(t.ErrorCode, t.ErrorMessage))
			for _, config := range t.Configs {
				line := fmt.Sprintf("%s/%s = %s from %d type %d read-only %v sensitive %v default %v documented %v:", t.ResourceName, config.Name, config.Value,
					config.ConfigSource, config.ConfigType, config.ReadOnly, config.IsSensitive, config.IsDefault, config.Documentation.Valid)
				for _, s := range config.Synonyms {
					line += fmt.Sprintf(" %s=%s from %d", s.Name, s.Value, s.Source)
				}
				add("%s", line)
			}
		}
	case *protocol.MetadataResponse:
		add("controller %d, %d brokers, cluster id %v, operations %d, error %d", r.ControllerID, len(r.Brokers), r.ClusterID.Valid, r.ClusterAuthorizedOperations, r.ErrorCode)
		for _, t := range r.Topics {
			add("%s valid %v %s error %d internal %v operations %d", t.Name, t.Name.Valid, id(t.TopicID), t.ErrorCode, t.IsInternal, t.TopicAuthorizedOperations)
			for _, p := range t.Partitions {
				add("%s %+v", t.Name, p)
			}
		}
	case *protocol.DescribeClusterResponse:
		add("%s endpoints %d controller %d cluster id %v operations %d", code(r.ErrorCode, r.ErrorMessage), r.EndpointType, r.ControllerID, r.ClusterID != "", r.ClusterAuthorizedOperations)
		for _, b := range r.Brokers {
			add("broker %d rack %s fenced %v", b.BrokerID, b.Rack, b.IsFenced)
		}
	case *protocol.ApiVersionsResponse:
		add("error %d", r.ErrorCode)
		for _, k := range r.APIKeys {
			if simulated(k.APIKey) {
				add("%s %d–%d", k.APIKey, k.MinVersion, k.MaxVersion)
			}
		}
		for _, f := range r.SupportedFeatures {
			if f.Name == "transaction.version" || f.Name == "metadata.version" {
				add("%s can be %d–%d", f.Name, f.MinVersion, f.MaxVersion)
			}
		}
		for _, f := range r.FinalizedFeatures {
			if f.Name == "transaction.version" || f.Name == "metadata.version" {
				add("%s is %d–%d", f.Name, f.MinVersionLevel, f.MaxVersionLevel)
			}
		}
	case *protocol.InitProducerIdResponse:
		add("error %d id %v epoch %d", r.ErrorCode, r.ProducerID >= 0, r.ProducerEpoch)
	case *protocol.ProduceResponse:
		for _, t := range r.Responses {
			for _, p := range t.PartitionResponses {
				add("%s-%d error %d %q base offset %d append time %v start %d leader %+v window %d", t.Name, p.Index, p.ErrorCode, p.ErrorMessage, p.BaseOffset,
					p.LogAppendTimeMs >= 0, p.LogStartOffset, p.CurrentLeader, p.ProducerStateBatchesToRetain)
				for _, e := range p.RecordErrors {
					add("%s-%d record %d %q", t.Name, p.Index, e.BatchIndex, e.BatchIndexErrorMessage)
				}
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// simulated says which APIs are compared: the codec knows more than the simulator answers.
func simulated(key protocol.APIKey) bool {
	switch key {
	case protocol.KeyProduce, protocol.KeyMetadata, protocol.KeyApiVersions, protocol.KeyCreateTopics, protocol.KeyDeleteTopics,
		protocol.KeyInitProducerId, protocol.KeyDescribeConfigs, protocol.KeyCreatePartitions,
		protocol.KeyIncrementalAlterConfigs, protocol.KeyDescribeCluster:
		return true
	}
	return false
}
