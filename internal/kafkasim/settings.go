package kafkasim

import (
	"slices"
	"strconv"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// A layer is one place where broker settings come from.
type layer struct {
	source int8
	values map[string]string
}

// layers are a broker's settings, the ones that win first; defaults are not among them.
func (b *broker) layers(m *image) []layer {
	return []layer{
		{protocol.ConfigSourceDynamicBroker, m.configs[strconv.Itoa(int(b.id))]},
		{protocol.ConfigSourceDynamicDefaultBroker, m.configs[""]},
		{protocol.ConfigSourceStaticBroker, b.static},
	}
}

// setting is the broker's value of one of its keys; "" for null.
func (b *broker) setting(m *image, key *configKey) string {
	if v, set := b.explicit(m, key.name); set {
		return v
	}
	if key.def == nil {
		return ""
	}
	return *key.def
}

func (b *broker) explicit(m *image, name string) (string, bool) {
	for _, l := range b.layers(m) {
		if v, set := l.values[name]; set {
			return v, true
		}
	}
	return "", false
}

// topicSetting is the value of a topic key on this broker: the topic's own, or else the broker's, of which the one in
// milliseconds wins over those in minutes and hours.
func (b *broker) topicSetting(m *image, key *configKey, overrides map[string]string) string {
	if v, set := overrides[key.name]; set {
		return v
	}
	for _, synonym := range key.synonyms {
		if v, set := b.explicit(m, synonym); set {
			return inTopicUnit(synonym, v)
		}
	}
	if key.def == nil {
		return ""
	}
	return *key.def
}

// inTopicUnit converts log.retention.hours and the like to milliseconds.
func inTopicUnit(brokerKey, v string) string {
	unit := map[string]int64{
		"log.retention.minutes": 60_000, "log.retention.hours": 3_600_000, "log.roll.hours": 3_600_000, "log.roll.jitter.hours": 3_600_000,
	}[brokerKey]
	if n, err := strconv.ParseInt(v, 10, 64); err == nil && unit > 0 {
		return strconv.FormatInt(n*unit, 10)
	}
	return v
}

// brokerSynonyms are the broker keys that stand for the same setting.
func brokerSynonyms(name string) []string {
	for _, family := range [][]string{
		{"log.roll.ms", "log.roll.hours"},
		{"log.roll.jitter.ms", "log.roll.jitter.hours"},
		{"log.retention.ms", "log.retention.minutes", "log.retention.hours"},
	} {
		if slices.Contains(family, name) {
			return family
		}
	}
	if name == "log.flush.interval.ms" {
		return []string{name, "log.flush.scheduler.interval.ms"}
	}
	return []string{name}
}
