package kafkasim

import (
	"slices"
	"strconv"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// describeConfigs answers from what this broker knows: its own software's keys, its own file. Of the brokers only
// itself, and "" for what is set for all.
func (b *broker) describeConfigs(m *image, version int16, req *protocol.DescribeConfigsRequest) *protocol.DescribeConfigsResponse {
	resp := &protocol.DescribeConfigsResponse{}
	for _, r := range req.Resources {
		d := describer{broker: b, image: m, request: req, version: version, keys: r.ConfigurationKeys}
		result := protocol.DescribeConfigsResult{ResourceType: r.ResourceType, ResourceName: r.ResourceName, ErrorMessage: protocol.StringOf("")} // not null, unlike everywhere else
		var err *apiError
		switch r.ResourceType {
		case protocol.ResourceTopic:
			result.Configs, err = d.topic(r.ResourceName)
		case protocol.ResourceBroker:
			result.Configs, err = d.brokerResource(r.ResourceName)
		default:
			err = failure(protocol.CodeInvalidRequest, "Unsupported resource type: %d", r.ResourceType)
		}
		err.set(&result.ErrorCode, &result.ErrorMessage)
		resp.Results = append(resp.Results, result)
	}
	return resp
}

// A describer describes one resource.
type describer struct {
	broker  *broker
	image   *image
	request *protocol.DescribeConfigsRequest
	version int16
	keys    []string // empty: all
}

func (d describer) wants(key string) bool { return len(d.keys) == 0 || slices.Contains(d.keys, key) }

func (d describer) topic(name string) ([]protocol.DescribeConfigsResourceResult, *apiError) {
	if why := invalidTopicName(name); why != "" {
		return nil, failure(protocol.CodeInvalidTopicException, "%s", why)
	}
	t := d.image.topics[name]
	if t == nil {
		return nil, failure(protocol.CodeUnknownTopicOrPartition, "")
	}
	s := topicSchema(d.broker.software.KnowsWindowKey)
	var list []protocol.DescribeConfigsResourceResult
	for i := range s.keys {
		key := &s.keys[i]
		if _, set := t.configs[key.name]; d.wants(key.name) && (set || !key.internal) {
			list = append(list, d.topicConfig(key, t.configs))
		}
	}
	// Of a key that this software does not know it only says that it is there; with the fix of KAFKA-19851 it has
	// never read it.
	for _, key := range javaMapOrder(t.configs) {
		if s.byName[key] == nil && d.wants(key) && d.broker.software.KeepsUnknownConfigs {
			list = append(list, d.unknownConfig(key, false, []protocol.DescribeConfigsSynonym{{Name: key, Source: protocol.ConfigSourceTopic}}))
		}
	}
	return list, nil
}

func (d describer) topicConfig(key *configKey, overrides map[string]string) protocol.DescribeConfigsResourceResult {
	shown := protocol.NullString{}
	raw := d.broker.topicSetting(d.image, key, overrides)
	if v, err := key.parse(raw); err == nil {
		shown = protocol.StringOf(v.text)
	}
	var synonyms []protocol.DescribeConfigsSynonym
	if _, set := overrides[key.name]; set {
		synonyms = append(synonyms, protocol.DescribeConfigsSynonym{Name: key.name, Value: shown, Source: protocol.ConfigSourceTopic})
	}
	if len(key.synonyms) > 0 {
		synonyms = append(synonyms, d.brokerSynonyms(key.synonyms[0])...)
	}
	return d.config(key, shown, false, synonyms)
}

func (d describer) brokerResource(name string) ([]protocol.DescribeConfigsResourceResult, *apiError) {
	if name == "" {
		return d.clusterDefaults(), nil
	}
	id, err := strconv.ParseInt(name, 10, 32)
	if err != nil {
		return nil, failure(protocol.CodeInvalidRequest, "Broker id must be an integer, but it is: %s", name)
	}
	if int32(id) != d.broker.id {
		return nil, failure(protocol.CodeInvalidRequest, "Unexpected broker id, expected %d or empty string, but received %s", d.broker.id, name)
	}
	s := brokerSchema(d.broker.software.KnowsWindowKey)
	var list []protocol.DescribeConfigsResourceResult
	for i := range s.keys {
		key := &s.keys[i]
		if !d.wants(key.name) {
			continue
		}
		shown := protocol.NullString{}
		if v, set := d.broker.explicit(d.image, key.name); set || key.def != nil {
			if !set {
				v = *key.def
			}
			if parsed, err := key.parse(v); err == nil {
				shown = protocol.StringOf(parsed.text)
			}
		}
		list = append(list, d.config(key, shown, !key.dynamic, d.brokerSynonyms(key.name)))
	}
	unknown := map[string]bool{}
	for _, l := range d.broker.layers(d.image) {
		for key := range l.values {
			if s.byName[key] == nil && d.wants(key) {
				unknown[key] = true
			}
		}
	}
	for _, key := range javaMapOrder(unknown) {
		list = append(list, d.unknownConfig(key, true, withoutValues(d.brokerSynonyms(key))))
	}
	return list, nil
}

// clusterDefaults is the resource BROKER "": what is set for all brokers and nothing else.
func (d describer) clusterDefaults() []protocol.DescribeConfigsResourceResult {
	s := brokerSchema(d.broker.software.KnowsWindowKey)
	var list []protocol.DescribeConfigsResourceResult
	for _, name := range javaMapOrder(d.image.configs[""]) {
		if !d.wants(name) {
			continue
		}
		v := protocol.StringOf(d.image.configs[""][name])
		synonyms := []protocol.DescribeConfigsSynonym{{Name: name, Value: v, Source: protocol.ConfigSourceDynamicDefaultBroker}}
		if key := s.byName[name]; key != nil {
			list = append(list, d.config(key, v, !key.dynamic, synonyms))
		} else {
			list = append(list, d.unknownConfig(name, true, withoutValues(synonyms)))
		}
	}
	return list
}

// brokerSynonyms is everything that is set for a broker key, the strongest first. Kafka leaves out what comes before the
// key itself, so that log.retention.hours alone doesn't show as a synonym of log.retention.ms, nor then of retention.ms.
func (d describer) brokerSynonyms(name string) []protocol.DescribeConfigsSynonym {
	family := brokerSynonyms(name)
	var list []protocol.DescribeConfigsSynonym
	for _, l := range d.broker.layers(d.image) {
		for _, key := range family {
			if v, set := l.values[key]; set {
				list = append(list, protocol.DescribeConfigsSynonym{Name: key, Value: protocol.StringOf(v), Source: l.source})
			}
		}
	}
	s := brokerSchema(d.broker.software.KnowsWindowKey)
	for _, key := range family {
		if k := s.byName[key]; k != nil && k.def != nil {
			list = append(list, protocol.DescribeConfigsSynonym{Name: key, Value: protocol.StringOf(*k.def), Source: protocol.ConfigSourceDefault})
		}
	}
	first := slices.IndexFunc(list, func(s protocol.DescribeConfigsSynonym) bool { return s.Name == name })
	if first < 0 {
		return nil
	}
	return list[first:]
}

func (d describer) config(key *configKey, shown protocol.NullString, readOnly bool, synonyms []protocol.DescribeConfigsSynonym) protocol.DescribeConfigsResourceResult {
	r := protocol.DescribeConfigsResourceResult{
		Name: key.name, Value: shown, ReadOnly: readOnly, ConfigSource: source(synonyms), ConfigType: int8(key.kind), Synonyms: synonyms,
	}
	if d.request.IncludeDocumentation {
		r.Documentation = protocol.StringOf("See Kafka's documentation of " + key.name + ".")
	}
	return d.fit(r)
}

// unknownConfig: a key that may be a password for all the broker knows, so its value isn't shown.
func (d describer) unknownConfig(name string, readOnly bool, synonyms []protocol.DescribeConfigsSynonym) protocol.DescribeConfigsResourceResult {
	return d.fit(protocol.DescribeConfigsResourceResult{
		Name: name, ReadOnly: readOnly, IsSensitive: true, ConfigSource: source(synonyms), ConfigType: protocol.ConfigTypeUnknown, Synonyms: synonyms,
	})
}

// fit leaves out what was not asked for and what the version can't say.
func (d describer) fit(r protocol.DescribeConfigsResourceResult) protocol.DescribeConfigsResourceResult {
	if !d.request.IncludeSynonyms {
		r.Synonyms = nil
	}
	if d.version < 3 {
		r.ConfigType, r.Documentation = protocol.ConfigTypeUnknown, protocol.NullString{}
	}
	if d.version == 0 {
		r.IsDefault, r.ConfigSource = r.ConfigSource == protocol.ConfigSourceDefault, -1
	}
	return r
}

func source(synonyms []protocol.DescribeConfigsSynonym) int8 {
	if len(synonyms) == 0 {
		return protocol.ConfigSourceDefault
	}
	return synonyms[0].Source
}

func withoutValues(synonyms []protocol.DescribeConfigsSynonym) []protocol.DescribeConfigsSynonym {
	hidden := slices.Clone(synonyms)
	for i := range hidden {
		hidden[i].Value = protocol.NullString{}
	}
	return hidden
}
