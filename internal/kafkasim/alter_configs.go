package kafkasim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// maxConfigValue is the longest value, in bytes.
const maxConfigValue = 32767

// alterConfigs changes configs in two steps, as Kafka does: the broker that is asked checks the request and the broker
// resources, the controller checks the topics and stores. Each resource changes as a whole or not at all.
func (c *Cluster) alterConfigs(b *broker, req *protocol.IncrementalAlterConfigsRequest) *protocol.IncrementalAlterConfigsResponse {
	resp := &protocol.IncrementalAlterConfigsResponse{}
	answer := func(r protocol.AlterConfigsResource, err *apiError) {
		result := protocol.AlterConfigsResourceResponse{ResourceType: r.ResourceType, ResourceName: r.ResourceName}
		err.set(&result.ErrorCode, &result.ErrorMessage)
		resp.Responses = append(resp.Responses, result)
	}
	type resource struct {
		kind int8
		name string
	}
	named := map[resource]int{}
	for _, r := range req.Resources {
		named[resource{r.ResourceType, r.ResourceName}]++
	}
	refused := make([]*apiError, len(req.Resources))
	var changes []change
	records := 0
	for i, r := range req.Resources {
		if named[resource{r.ResourceType, r.ResourceName}] > 1 {
			refused[i] = failure(protocol.CodeInvalidRequest, "Each resource must appear at most once.")
			continue
		}
		if refused[i] = b.precheck(c.metadata, r); refused[i] != nil {
			continue
		}
		made, n, err := c.alterResource(r)
		if refused[i] = err; err == nil {
			changes, records = append(changes, made...), records+n
		}
	}
	tooLarge := records > maxRecordsPerOperation
	for i, r := range req.Resources {
		if tooLarge {
			refused[i] = errTooLarge()
		}
		answer(r, refused[i])
	}
	if !req.ValidateOnly && !tooLarge {
		c.apply(changes...)
	}
	return resp
}

// precheck is what the broker refuses before the controller hears of it.
func (b *broker) precheck(m *image, r protocol.AlterConfigsResource) *apiError {
	var nulls []string
	seen := map[string]bool{}
	for _, config := range r.Configs {
		if seen[config.Name] {
			return failure(protocol.CodeInvalidRequest, "Error due to duplicate config keys")
		}
		seen[config.Name] = true
		if config.ConfigOperation != protocol.ConfigOperationDelete && !config.Value.Valid {
			nulls = append(nulls, config.Name)
		}
	}
	if len(nulls) > 0 {
		return failure(protocol.CodeInvalidRequest, "Null value not supported for : %s", strings.Join(nulls, ", "))
	}
	switch r.ResourceType {
	case protocol.ResourceTopic:
		return nil
	case protocol.ResourceBroker:
		return b.precheckBroker(m, r)
	}
	return failure(protocol.CodeInvalidRequest, "Unknown resource type %d", r.ResourceType)
}

// precheckBroker checks a broker resource. A key that it doesn't know passes, whatever its value: so a broker without
// the KIP accepts log.producer.state.batches.to.retain.
func (b *broker) precheckBroker(m *image, r protocol.AlterConfigsResource) *apiError {
	if r.ResourceName != "" {
		id, err := strconv.ParseInt(r.ResourceName, 10, 32)
		if err != nil {
			return failure(protocol.CodeInvalidRequest, "Node id must be an integer, but it is: %s", r.ResourceName)
		}
		if int32(id) != b.id {
			return failure(protocol.CodeInvalidRequest, "Unexpected broker id, expected %d, but received %s", b.id, r.ResourceName)
		}
	}
	s := brokerSchema(b.software.KnowsWindowKey)
	configs := maps.Clone(m.configs[r.ResourceName])
	if configs == nil {
		configs = map[string]string{}
	}
	for _, config := range r.Configs {
		if err := alterBrokerKey(s, configs, config); err != nil {
			return err
		}
	}
	return validateBrokerConfig(s, configs)
}

func alterBrokerKey(s *schema, configs map[string]string, config protocol.AlterableConfig) *apiError {
	key := s.byName[config.Name]
	verb := map[int8]string{protocol.ConfigOperationAppend: "append", protocol.ConfigOperationSubtract: "subtract"}[config.ConfigOperation]
	switch {
	case config.ConfigOperation == protocol.ConfigOperationSet:
		configs[config.Name] = config.Value.S
	case config.ConfigOperation == protocol.ConfigOperationDelete:
		delete(configs, config.Name)
	case verb == "":
		return failure(protocol.CodeInvalidRequest, "Unknown operations type %d", config.ConfigOperation)
	case key == nil:
		return failure(protocol.CodeInvalidConfig, "Unknown config name: %s", config.Name)
	case key.kind != typeList:
		return failure(protocol.CodeInvalidConfig, "Config value %s is not allowed for config key: %s", verb, config.Name)
	default:
		old, set := configs[config.Name]
		if !set && key.def != nil {
			old = *key.def
		}
		configs[config.Name] = alterList(old, config)
	}
	return nil
}

func validateBrokerConfig(s *schema, configs map[string]string) *apiError {
	var fixed []string
	for _, name := range javaMapOrder(configs) {
		if key := s.byName[name]; key != nil && !key.dynamic {
			fixed = append(fixed, name)
		}
	}
	if len(fixed) > 0 {
		return failure(protocol.CodeInvalidRequest, "Cannot update these configs dynamically: [%s]", strings.Join(fixed, ", "))
	}
	for i := range s.keys {
		key := &s.keys[i]
		if raw, set := configs[key.name]; set {
			if _, err := key.parse(raw); err != nil {
				return failure(protocol.CodeInvalidRequest, "%s", err)
			}
		}
	}
	return nil
}

// alterResource is the controller's part. It returns the changes and how many records they are.
func (c *Cluster) alterResource(r protocol.AlterConfigsResource) ([]change, int, *apiError) {
	if r.ResourceType == protocol.ResourceBroker {
		return c.alterBroker(r)
	}
	old := c.metadata.topics[r.ResourceName]
	before := map[string]string{}
	if old != nil {
		before = old.configs
	}
	after, touched := maps.Clone(before), map[string]string{}
	records := 0
	for _, config := range r.Configs {
		next, err := c.alteredValue(before, config)
		if err != nil {
			return nil, 0, err
		}
		value, had := before[config.Name]
		if next == nil {
			delete(after, config.Name)
		} else if len(*next) > maxConfigValue {
			return nil, 0, failure(protocol.CodeInvalidConfig,
				"The configuration value cannot be added because it exceeds the maximum value size of 32767 bytes.")
		} else {
			after[strings.Clone(config.Name)] = strings.Clone(*next)
			touched[config.Name] = *next
		}
		if had != (next != nil) || had && value != *next {
			records++
			if config.Name == "min.insync.replicas" {
				records++ // and one to clear the eligible leader replicas
			}
		}
	}
	if err := c.validateTopic(r.ResourceName, after, before); err != nil {
		return nil, 0, err
	}
	if old == nil {
		return nil, 0, failure(protocol.CodeUnknownTopicOrPartition, "The topic '%s' does not exist.", r.ResourceName)
	}
	if err := c.askPolicy(PolicyRequest{Topic: r.ResourceName, Configs: touched}); err != nil {
		return nil, 0, err
	}
	if records == 0 {
		return nil, 0, nil
	}
	return []change{putTopic(&topic{name: old.name, id: old.id, partitions: old.partitions, configs: after})}, records, nil
}

// alteredValue is what one operation makes of a key; nil: not set.
func (c *Cluster) alteredValue(before map[string]string, config protocol.AlterableConfig) (*string, *apiError) {
	switch config.ConfigOperation {
	case protocol.ConfigOperationSet:
		return &config.Value.S, nil
	case protocol.ConfigOperationDelete:
		return nil, nil
	case protocol.ConfigOperationAppend, protocol.ConfigOperationSubtract:
		key := topicSchema(c.brokers[c.controller].software.KnowsWindowKey).byName[config.Name]
		if key == nil || key.kind != typeList {
			verb := "APPEND"
			if config.ConfigOperation == protocol.ConfigOperationSubtract {
				verb = "SUBTRACT"
			}
			return nil, failure(protocol.CodeInvalidConfig, "Can't %s to key %s because its type is not LIST.", verb, config.Name)
		}
		old, set := before[config.Name]
		if !set && key.def != nil {
			old = *key.def
		}
		next := alterList(old, config)
		return &next, nil
	}
	return nil, &apiError{code: protocol.CodeUnknownServerError} // Kafka runs into a null pointer here
}

func alterList(old string, config protocol.AlterableConfig) string {
	items := slices.DeleteFunc(strings.Split(old, ","), func(s string) bool { return s == "" })
	for item := range strings.SplitSeq(config.Value.S, ",") {
		at := slices.Index(items, item)
		switch {
		case config.ConfigOperation == protocol.ConfigOperationAppend && at < 0:
			items = append(items, item)
		case config.ConfigOperation == protocol.ConfigOperationSubtract && at >= 0:
			items = slices.Delete(items, at, at+1)
		}
	}
	return strings.Join(items, ",")
}

// alterBroker stores what the broker has checked. min.insync.replicas is special while eligible leader replicas are on.
func (c *Cluster) alterBroker(r protocol.AlterConfigsResource) ([]change, int, *apiError) {
	var changes []change
	configs := maps.Clone(c.metadata.configs[r.ResourceName])
	if configs == nil {
		configs = map[string]string{}
	}
	for _, config := range r.Configs {
		if config.Name == "min.insync.replicas" {
			switch {
			case r.ResourceName != "":
				return nil, 0, failure(protocol.CodeInvalidConfig, "Broker-level min.insync.replicas cannot be altered while ELR is enabled.")
			case config.ConfigOperation == protocol.ConfigOperationDelete:
				return nil, 0, failure(protocol.CodeInvalidConfig, "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.")
			}
		}
		_ = alterBrokerKey(brokerSchema(true), configs, config) // the broker has seen to errors
		var value *string
		if v, set := configs[config.Name]; set {
			value = some(strings.Clone(v))
		}
		changes = append(changes, putBrokerConfig(r.ResourceName, strings.Clone(config.Name), value))
	}
	return changes, len(changes), nil
}

// SetTopicConfig changes one key of a topic behind everybody's back, as an administrator would; nil deletes it. The
// controller checks it.
func (c *Cluster) SetTopicConfig(topic, key string, value *string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	config := protocol.AlterableConfig{Name: key, ConfigOperation: protocol.ConfigOperationDelete}
	if value != nil {
		config.ConfigOperation, config.Value = protocol.ConfigOperationSet, protocol.StringOf(*value)
	}
	changes, _, err := c.alterResource(protocol.AlterConfigsResource{
		ResourceType: protocol.ResourceTopic, ResourceName: topic, Configs: []protocol.AlterableConfig{config},
	})
	if err != nil {
		return fmt.Errorf("setting %s of topic %s: %w", key, topic, err.asError())
	}
	c.apply(changes...)
	return nil
}

func (e *apiError) asError() error {
	if e == nil {
		return nil
	}
	return errors.New(e.code.String() + ": " + e.message.S)
}
