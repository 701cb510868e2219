package kafka

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// ConfigEntry is one config of a topic as a broker reports it.
type ConfigEntry struct {
	Name, Value         string
	Null                bool // there is no value: it is sensitive, or the broker does not know the key's type
	Source              ConfigSource
	Type                ConfigType
	Sensitive, ReadOnly bool
}

// ConfigSource says where a value comes from.
type ConfigSource int8

// The sources that Kafka knows; numbers as on the wire.
const (
	SourceUnknown              ConfigSource = 0
	SourceTopic                ConfigSource = 1 // an override of this topic
	SourceDynamicBroker        ConfigSource = 2 // set at run time on this broker
	SourceDynamicDefaultBroker ConfigSource = 3 // set at run time for all brokers
	SourceStaticBroker         ConfigSource = 4 // from the broker's file
	SourceDefault              ConfigSource = 5
	SourceDynamicBrokerLogger  ConfigSource = 6
	SourceClientMetrics        ConfigSource = 7
	SourceGroup                ConfigSource = 8
)

var configSourceNames = []string{
	"Unknown", "DynamicTopicConfig", "DynamicBrokerConfig", "DynamicDefaultBrokerConfig", "StaticBrokerConfig", "DefaultConfig",
	"DynamicBrokerLoggerConfig", "ClientMetricsConfig", "GroupConfig",
}

// String is the source as Kafka names it.
func (s ConfigSource) String() string { return nameOf(int8(s), configSourceNames) }

// ConfigType is the type of a config's value.
type ConfigType int8

// The types that Kafka knows; numbers as on the wire.
const (
	TypeUnknown  ConfigType = 0 // the broker does not say, or does not know the key
	TypeBoolean  ConfigType = 1
	TypeString   ConfigType = 2
	TypeInt      ConfigType = 3
	TypeShort    ConfigType = 4
	TypeLong     ConfigType = 5
	TypeDouble   ConfigType = 6
	TypeList     ConfigType = 7
	TypeClass    ConfigType = 8
	TypePassword ConfigType = 9
)

var configTypeNames = []string{"UNKNOWN", "BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD"}

// String is Kafka's name of the type.
func (t ConfigType) String() string { return nameOf(int8(t), configTypeNames) }

// nameOf leaves room for what a newer Kafka adds.
func nameOf(number int8, names []string) string {
	if number >= 0 && int(number) < len(names) {
		return names[number]
	}
	return strconv.Itoa(int(number))
}

// DescribeTopicConfig asks any broker for configs of a topic, all of them when no key is named. A key that the broker does not
// know is left out without an error. IsTopicNotFound tells a missing topic.
func (s *Session) DescribeTopicConfig(ctx context.Context, name string, keys ...string) ([]ConfigEntry, error) {
	var entries []ConfigEntry
	err := s.read(ctx, anyBroker, func(ctx context.Context, c *connection) (err error) {
		entries, err = askForConfigs(ctx, c, configsOf{topic: name, keys: keys})
		return err
	})
	return entries, err
}

// DescribeTopicConfigAt is DescribeTopicConfig asked of one broker, which answers from its own code and defaults: the way to
// learn which window a leader really works with. It fails rather than let another broker answer.
func (s *Session) DescribeTopicConfigAt(ctx context.Context, brokerID int32, name string, keys ...string) ([]ConfigEntry, error) {
	var entries []ConfigEntry
	err := s.readAt(ctx, brokerID, func(ctx context.Context, c *connection) (err error) {
		entries, err = askForConfigs(ctx, c, configsOf{topic: name, keys: keys, self: true})
		return err
	})
	return entries, err
}

// configsOf says whose configs are wanted: a topic's, or with topic "" the asked broker's own. With self the broker is named in
// the request, and one that has another id refuses.
type configsOf struct {
	topic string
	self  bool
	keys  []string // none: all
}

func askForConfigs(ctx context.Context, c *connection, of configsOf) ([]ConfigEntry, error) {
	version, err := c.version(protocol.KeyDescribeConfigs, 1)
	if err != nil {
		return nil, err
	}
	if len(of.keys) == 0 {
		of.keys = nil // null asks for all, an empty list for none
	}
	var request protocol.DescribeConfigsRequest
	object, wanted := "the config of topic "+of.topic, protocol.DescribeConfigsResource{
		ResourceType: protocol.ResourceTopic, ResourceName: of.topic, ConfigurationKeys: of.keys,
	}
	if of.topic == "" {
		object = "its own config"
		wanted.ResourceType, wanted.ResourceName = protocol.ResourceBroker, strconv.Itoa(int(c.broker))
	}
	request.Resources = append(request.Resources, wanted)
	if of.self && of.topic != "" {
		request.Resources = append(request.Resources, protocol.DescribeConfigsResource{
			ResourceType: protocol.ResourceBroker, ResourceName: strconv.Itoa(int(c.broker)), ConfigurationKeys: []string{BrokerWindowConfig},
		})
	}
	var answer protocol.DescribeConfigsResponse
	if err := c.ask(ctx, version, &request, &answer); err != nil {
		return nil, err
	}
	var found *protocol.DescribeConfigsResult
	for i := range answer.Results {
		r := &answer.Results[i]
		if of.self && r.ResourceType == protocol.ResourceBroker && r.ErrorCode == protocol.CodeInvalidRequest {
			return nil, &otherBrokerError{c}
		}
		if r.ResourceType == wanted.ResourceType && r.ResourceName == wanted.ResourceName {
			found = r
		}
	}
	switch {
	case found == nil:
		return nil, c.incomplete(protocol.KeyDescribeConfigs, object)
	case found.ErrorCode != protocol.CodeNone:
		return nil, c.refused(protocol.KeyDescribeConfigs, object, found.ErrorCode, found.ErrorMessage, answer.ThrottleTimeMs)
	}
	entries := make([]ConfigEntry, 0, len(found.Configs))
	for _, e := range found.Configs {
		entries = append(entries, ConfigEntry{
			Name: strings.Clone(e.Name), Value: strings.Clone(e.Value.S), Null: !e.Value.Valid,
			Source: ConfigSource(max(e.ConfigSource, 0)), Type: ConfigType(e.ConfigType),
			Sensitive: e.IsSensitive, ReadOnly: e.ReadOnly,
		})
	}
	return entries, nil
}

// ConfigChange sets one config, or with Delete takes its override away.
type ConfigChange struct {
	Name   string
	Delete bool
	Value  string // unused with Delete
}

// AlterTopicConfig makes changes to the overrides of a topic, all or none of them; other overrides stay. Deleting a key that is
// not set succeeds.
//
// WindowConfig travels alone: a controller that does not know it rejects every change beside it. A window below MinimumWindow is
// refused here, whatever asks for it.
// OutcomeUnknownError: it may or may not have been applied; look before trying again.
func (s *Session) AlterTopicConfig(ctx context.Context, name string, changes []ConfigChange, validateOnly bool) error {
	object := "the config of topic " + name
	request := &protocol.IncrementalAlterConfigsRequest{ValidateOnly: validateOnly}
	wanted := protocol.AlterConfigsResource{ResourceType: protocol.ResourceTopic, ResourceName: name}
	for _, change := range changes {
		if reason := change.refusal(len(changes)); reason != "" {
			return &RefusedHereError{Object: object, Reason: reason}
		}
		config := protocol.AlterableConfig{Name: change.Name, ConfigOperation: protocol.ConfigOperationDelete}
		if !change.Delete {
			config.ConfigOperation, config.Value = protocol.ConfigOperationSet, protocol.StringOf(change.Value)
		}
		wanted.Configs = append(wanted.Configs, config)
	}
	if len(wanted.Configs) == 0 {
		return nil
	}
	request.Resources = []protocol.AlterConfigsResource{wanted}
	return s.change(ctx, protocol.KeyIncrementalAlterConfigs, object, validateOnly, func(ctx context.Context, c *connection) error {
		version, err := c.version(protocol.KeyIncrementalAlterConfigs, 0)
		if err != nil {
			return err
		}
		var answer protocol.IncrementalAlterConfigsResponse
		if err := c.ask(ctx, version, request, &answer); err != nil {
			return err
		}
		for _, r := range answer.Responses {
			if r.ResourceType == wanted.ResourceType && r.ResourceName == name {
				return c.verdict(protocol.KeyIncrementalAlterConfigs, object, r.ErrorCode, r.ErrorMessage, answer.ThrottleTimeMs)
			}
		}
		return c.incomplete(protocol.KeyIncrementalAlterConfigs, object)
	})
}

// refusal is why this change must not be sent, "" if it may.
func (change ConfigChange) refusal(inAll int) string {
	if change.Name != WindowConfig {
		return ""
	}
	if inAll > 1 {
		return WindowConfig + " must travel alone: a controller that does not know it would reject the other keys, too"
	}
	if value, err := strconv.ParseInt(change.Value, 10, 32); !change.Delete && (err != nil || value < MinimumWindow) {
		return fmt.Sprintf("%s must be a whole number from %d to 2147483647, not %.64q", WindowConfig, MinimumWindow, change.Value)
	}
	return ""
}
