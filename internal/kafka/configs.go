package kafka

import (
	"context"
	"strconv"
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
	"unknown", "topic", "dynamic broker", "dynamic default broker", "static broker", "default", "broker logger", "client metrics", "group",
}

// String is the source in words.
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
	return nil, errNotYet
}

// DescribeTopicConfigAt is DescribeTopicConfig asked of one broker, which answers from its own code and defaults: the way to
// learn which window a leader really works with. It fails rather than let another broker answer.
func (s *Session) DescribeTopicConfigAt(ctx context.Context, brokerID int32, name string, keys ...string) ([]ConfigEntry, error) {
	return nil, errNotYet
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
	return errNotYet
}
