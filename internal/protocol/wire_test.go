package protocol

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/hack/testbed"
)

// realBroker is a broker of Kafka and what it says it speaks.
type realBroker struct {
	t        *testing.T
	kafka    *testbed.Kafka
	versions map[APIKey]VersionRange
	answers  map[kind][]byte // the last one of each kind, without its size
	side     *wire           // for what has to be there before something else can be asked
}

// startBroker starts one broker, at which whoever comes by PLAINTEXT may do everything, and whoever comes by CLIENT, with SASL,
// only what ACLs allow.
func startBroker(t *testing.T, version string, properties ...string) *realBroker {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real broker")
	}
	testbed.NeedJava(t)
	options := testbed.KafkaOptions{
		Version: version, Brokers: 1, Listeners: map[string]string{"CLIENT": "SASL_PLAINTEXT"},
		Properties: map[string]string{
			"authorizer.class.name":                          "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
			"super.users":                                    "User:ANONYMOUS",
			"auto.create.topics.enable":                      "false",
			"sasl.enabled.mechanisms":                        "PLAIN",
			"listener.name.client.sasl.enabled.mechanisms":   "PLAIN",
			"listener.name.client.connections.max.reauth.ms": "3600000",
			"listener.name.client.plain.sasl.jaas.config":    `org.apache.kafka.common.security.plain.PlainLoginModule required user_client="secret";`,
		},
	}
	for i := 0; i < len(properties); i += 2 {
		options.Properties[properties[i]] = properties[i+1]
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	kafka, err := testbed.StartKafka(ctx, options, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kafka.Stop(); err != nil {
			t.Error(err)
		}
	})
	b := &realBroker{t: t, kafka: kafka, versions: map[APIKey]VersionRange{}, answers: map[kind][]byte{}}
	b.side = b.dial("PLAINTEXT")
	hello := &ApiVersionsRequest{ClientSoftwareName: "test", ClientSoftwareVersion: "1", NodeID: -1}
	for _, k := range b.side.ask(t, 3, hello).(*ApiVersionsResponse).APIKeys {
		ours, known := Supported(k.APIKey)
		if known && k.MaxVersion > ours.Max {
			t.Errorf("%s goes up to version %d", k.APIKey, k.MaxVersion)
		}
		if both, some := ours.Intersect(VersionRange{k.MinVersion, k.MaxVersion}); known && some {
			b.versions[k.APIKey] = both
		}
	}
	return b
}

// ask is a request that isn't what a test is about, in the newest version that the broker speaks, and succeeds.
func (b *realBroker) ask(req Request) Response {
	b.t.Helper()
	resp := b.side.ask(b.t, b.versions[req.Key()].Max, req)
	assertCodes(b.t, resp)
	return resp
}

func (b *realBroker) dial(listener string) *wire {
	b.t.Helper()
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(b.t.Context(), "tcp", b.kafka.Addresses(listener)[0])
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	return &wire{conn: conn, answers: b.answers}
}

// wire is a connection to a broker.
type wire struct {
	conn    net.Conn
	id      int32
	answers map[kind][]byte
}

// ask sends a request and reads its answer, which is written back to the same bytes.
func (w *wire) ask(t *testing.T, version int16, req Request) Response {
	t.Helper()
	w.id++
	k := kind{req.Key(), version, true}
	request, err := AppendRequest(nil, RequestHeader{Version: version, CorrelationID: w.id, ClientID: StringOf("test")}, req)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := w.conn.Write(request); err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	frame, err := ReadFrame(w.conn, 64<<20)
	if err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	resp := req.NewResponse()
	id, err := DecodeResponse(frame, version, resp)
	if err != nil || id != w.id {
		t.Fatalf("%s to request %d was read as one to %d: %v\nof %x", k, w.id, id, err, frame)
	}
	again, err := AppendResponse(nil, version, id, resp)
	if err != nil || !bytes.Equal(again[4:], frame) {
		t.Errorf("%s\nread  %x\nwrote %x\n%v", k, frame, again, err)
	}
	w.answers[k] = frame
	return resp
}

// assertCodes sees that all error codes in a message are 0, or others that are expected.
func assertCodes(t *testing.T, m message, expected ...ErrorCode) {
	t.Helper()
	for _, code := range codes(m) {
		if code != CodeNone && !slices.Contains(expected, code) {
			t.Errorf("%T says %s: %s", m, code, fmt.Sprintf("%+v", m))
		}
	}
}

// codes are all error codes in a message, in order.
func codes(m message) (all []ErrorCode) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch {
		case v.Type() == reflect.TypeFor[ErrorCode]():
			all = append(all, ErrorCode(v.Int()))
		case v.Kind() == reflect.Struct:
			for _, field := range v.Fields() {
				visit(field)
			}
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		}
	}
	visit(reflect.ValueOf(m).Elem())
	return all
}

// logIn goes through SASL PLAIN as the user whom only ACLs allow anything.
func (w *wire) logIn(t *testing.T, version int16) Response {
	t.Helper()
	assertCodes(t, w.ask(t, 1, &SaslHandshakeRequest{Mechanism: "PLAIN"}))
	return w.ask(t, version, &SaslAuthenticateRequest{AuthBytes: []byte("\x00client\x00secret")})
}

// A story's topic, group and transactional id.
const (
	ordersTopic = "orders"
	billsGroup  = "bills"
	billsTxn    = "bills-1"
)

// setUp creates the topic and sees that coordinators are there.
func (b *realBroker) setUp() (orders UUID) {
	b.t.Helper()
	topic := CreatableTopic{Name: ordersTopic, NumPartitions: 2, ReplicationFactor: 1}
	orders = b.ask(&CreateTopicsRequest{Topics: []CreatableTopic{topic}, TimeoutMs: 10000}).(*CreateTopicsResponse).Topics[0].TopicID
	for _, find := range []*FindCoordinatorRequest{
		{KeyType: CoordinatorGroup, CoordinatorKeys: []string{billsGroup}}, {KeyType: CoordinatorTransaction, CoordinatorKeys: []string{billsTxn}},
	} {
		b.until("the coordinators are there", func() bool {
			return !slices.ContainsFunc(codes(b.side.ask(b.t, 4, find)), isError)
		})
	}
	init := NewInitProducerIdRequest()
	init.TransactionalID, init.TransactionTimeoutMs = StringOf(billsTxn), 60000
	b.until("transactions can be begun", func() bool { return !isError(codes(b.side.ask(b.t, 4, init))[0]) })
	commit := allOffsets(billsGroup)
	b.until("offsets can be read", func() bool {
		return !slices.ContainsFunc(codes(b.side.ask(b.t, 8, commit)), isError)
	})
	return orders
}

func isError(code ErrorCode) bool { return code != CodeNone }

// allOffsets asks for all offsets of a group.
func allOffsets(group string) *OffsetFetchRequest {
	g := NewOffsetFetchRequestGroup()
	g.GroupID = group
	return &OffsetFetchRequest{Groups: []OffsetFetchRequestGroup{g}}
}

func (b *realBroker) until(what string, done func() bool) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("waited a minute until %s", what)
		}
	}
}

// producer is a transactional id's producer id and epoch.
type producer struct {
	txn   string
	id    int64
	epoch int16
}

// producer begins anew with a transactional id, which fences whoever had it.
func (b *realBroker) producer(txn string) producer {
	b.t.Helper()
	init := NewInitProducerIdRequest()
	init.TransactionalID, init.TransactionTimeoutMs = StringOf(txn), 600000
	var resp *InitProducerIdResponse
	b.until("the last transaction has ended", func() bool {
		resp = b.side.ask(b.t, 4, init).(*InitProducerIdResponse)
		return resp.ErrorCode != CodeConcurrentTransactions
	})
	assertCodes(b.t, resp)
	return producer{txn, resp.ProducerID, resp.ProducerEpoch}
}

// addPartition is what a producer of before transaction.version 2 sends before it writes to the topic.
func (p producer) addPartition() *AddPartitionsToTxnRequest {
	return &AddPartitionsToTxnRequest{
		V3AndBelowTransactionalID: p.txn, V3AndBelowProducerID: p.id, V3AndBelowProducerEpoch: p.epoch,
		V3AndBelowTopics: []AddPartitionsToTxnTopic{{Name: ordersTopic, Partitions: []int32{0}}},
	}
}

// begin is a producer with an open transaction, in which it has written.
func (b *realBroker) begin(txn string) producer {
	b.t.Helper()
	p := b.producer(txn)
	assertCodes(b.t, b.side.ask(b.t, 3, p.addPartition()))
	assertCodes(b.t, b.side.ask(b.t, 9, p.produce(0)))
	return p
}

// produce writes one record.
func (p producer) produce(sequence int32) *ProduceRequest {
	batch := NewRecordBatch(time.Now().UnixMilli(), Record{Key: []byte("key"), Value: []byte("value")})
	batch.ProducerID, batch.ProducerEpoch, batch.BaseSequence = p.id, p.epoch, sequence
	req := &ProduceRequest{Acks: -1, TimeoutMs: 10000, TopicData: []TopicProduceData{{
		Name: ordersTopic, PartitionData: []PartitionProduceData{{Index: 0}},
	}}}
	if p.txn != "" {
		req.TransactionalID = StringOf(p.txn)
		batch.Attributes = AttributeTransactional
	}
	req.TopicData[0].PartitionData[0].Records = AppendRecordBatch(nil, batch)
	return req
}

// end commits or aborts.
func (p producer) end(commit bool) *EndTxnRequest {
	return &EndTxnRequest{TransactionalID: p.txn, ProducerID: p.id, ProducerEpoch: p.epoch, Committed: commit}
}
