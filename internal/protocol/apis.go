package protocol

import (
	"fmt"
	"strconv"
)

// APIKey says which API a request calls.
type APIKey int16

// The APIs this package speaks.
const (
	KeyProduce                     APIKey = 0
	KeyFetch                       APIKey = 1
	KeyListOffsets                 APIKey = 2
	KeyMetadata                    APIKey = 3
	KeyOffsetFetch                 APIKey = 9
	KeyFindCoordinator             APIKey = 10
	KeySaslHandshake               APIKey = 17
	KeyApiVersions                 APIKey = 18
	KeyCreateTopics                APIKey = 19
	KeyDeleteTopics                APIKey = 20
	KeyInitProducerId              APIKey = 22
	KeyAddPartitionsToTxn          APIKey = 24
	KeyAddOffsetsToTxn             APIKey = 25
	KeyEndTxn                      APIKey = 26
	KeyWriteTxnMarkers             APIKey = 27
	KeyTxnOffsetCommit             APIKey = 28
	KeyDescribeAcls                APIKey = 29
	KeyCreateAcls                  APIKey = 30
	KeyDeleteAcls                  APIKey = 31
	KeyDescribeConfigs             APIKey = 32
	KeyDescribeLogDirs             APIKey = 35
	KeySaslAuthenticate            APIKey = 36
	KeyCreatePartitions            APIKey = 37
	KeyElectLeaders                APIKey = 43
	KeyIncrementalAlterConfigs     APIKey = 44
	KeyAlterPartitionReassignments APIKey = 45
	KeyListPartitionReassignments  APIKey = 46
	KeyUpdateFeatures              APIKey = 57
	KeyDescribeCluster             APIKey = 60
	KeyDescribeProducers           APIKey = 61
	KeyDescribeTransactions        APIKey = 65
	KeyListTransactions            APIKey = 66
	KeyDescribeTopicPartitions     APIKey = 75
)

// api is what there is to know of an API that isn't in its fields.
type api struct {
	name         string
	min, max     int16
	flexibleFrom int16 // versions from this one on have compact lengths, tagged fields and the newer headers
	request      func() Request
}

// never is flexibleFrom of an API without such versions.
const never = newest

// apis are all APIs this package speaks. The oldest versions are those of Kafka 3.x, which 4.x no longer accepts.
var apis = map[APIKey]api{
	KeyProduce:                     {"Produce", 3, 14, 9, func() Request { return new(ProduceRequest) }},
	KeyFetch:                       {"Fetch", 4, 18, 12, func() Request { return new(FetchRequest) }},
	KeyListOffsets:                 {"ListOffsets", 1, 11, 6, func() Request { return new(ListOffsetsRequest) }},
	KeyMetadata:                    {"Metadata", 0, 13, 9, func() Request { return new(MetadataRequest) }},
	KeyOffsetFetch:                 {"OffsetFetch", 1, 10, 6, func() Request { return new(OffsetFetchRequest) }},
	KeyFindCoordinator:             {"FindCoordinator", 0, 6, 3, func() Request { return new(FindCoordinatorRequest) }},
	KeySaslHandshake:               {"SaslHandshake", 0, 1, never, func() Request { return new(SaslHandshakeRequest) }},
	KeyApiVersions:                 {"ApiVersions", 0, 5, 3, func() Request { return new(ApiVersionsRequest) }},
	KeyCreateTopics:                {"CreateTopics", 0, 7, 5, func() Request { return new(CreateTopicsRequest) }},
	KeyDeleteTopics:                {"DeleteTopics", 0, 6, 4, func() Request { return new(DeleteTopicsRequest) }},
	KeyInitProducerId:              {"InitProducerId", 0, 6, 2, func() Request { return new(InitProducerIdRequest) }},
	KeyAddPartitionsToTxn:          {"AddPartitionsToTxn", 0, 5, 3, func() Request { return new(AddPartitionsToTxnRequest) }},
	KeyAddOffsetsToTxn:             {"AddOffsetsToTxn", 0, 4, 3, func() Request { return new(AddOffsetsToTxnRequest) }},
	KeyEndTxn:                      {"EndTxn", 0, 5, 3, func() Request { return new(EndTxnRequest) }},
	KeyWriteTxnMarkers:             {"WriteTxnMarkers", 0, 2, 1, func() Request { return new(WriteTxnMarkersRequest) }},
	KeyTxnOffsetCommit:             {"TxnOffsetCommit", 0, 6, 3, func() Request { return new(TxnOffsetCommitRequest) }},
	KeyDescribeAcls:                {"DescribeAcls", 0, 3, 2, func() Request { return new(DescribeAclsRequest) }},
	KeyCreateAcls:                  {"CreateAcls", 0, 3, 2, func() Request { return new(CreateAclsRequest) }},
	KeyDeleteAcls:                  {"DeleteAcls", 0, 3, 2, func() Request { return new(DeleteAclsRequest) }},
	KeyDescribeConfigs:             {"DescribeConfigs", 0, 4, 4, func() Request { return new(DescribeConfigsRequest) }},
	KeyDescribeLogDirs:             {"DescribeLogDirs", 0, 5, 2, func() Request { return new(DescribeLogDirsRequest) }},
	KeySaslAuthenticate:            {"SaslAuthenticate", 0, 2, 2, func() Request { return new(SaslAuthenticateRequest) }},
	KeyCreatePartitions:            {"CreatePartitions", 0, 3, 2, func() Request { return new(CreatePartitionsRequest) }},
	KeyElectLeaders:                {"ElectLeaders", 0, 2, 2, func() Request { return new(ElectLeadersRequest) }},
	KeyIncrementalAlterConfigs:     {"IncrementalAlterConfigs", 0, 1, 1, func() Request { return new(IncrementalAlterConfigsRequest) }},
	KeyAlterPartitionReassignments: {"AlterPartitionReassignments", 0, 1, 0, func() Request { return new(AlterPartitionReassignmentsRequest) }},
	KeyListPartitionReassignments:  {"ListPartitionReassignments", 0, 0, 0, func() Request { return new(ListPartitionReassignmentsRequest) }},
	KeyUpdateFeatures:              {"UpdateFeatures", 0, 2, 0, func() Request { return new(UpdateFeaturesRequest) }},
	KeyDescribeCluster:             {"DescribeCluster", 0, 2, 0, func() Request { return new(DescribeClusterRequest) }},
	KeyDescribeProducers:           {"DescribeProducers", 0, 0, 0, func() Request { return new(DescribeProducersRequest) }},
	KeyDescribeTransactions:        {"DescribeTransactions", 0, 0, 0, func() Request { return new(DescribeTransactionsRequest) }},
	KeyListTransactions:            {"ListTransactions", 0, 2, 0, func() Request { return new(ListTransactionsRequest) }},
	KeyDescribeTopicPartitions:     {"DescribeTopicPartitions", 0, 0, 0, func() Request { return new(DescribeTopicPartitionsRequest) }},
}

// String is Kafka's name for the API, or its number if this package doesn't speak it.
func (k APIKey) String() string {
	if a, ok := apis[k]; ok {
		return a.name
	}
	return "API " + strconv.Itoa(int(k))
}

// VersionRange is the versions from Min to Max, both included.
type VersionRange struct{ Min, Max int16 }

func (r VersionRange) String() string { return fmt.Sprintf("%d–%d", r.Min, r.Max) }

// Contains says whether version is one of the range.
func (r VersionRange) Contains(version int16) bool { return r.Min <= version && version <= r.Max }

// Intersect is the versions that are in both ranges, if any.
func (r VersionRange) Intersect(other VersionRange) (VersionRange, bool) {
	both := VersionRange{Min: max(r.Min, other.Min), Max: min(r.Max, other.Max)}
	if both.Min > both.Max {
		return VersionRange{}, false
	}
	return both, true
}

// Supported is the versions of an API that this package reads and writes, if it speaks it at all.
func Supported(key APIKey) (VersionRange, bool) {
	a, ok := apis[key]
	return VersionRange{Min: a.min, Max: a.max}, ok
}

// Flexible says whether a version of an API has compact lengths and tagged fields.
func Flexible(key APIKey, version int16) bool {
	a, ok := apis[key]
	return ok && version >= a.flexibleFrom
}
