package protocol

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var keepAnswers = flag.Bool("keep-answers", false, "keep what real brokers answer in testdata")

// Every request that a broker accepts is sent to it in every version that it says it speaks. It understands them, and what it
// answers is read, without an error code that wasn't asked for, and written back to the same bytes.
func TestRealBrokersUnderstandAndAreUnderstood(t *testing.T) {
	for _, test := range []struct {
		version    string
		properties []string
	}{
		{version: "3.7.0"},
		{version: "3.9.1"},
		{version: "4.0.0"},
		{version: "4.4.0", properties: []string{"unstable.api.versions.enable", "true"}}, // for InitProducerId 6
	} {
		t.Run(test.version, func(t *testing.T) {
			b := startBroker(t, test.version, test.properties...)
			b.askEverything(t)
			for key, versions := range b.versions {
				for version := versions.Min; version <= versions.Max; version++ {
					if k := (kind{key, version, true}); b.answers[k] == nil {
						t.Errorf("%s was not asked for", k)
					}
				}
			}
			t.Logf("%d answers of %d APIs", len(b.answers), len(b.versions))
			if *keepAnswers {
				keep(t, test.version, b.answers)
			}
		})
	}
}

// each asks for something in all versions.
func (b *realBroker) each(t *testing.T, key APIKey, request func(version int16) Request, expected ...ErrorCode) {
	t.Run(key.String(), func(t *testing.T) {
		b.t = t
		w := b.dial("PLAINTEXT")
		versions, spoken := b.versions[key]
		if !spoken {
			t.Skip("is not spoken")
		}
		for version := versions.Min; version <= versions.Max; version++ {
			assertCodes(t, w.ask(t, version, request(version)), expected...)
		}
	})
}

func (b *realBroker) askEverything(t *testing.T) {
	orders := b.setUp()
	onTopic := []DescribeConfigsResource{{ResourceType: ResourceTopic, ResourceName: ordersTopic}}

	b.each(t, KeyApiVersions, func(int16) Request {
		return &ApiVersionsRequest{ClientSoftwareName: "test", ClientSoftwareVersion: "1", NodeID: -1}
	})
	b.each(t, KeyMetadata, func(version int16) Request {
		req := NewMetadataRequest()
		req.AllowAutoTopicCreation = version < 4
		req.IncludeClusterAuthorizedOperations = version >= 8 && version <= 10
		req.IncludeTopicAuthorizedOperations = version >= 8
		return req
	})
	b.each(t, KeyDescribeCluster, func(version int16) Request {
		req := NewDescribeClusterRequest()
		req.IncludeClusterAuthorizedOperations, req.IncludeFencedBrokers = true, version >= 2
		return req
	})

	b.each(t, KeyCreateTopics, func(version int16) Request {
		return &CreateTopicsRequest{TimeoutMs: 10000, Topics: []CreatableTopic{{
			Name: fmt.Sprintf("made-%d", version), NumPartitions: -1, ReplicationFactor: -1,
			Assignments: []CreatableReplicaAssignment{{PartitionIndex: 0, BrokerIDs: []int32{1}}},
			Configs:     []CreatableTopicConfig{{Name: "retention.ms", Value: StringOf("60000")}},
		}}}
	})
	b.each(t, KeyCreatePartitions, func(int16) Request {
		topic := CreatePartitionsTopic{Name: ordersTopic, Count: 3, Assignments: []CreatePartitionsAssignment{{BrokerIDs: []int32{1}}}}
		return &CreatePartitionsRequest{Topics: []CreatePartitionsTopic{topic}, TimeoutMs: 10000, ValidateOnly: true}
	})
	b.each(t, KeyDescribeConfigs, func(version int16) Request { // all of them, documentation included
		return &DescribeConfigsRequest{Resources: onTopic, IncludeSynonyms: version >= 1, IncludeDocumentation: version >= 3}
	})
	b.each(t, KeyDescribeConfigs, func(version int16) Request { // few, to be kept
		few := slices.Clone(onTopic)
		few[0].ConfigurationKeys = []string{"retention.ms", "cleanup.policy"}
		return &DescribeConfigsRequest{Resources: few, IncludeSynonyms: version >= 1, IncludeDocumentation: version >= 3}
	})
	b.each(t, KeyIncrementalAlterConfigs, func(int16) Request {
		return &IncrementalAlterConfigsRequest{Resources: []AlterConfigsResource{{
			ResourceType: ResourceTopic, ResourceName: ordersTopic,
			Configs: []AlterableConfig{{Name: "retention.ms", ConfigOperation: ConfigOperationSet, Value: StringOf("3600000")}},
		}}}
	})
	b.each(t, KeyDescribeTopicPartitions, func(int16) Request {
		req := NewDescribeTopicPartitionsRequest()
		req.Topics, req.ResponsePartitionLimit = []DescribeTopicPartitionsTopicRequest{{Name: ordersTopic}}, 1
		req.Cursor = &DescribeTopicPartitionsCursor{TopicName: ordersTopic}
		return req
	})
	b.each(t, KeyDescribeLogDirs, func(int16) Request { return new(DescribeLogDirsRequest) })
	b.each(t, KeyElectLeaders, func(int16) Request {
		req := NewElectLeadersRequest()
		req.TopicPartitions = []ElectLeadersTopicPartitions{{Topic: ordersTopic, Partitions: []int32{0}}}
		return req
	}, CodeElectionNotNeeded)
	b.each(t, KeyAlterPartitionReassignments, func(int16) Request {
		req := NewAlterPartitionReassignmentsRequest()
		req.Topics = []ReassignableTopic{{Name: ordersTopic, Partitions: []ReassignablePartition{{0, []int32{1}, UnknownTags{}}, {1, nil, UnknownTags{}}}}}
		return req
	}, CodeNoReassignmentInProgress)
	b.each(t, KeyListPartitionReassignments, func(int16) Request { return NewListPartitionReassignmentsRequest() })
	b.each(t, KeyUpdateFeatures, func(version int16) Request {
		req := NewUpdateFeaturesRequest()
		update := NewFeatureUpdateKey()
		update.Feature, update.MaxVersionLevel = "no.such.feature", 1
		req.FeatureUpdates, req.ValidateOnly = []FeatureUpdateKey{update}, version >= 1
		return req
	}, CodeInvalidUpdateVersion)

	b.askAboutAccess(t)
	b.askAboutTransactions(t, orders)

	b.each(t, KeyDeleteTopics, func(version int16) Request {
		name := fmt.Sprintf("made-%d", version+1) // versions of CreateTopics go further
		if version < 6 {
			return &DeleteTopicsRequest{TimeoutMs: 10000, TopicNames: []string{name}}
		}
		return &DeleteTopicsRequest{TimeoutMs: 10000, Topics: []DeleteTopicState{{Name: StringOf(name)}}}
	}, CodeUnknownTopicOrPartition)
}

func (b *realBroker) askAboutAccess(t *testing.T) {
	b.each(t, KeyCreateAcls, func(int16) Request {
		acl := NewAclCreation()
		acl.ResourceType, acl.ResourceName, acl.Principal, acl.Host = ACLResourceTopic, ordersTopic, "User:client", "*"
		acl.Operation, acl.PermissionType = OperationWrite, PermissionAllow
		return &CreateAclsRequest{Creations: []AclCreation{acl}}
	})
	b.each(t, KeyDescribeAcls, func(int16) Request {
		req := NewDescribeAclsRequest()
		req.ResourceTypeFilter, req.Operation, req.PermissionType = ACLResourceAny, OperationAny, PermissionAny
		return req
	})
	b.each(t, KeyDeleteAcls, func(int16) Request {
		filter := NewDeleteAclsFilter()
		filter.ResourceTypeFilter, filter.Operation, filter.PermissionType = ACLResourceTopic, OperationAny, PermissionAny
		filter.ResourceNameFilter = StringOf(ordersTopic)
		return &DeleteAclsRequest{Filters: []DeleteAclsFilter{filter}}
	})
	t.Run("Sasl", func(t *testing.T) {
		b.t = t
		for version := int16(0); version <= b.versions[KeySaslHandshake].Max; version++ {
			assertCodes(t, b.dial("CLIENT").ask(t, version, &SaslHandshakeRequest{Mechanism: "PLAIN"}))
		}
		for version := int16(0); version <= b.versions[KeySaslAuthenticate].Max; version++ {
			resp := b.dial("CLIENT").logIn(t, version)
			assertCodes(t, resp)
			if lifetime := resp.(*SaslAuthenticateResponse).SessionLifetimeMs; (lifetime > 0) != (version > 0) {
				t.Errorf("a session of v%d lasts %d ms", version, lifetime)
			}
		}
	})
}

func (b *realBroker) askAboutTransactions(t *testing.T, orders UUID) {
	b.each(t, KeyFindCoordinator, func(version int16) Request {
		switch {
		case version == 0:
			return &FindCoordinatorRequest{CoordinatorKey: billsGroup}
		case version < 4:
			return &FindCoordinatorRequest{CoordinatorKey: billsTxn, KeyType: CoordinatorTransaction}
		}
		return &FindCoordinatorRequest{CoordinatorKeys: []string{billsTxn, "b"}, KeyType: CoordinatorTransaction}
	})
	b.each(t, KeyInitProducerId, func(int16) Request {
		req := NewInitProducerIdRequest()
		req.TransactionalID, req.TransactionTimeoutMs = StringOf("init"), 60000
		return req
	})
	b.each(t, KeyProduce, func(version int16) Request {
		req := producer{id: -1, epoch: -1}.produce(-1)
		if version >= 13 {
			req.TopicData[0].TopicID = orders
		}
		return req
	})
	b.each(t, KeyAddPartitionsToTxn, func(version int16) Request {
		p := b.producer(billsTxn)
		if version < 4 {
			return p.addPartition()
		}
		return &AddPartitionsToTxnRequest{Transactions: []AddPartitionsToTxnTransaction{{
			TransactionalID: p.txn, ProducerID: p.id, ProducerEpoch: p.epoch,
			Topics: []AddPartitionsToTxnTopic{{Name: ordersTopic, Partitions: []int32{0, 1}}},
		}}}
	})
	b.each(t, KeyAddOffsetsToTxn, func(int16) Request {
		p := b.producer(billsTxn)
		return &AddOffsetsToTxnRequest{TransactionalID: p.txn, ProducerID: p.id, ProducerEpoch: p.epoch, GroupID: billsGroup}
	})
	b.each(t, KeyTxnOffsetCommit, func(version int16) Request {
		p := b.producer(billsTxn)
		if version < 5 {
			b.ask(&AddOffsetsToTxnRequest{TransactionalID: p.txn, ProducerID: p.id, ProducerEpoch: p.epoch, GroupID: billsGroup})
		}
		return p.commitOffset(orders)
	})
	b.each(t, KeyEndTxn, func(version int16) Request { return b.begin(billsTxn).end(version%2 == 0) })
	b.each(t, KeyWriteTxnMarkers, func(int16) Request { return b.begin("marked").mark(false) })
	b.begin(billsTxn)
	b.each(t, KeyListTransactions, func(version int16) Request {
		req := NewListTransactionsRequest()
		req.StateFilters = []string{"Ongoing", "no such state"}
		if version >= 1 {
			req.DurationFilter = 0
		}
		if version >= 2 {
			req.TransactionalIDPattern = StringOf("bills-[0-9]")
		}
		return req
	})
	b.each(t, KeyDescribeTransactions, func(int16) Request {
		return &DescribeTransactionsRequest{TransactionalIDs: []string{billsTxn, "nobody"}}
	}, CodeTransactionalIDNotFound)
	b.each(t, KeyDescribeProducers, func(int16) Request {
		return &DescribeProducersRequest{Topics: []DescribeProducersTopicRequest{{Name: ordersTopic, PartitionIndexes: []int32{0}}}}
	})
	b.each(t, KeyListOffsets, func(version int16) Request {
		topic := ListOffsetsTopic{Name: ordersTopic, Partitions: []ListOffsetsPartition{NewListOffsetsPartition()}}
		topic.Partitions[0].Timestamp = TimestampEarliest
		if version >= 7 {
			topic.Partitions[0].Timestamp = TimestampMax
		}
		return &ListOffsetsRequest{ReplicaID: -1, Topics: []ListOffsetsTopic{topic}, TimeoutMs: 1000}
	})
	b.each(t, KeyFetch, func(int16) Request {
		req := fetch(orders)
		req.Topics[0].Partitions[0].PartitionMaxBytes = 300 // few, to be kept
		return req
	})
	t.Run("Fetch shows what was aborted", func(t *testing.T) { b.assertMarkers(t, orders) })
	b.each(t, KeyOffsetFetch, func(version int16) Request {
		req := &OffsetFetchRequest{GroupID: billsGroup, Topics: []OffsetFetchRequestTopic{{Name: ordersTopic, PartitionIndexes: []int32{0}}}}
		if version >= 8 {
			req = allOffsets(billsGroup)
			req.Groups[0].Topics = []OffsetFetchRequestTopics{{Name: ordersTopic, TopicID: orders, PartitionIndexes: []int32{0}}}
		}
		return req
	})
}

// commitOffset commits an offset of the group, which has no members.
func (p producer) commitOffset(orders UUID) *TxnOffsetCommitRequest {
	req := NewTxnOffsetCommitRequest()
	req.TransactionalID, req.GroupID, req.ProducerID, req.ProducerEpoch = p.txn, billsGroup, p.id, p.epoch
	offset := NewTxnOffsetCommitRequestPartition()
	offset.CommittedOffset, offset.CommittedMetadata = 1, StringOf("metadata")
	req.Topics = []TxnOffsetCommitRequestTopic{{Name: ordersTopic, TopicID: orders, Partitions: []TxnOffsetCommitRequestPartition{offset}}}
	return req
}

// mark ends the transaction where it has written, without its coordinator.
func (p producer) mark(commit bool) *WriteTxnMarkersRequest {
	return &WriteTxnMarkersRequest{Markers: []WritableTxnMarker{{
		ProducerID: p.id, ProducerEpoch: p.epoch, TransactionResult: commit,
		Topics: []WritableTxnMarkerTopic{{Name: ordersTopic, PartitionIndexes: []int32{0}}},
	}}}
}

// fetch reads the topic from the beginning, as far as it is committed.
func fetch(orders UUID) *FetchRequest {
	req := NewFetchRequest()
	req.MaxWaitMs, req.IsolationLevel = 100, ReadCommitted
	partition := NewFetchPartition()
	partition.PartitionMaxBytes = math.MaxInt32
	req.Topics = []FetchTopic{{Topic: ordersTopic, TopicID: orders, Partitions: []FetchPartition{partition}}}
	return req
}

// assertMarkers reads the log: as many transactions were aborted as the broker says, and as many markers say so.
func (b *realBroker) assertMarkers(t *testing.T, orders UUID) {
	b.t = t
	resp := b.ask(fetch(orders)).(*FetchResponse)
	partition := resp.Responses[0].Partitions[0]
	var committed, aborted, data int
	for rest := partition.Records; len(rest) > 0; {
		var batch *RecordBatch
		var err error
		if batch, rest, err = DecodeRecordBatch(rest); err != nil {
			t.Fatal(err)
		}
		marker, isMarker, err := batch.TxnMarker()
		switch {
		case err != nil:
			t.Fatal(err)
		case isMarker && marker.Committed:
			committed++
		case isMarker:
			aborted++
		case batch.IsControl():
			t.Errorf("%+v is control, but no marker", batch)
		default:
			data++
		}
	}
	if aborted < 3 || len(partition.AbortedTransactions) == 0 || committed < 2 || data < 5 || partition.LastStableOffset >= partition.HighWatermark {
		t.Errorf("%d batches, %d markers commit and %d abort, and %+v", data, committed, aborted, partition)
	}
}

// keep writes answers to testdata, but for those that tell where on this machine they came from.
func keep(t *testing.T, version string, answers map[kind][]byte) {
	var text strings.Builder
	fmt.Fprintf(&text, "# What Apache Kafka %s answered, as frames without their size. Written by: go test ./internal/protocol -run RealBrokers -keep-answers\n", version)
	order := kinds()
	for _, k := range slices.SortedFunc(maps.Keys(answers), func(a, b kind) int { return slices.Index(order, a) - slices.Index(order, b) }) {
		if k.key != KeyDescribeLogDirs && len(answers[k]) < 8<<10 {
			fmt.Fprintf(&text, "%d %d %x\n", k.key, k.version, answers[k])
		}
	}
	if err := os.WriteFile(filepath.Join("testdata", "kafka-"+version+".txt"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keptAnswers are what real brokers have answered, by file.
func keptAnswers(t testing.TB) map[string]map[kind][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "kafka-*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no answers are kept", err)
	}
	all := map[string]map[kind][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answers := map[kind][]byte{}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			k := kind{response: true}
			var digits string
			if _, err := fmt.Sscan(line, &k.key, &k.version, &digits); err != nil {
				t.Fatal(err)
			}
			if answers[k], err = hex.DecodeString(digits); err != nil {
				t.Fatal(err)
			}
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txt")] = answers
	}
	return all
}

func TestKeptAnswersOfRealBrokersAreRead(t *testing.T) {
	for name, answers := range keptAnswers(t) {
		t.Run(name, func(t *testing.T) {
			if len(answers) < 80 {
				t.Errorf("only %d are kept", len(answers))
			}
			for k, frame := range answers {
				m := k.empty().(Response)
				id, err := DecodeResponse(frame, k.version, m)
				if err != nil {
					t.Fatalf("%s: %v", k, err)
				}
				if again, err := AppendResponse(nil, k.version, id, m); err != nil || !bytes.Equal(again[4:], frame) {
					t.Errorf("%s\nread  %x\nwrote %x\n%v", k, frame, again, err)
				}
				for n := range frame {
					var codec *CodecError
					if _, err := k.decode(frame[:n]); !errors.As(err, &codec) {
						t.Fatalf("%s: the first %d of %d bytes: %v", k, n, len(frame), err)
					}
				}
			}
		})
	}
}
