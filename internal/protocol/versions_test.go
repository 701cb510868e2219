package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAFieldIsNeverDroppedInSilence(t *testing.T) {
	for _, test := range []struct {
		name     string
		k        kind
		m        message
		path     string // of the field that is refused; empty: written
		expected string
	}{
		{
			name: "validate-only isn't dropped, which would create the topic",
			k:    kind{KeyCreateTopics, 0, false}, m: &CreateTopicsRequest{ValidateOnly: true},
			path: "ValidateOnly", expected: "needs version 1 or newer, or its default value",
		},
		{
			name: "no auto-creation isn't dropped, which would create the topic",
			k:    kind{KeyMetadata, 3, false}, m: &MetadataRequest{},
			path: "AllowAutoTopicCreation", expected: "needs version 4",
		},
		{
			name: "a topic id isn't dropped, which would delete nothing",
			k:    kind{KeyDeleteTopics, 5, false}, m: &DeleteTopicsRequest{Topics: make([]DeleteTopicState, 1)},
			path: "Topics", expected: "needs version 6",
		},
		{
			name: "topic names are, as the schema says",
			k:    kind{KeyDeleteTopics, 6, false}, m: &DeleteTopicsRequest{TopicNames: []string{"a"}},
		},
		{
			name: "a field that is gone is refused",
			k:    kind{KeyMetadata, 11, false}, m: &MetadataRequest{AllowAutoTopicCreation: true, IncludeClusterAuthorizedOperations: true},
			path: "IncludeClusterAuthorizedOperations", expected: "exists in versions 8 to 10 only",
		},
		{
			name: "a window isn't dropped",
			k:    kind{KeyProduce, 13, true}, m: produced(20),
			path: "Responses[0].PartitionResponses[1].ProducerStateBatchesToRetain", expected: "needs version 14",
		},
		{name: "a default window is", k: kind{KeyProduce, 3, true}, m: produced(5)},
		{name: "a throttle time is, as the schema says", k: kind{KeyMetadata, 0, true}, m: func() message {
			m := NewMetadataResponse()
			m.ThrottleTimeMs = 7
			return m
		}()},
		{
			name: "a name that can't be null yet",
			k:    kind{KeyMetadata, 9, false}, m: &MetadataRequest{Topics: make([]MetadataRequestTopic, 3), AllowAutoTopicCreation: true},
			path: "Topics[0].Name", expected: "null",
		},
		{
			name: "a null array that can't be null yet is empty",
			k:    kind{KeyMetadata, 0, false}, m: NewMetadataRequest(),
		},
		{
			name: "unknown tags in a version without tags",
			k:    kind{KeyMetadata, 8, false}, m: &MetadataRequest{AllowAutoTopicCreation: true, UnknownTags: UnknownTags{"\x09\x00"}},
			path: "UnknownTags", expected: "no tagged fields",
		},
		{
			name: "an unknown tag that is known in this version",
			k:    kind{KeyApiVersions, 3, true}, m: &ApiVersionsResponse{UnknownTags: UnknownTags{"\x01\x00"}},
			path: "UnknownTags", expected: "tag 1 is a known field",
		},
		{
			name: "a string that is too long",
			k:    kind{KeyDescribeConfigs, 4, false},
			m:    &DescribeConfigsRequest{Resources: []DescribeConfigsResource{{}, {ConfigurationKeys: []string{"a", strings.Repeat("b", 1<<15)}}}},
			path: "Resources[1].ConfigurationKeys[1]", expected: "longer than 32767",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.k.encode(test.m)
			if test.path == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var codec *CodecError
			if !errors.As(err, &codec) {
				t.Fatalf("error is %v", err)
			}
			if codec.Path != test.path || !strings.Contains(codec.Reason, test.expected) || codec.Reading || codec.Version != test.k.version {
				t.Errorf("error is %+v", codec)
			}
		})
	}
}

// produced is a response about two partitions, the second with a window.
func produced(window int32) *ProduceResponse {
	a, b := NewPartitionProduceResponse(), NewPartitionProduceResponse()
	b.ProducerStateBatchesToRetain = window
	return &ProduceResponse{Responses: []TopicProduceResponse{{PartitionResponses: []PartitionProduceResponse{a, b}}}}
}

// KIP-1269 puts the window into tag 1 of the partition's struct, where tag 0 is the current leader.
func TestProduce14CarriesTheWindowInTheTagsOfThePartition(t *testing.T) {
	m := NewPartitionProduceResponse()
	m.Index, m.BaseOffset, m.LogAppendTimeMs, m.LogStartOffset = 3, 4, 5, 6
	m.CurrentLeader = LeaderIdAndEpoch{LeaderID: 1, LeaderEpoch: 2}
	m.ProducerStateBatchesToRetain = 20
	resp := &ProduceResponse{
		Responses: []TopicProduceResponse{{TopicID: UUID{15: 9}, PartitionResponses: []PartitionProduceResponse{m}}},
	}
	want := []byte{
		1, 2, 3, 4, 0, // header: correlation id, no tags
		2,                                              // one topic
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, // its id
		2,          // one partition
		0, 0, 0, 3, // index
		0, 0, // error code
		0, 0, 0, 0, 0, 0, 0, 4, // base offset
		0, 0, 0, 0, 0, 0, 0, 5, // log append time
		0, 0, 0, 0, 0, 0, 0, 6, // log start offset
		1,                               // no record errors
		0,                               // no error message
		2,                               // two tags
		0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, // tag 0: leader, epoch, no tags
		1, 4, 0, 0, 0, 20, // tag 1: window
		0,          // no tags of the topic
		0, 0, 0, 0, // throttle time
		0, // no tags
	}
	k := kind{KeyProduce, 14, true}
	if got := mustEncode(t, k, resp); !bytes.Equal(got, want) {
		t.Errorf("wrote %x\nwant  %x", got, want)
	}
	got, err := k.decode(want)
	if err != nil {
		t.Fatal(err)
	}
	if p := got.(*ProduceResponse).Responses[0].PartitionResponses[0]; p.ProducerStateBatchesToRetain != 20 || p.CurrentLeader.LeaderID != 1 {
		t.Errorf("read %+v", p)
	}

	// Version 13 doesn't know the tag: it is kept, and the field has its default.
	k.version = 13
	got, err = k.decode(want)
	if err != nil {
		t.Fatal(err)
	}
	if p := got.(*ProduceResponse).Responses[0].PartitionResponses[0]; p.ProducerStateBatchesToRetain != DefaultBatchesToRetain || p.UnknownTags.raw == "" {
		t.Errorf("read %+v", p)
	}
	if again := mustEncode(t, k, got); !bytes.Equal(again, want) {
		t.Errorf("wrote %x\nwant  %x", again, want)
	}
}

func TestProduce14IsRequestedAs13(t *testing.T) {
	m := &ProduceRequest{
		TransactionalID: StringOf("tx"), Acks: -1, TimeoutMs: 1000,
		TopicData: []TopicProduceData{{TopicID: UUID{1}, PartitionData: []PartitionProduceData{{Index: 1, Records: []byte("records")}}}},
	}
	v13, v14 := mustEncode(t, kind{KeyProduce, 13, false}, m), mustEncode(t, kind{KeyProduce, 14, false}, m)
	v13[3] = 14 // the version in the header
	if !bytes.Equal(v13, v14) {
		t.Errorf("v13 %x\nv14 %x", v13, v14)
	}
}

func TestUnknownTagsAreMergedWithKnownOnesInOrder(t *testing.T) {
	m := NewApiVersionsResponse()
	m.FinalizedFeaturesEpoch = 7
	m.ZkMigrationReady = true
	m.UnknownTags.raw = "\x04\x01a" + "\x90\x01\x00"
	k := kind{KeyApiVersions, 3, true}
	want := append([]byte{1, 2, 3, 4, 0, 0, 1, 0, 0, 0, 0},
		4,
		1, 8, 0, 0, 0, 0, 0, 0, 0, 7,
		3, 1, 1,
		4, 1, 'a',
		0x90, 1, 0,
	)
	if got := mustEncode(t, k, m); !bytes.Equal(got, want) {
		t.Fatalf("wrote %x\nwant  %x", got, want)
	}

	// No message has an unknown tag below a known one yet.
	var epoch int64
	var raw UnknownTags
	read := &Codec{flexible: true, in: []byte("\x03\x01\x01a\x05\x08\x00\x00\x00\x00\x00\x00\x00\x07\x06\x01b")}
	read.text = string(read.in)
	read.Tags(&raw, Tag(5, 0, &epoch, -1, (*Codec).Int64))
	if read.err != nil || epoch != 7 || raw.raw != "\x01\x01a\x06\x01b" {
		t.Fatalf("read %d and %x: %v", epoch, raw.raw, read.err)
	}
	write := &Codec{mode: writing, flexible: true}
	write.Tags(&raw, Tag(5, 0, &epoch, -1, (*Codec).Int64))
	if !bytes.Equal(write.out, read.in) {
		t.Errorf("wrote %x\nread  %x", write.out, read.in)
	}
}

func TestALongTaggedFieldHasALongSize(t *testing.T) {
	m := NewApiVersionsResponse()
	for range 40 {
		m.SupportedFeatures = append(m.SupportedFeatures, SupportedFeatureKey{Name: strings.Repeat("f", 20)})
	}
	k := kind{KeyApiVersions, 4, true}
	got, err := k.decode(mustEncode(t, k, m))
	if err != nil || len(got.(*ApiVersionsResponse).SupportedFeatures) != 40 {
		t.Fatal(got, err)
	}
}

func TestReadErrorsNameTheField(t *testing.T) {
	m := NewMetadataResponse()
	topic := NewMetadataResponseTopic()
	topic.Name = StringOf("orders")
	topic.Partitions = []MetadataResponsePartition{NewMetadataResponsePartition(), {ReplicaNodes: []int32{1, 2, 3}}}
	m.Topics = append(m.Topics, NewMetadataResponseTopic(), topic)
	m.Topics[0].Name = StringOf("")
	k := kind{KeyMetadata, 12, true}
	frame := mustEncode(t, k, m)
	end := bytes.Index(frame, []byte{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3})
	_, err := k.decode(frame[:end+6])
	want := "read MetadataResponse v12 field Topics[1].Partitions[1].ReplicaNodes at byte " // 3 elements don't fit
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	internal := bytes.Index(frame, []byte("orders")) + len("orders") + len(UUID{})
	frame[internal] = 2
	_, err = k.decode(frame)
	want = fmt.Sprintf("read MetadataResponse v12 field Topics[1].IsInternal at byte %d: 2 is not a boolean", internal)
	if err == nil || err.Error() != want {
		t.Error(err)
	}
}

func TestVersionRangesIntersect(t *testing.T) {
	for _, test := range []struct {
		a, b, both VersionRange
		ok         bool
	}{
		{VersionRange{0, 13}, VersionRange{4, 20}, VersionRange{4, 13}, true},
		{VersionRange{3, 14}, VersionRange{0, 3}, VersionRange{3, 3}, true},
		{VersionRange{3, 14}, VersionRange{0, 2}, VersionRange{}, false},
		{VersionRange{0, 2}, VersionRange{3, 14}, VersionRange{}, false},
	} {
		if both, ok := test.a.Intersect(test.b); both != test.both || ok != test.ok {
			t.Errorf("%s and %s have %s in common: %v", test.a, test.b, both, ok)
		}
	}
}

func TestStructsWithoutADefaultOfZeroAreMeasuredAsSmallAsTheyCanBe(t *testing.T) {
	for version, want := range map[int16]int{3: 22, 5: 30, 8: 36, 9: 33, 14: 33} {
		c := &Codec{version: version, flexible: Flexible(KeyProduce, version)}
		if got := minSize[PartitionProduceResponse](c); got != want {
			t.Errorf("v%d takes at least %d bytes, not %d", version, want, got)
		}
	}
}
