package protocol

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// message is a request or a response.
type message interface {
	Key() APIKey
	fields(*Codec)
}

// kind is one message in one version.
type kind struct {
	key      APIKey
	version  int16
	response bool
}

func (k kind) String() string {
	if k.response {
		return fmt.Sprintf("%sResponse v%d", k.key, k.version)
	}
	return fmt.Sprintf("%sRequest v%d", k.key, k.version)
}

// kinds are all messages in all versions, in a stable order.
func kinds() []kind {
	var all []kind
	for key, api := range apis {
		for version := api.min; version <= api.max; version++ {
			all = append(all, kind{key, version, false}, kind{key, version, true})
		}
	}
	slices.SortFunc(all, func(a, b kind) int {
		return 1000*int(a.key-b.key) + 2*int(a.version-b.version) + map[bool]int{true: 1}[a.response] - map[bool]int{true: 1}[b.response]
	})
	return all
}

func everyKind(t *testing.T, test func(t *testing.T, k kind)) {
	for _, k := range kinds() {
		t.Run(k.String(), func(t *testing.T) { test(t, k) })
	}
}

// empty is a message without any field set.
func (k kind) empty() message {
	req := apis[k.key].request()
	if k.response {
		return req.NewResponse()
	}
	return req
}

const testCorrelationID = 0x01020304

// encode is the message as a frame without its size.
func (k kind) encode(m message) ([]byte, error) {
	var frame []byte
	var err error
	if k.response {
		frame, err = AppendResponse(nil, k.version, testCorrelationID, m.(Response))
	} else {
		h := RequestHeader{Version: k.version, CorrelationID: testCorrelationID, ClientID: StringOf("test")}
		frame, err = AppendRequest(nil, h, m.(Request))
	}
	if err != nil {
		return nil, err
	}
	return frame[4:], nil
}

func (k kind) decode(frame []byte) (message, error) {
	if k.response {
		m := k.empty().(Response)
		_, err := DecodeResponse(frame, k.version, m)
		return m, err
	}
	h, m, err := DecodeRequest(frame)
	if err == nil && (h.Key != k.key || h.Version != k.version) {
		err = errors.New("request of another kind")
	}
	return m, err
}

func mustEncode(t testing.TB, k kind, m message) []byte {
	t.Helper()
	frame, err := k.encode(m)
	if err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	return frame
}

// sample is a frame of that kind with random content. kmsg writes it, and for what kmsg doesn't know we do.
func (k kind) sample(t testing.TB, r *rand.Rand) []byte {
	if oracle := k.oracle(); oracle != nil {
		fillRandomly(oracle, r)
		return k.oracleFrame(oracle)
	}
	switch k.key {
	case KeyProduce:
		like13 := kind{k.key, 13, k.response}
		m, err := like13.decode(like13.sample(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if resp, ok := m.(*ProduceResponse); ok {
			for i := range resp.Responses {
				for j := range resp.Responses[i].PartitionResponses {
					resp.Responses[i].PartitionResponses[j].ProducerStateBatchesToRetain = r.Int32N(3) * 5
				}
			}
		}
		return mustEncode(t, k, m)
	case KeyInitProducerId:
		like5 := kind{k.key, 5, k.response}
		m, err := like5.decode(like5.sample(t, r))
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *InitProducerIdRequest:
			m.Enable2Pc, m.KeepPreparedTxn = r.IntN(2) == 0, r.IntN(2) == 0
		case *InitProducerIdResponse:
			m.OngoingTxnProducerID, m.OngoingTxnProducerEpoch = r.Int64(), int16(r.Int32())
		}
		return mustEncode(t, k, m)
	}
	t.Fatalf("no sample of %s", k)
	return nil
}

// oracle is kmsg's empty message of that kind, nil if kmsg doesn't know the version.
func (k kind) oracle() kmsgMessage {
	var m kmsgMessage = kmsg.RequestForKey(int16(k.key))
	if k.response {
		m = kmsg.ResponseForKey(int16(k.key))
	}
	if k.version > m.MaxVersion() {
		return nil
	}
	m.SetVersion(k.version)
	return m
}

type kmsgMessage interface {
	MaxVersion() int16
	SetVersion(int16)
	IsFlexible() bool
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

// oracleFrame is kmsg's message with a header.
func (k kind) oracleFrame(m kmsgMessage) []byte {
	if req, ok := m.(kmsg.Request); ok {
		formatter := kmsg.NewRequestFormatter(kmsg.FormatterClientID("test"))
		return formatter.AppendRequest(nil, req, testCorrelationID)[4:]
	}
	return m.AppendTo(k.header())
}

// header is the header of a response.
func (k kind) header() []byte {
	header := []byte{1, 2, 3, 4}
	if Flexible(k.key, k.version) && k.key != KeyApiVersions {
		header = append(header, 0)
	}
	return header
}
