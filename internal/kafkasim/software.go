package kafkasim

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// Software is what a broker runs: which versions it speaks, whether it has the dedup window, and what it does as
// controller with a window that newer software has stored.
type Software struct {
	Name string

	// KnowsWindowKey: the topic and broker keys exist, the window has the configured size, and Produce v14 tells it.
	KnowsWindowKey bool

	// KeepsUnknownConfigs is how software without the fix of KAFKA-19851 treats a stored key that it does not know. It
	// keeps it, and refuses every change of that topic until it is deleted; fixed software drops it in silence.
	KeepsUnknownConfigs bool

	// Versions replaces, per API, what DefaultVersions says. Min above Max: the API is unknown.
	Versions map[protocol.APIKey]VersionRange
}

// VersionRange is a range of versions that are accepted; what is advertised differs for Produce only.
type VersionRange struct{ Min, Max int16 }

var (
	// Kafka44 is Apache Kafka 4.4.0.
	Kafka44 = Software{Name: "Apache Kafka 4.4.0"}

	// KIP1269 is Kafka 4.4.0 with KIP-1269.
	KIP1269 = Software{Name: "Apache Kafka 4.4.0 with KIP-1269", KnowsWindowKey: true}

	// Kafka39 is Kafka 3.9 as far as the dedup window is concerned: an old controller that chokes on a key that it
	// doesn't know, and speaks fewer versions.
	Kafka39 = Software{Name: "Apache Kafka 3.9.1", KeepsUnknownConfigs: true, Versions: map[protocol.APIKey]VersionRange{
		protocol.KeyProduce: {0, 11}, protocol.KeyMetadata: {0, 12}, protocol.KeyApiVersions: {0, 4}, protocol.KeyCreateTopics: {0, 7},
		protocol.KeyDeleteTopics: {0, 6}, protocol.KeyInitProducerId: {0, 5}, protocol.KeyDescribeConfigs: {0, 4}, protocol.KeyDescribeCluster: {0, 1},
	}}
)

// versions44 is what Kafka 4.4.0 accepts of the APIs that are simulated.
var versions44 = map[protocol.APIKey]VersionRange{
	protocol.KeyProduce:                 {3, 13},
	protocol.KeyMetadata:                {0, 13},
	protocol.KeyApiVersions:             {0, 5},
	protocol.KeyCreateTopics:            {2, 7},
	protocol.KeyDeleteTopics:            {1, 6},
	protocol.KeyInitProducerId:          {0, 5},
	protocol.KeyDescribeConfigs:         {1, 4},
	protocol.KeyCreatePartitions:        {0, 3},
	protocol.KeyIncrementalAlterConfigs: {0, 1},
	protocol.KeyDescribeCluster:         {0, 2},
}

func (s Software) accepts(key protocol.APIKey, version int16) bool {
	r, known := s.versions(key)
	return known && version >= r.Min && version <= r.Max
}

func (s Software) versions(key protocol.APIKey) (VersionRange, bool) {
	r, known := versions44[key]
	if own, has := s.Versions[key]; has {
		r, known = own, own.Min <= own.Max
	} else if key == protocol.KeyProduce && s.KnowsWindowKey {
		r.Max = 14
	}
	return r, known
}

// advertised is the list in ApiVersions. Kafka 4 says that it speaks Produce from version 0, which librdkafka needs to
// hear (KAFKA-18659), and closes the connection on 0 to 2.
func (s Software) advertised() []protocol.ApiVersion {
	keys := maps.Clone(s.Versions)
	if keys == nil {
		keys = map[protocol.APIKey]VersionRange{}
	}
	maps.Copy(keys, versions44)
	var list []protocol.ApiVersion
	for key := range keys {
		r, known := s.versions(key)
		if !known {
			continue
		}
		if key == protocol.KeyProduce {
			r.Min = 0
		}
		list = append(list, protocol.ApiVersion{APIKey: key, MinVersion: r.Min, MaxVersion: r.Max})
	}
	slices.SortFunc(list, func(a, b protocol.ApiVersion) int { return cmp.Compare(a.APIKey, b.APIKey) })
	return list
}
