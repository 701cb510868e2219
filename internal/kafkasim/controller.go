package kafkasim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
)

const (
	maxRecordsPerOperation = 10_000 // of the metadata log: each topic, partition and config key is one
	maxPartitionsPerBatch  = 10_000
)

// An apiError is an error code with Kafka's message; message nil is null on the wire, which is also what Kafka sends
// when it has nothing to add to the code.
type apiError struct {
	code    protocol.ErrorCode
	message protocol.NullString
}

func failure(code protocol.ErrorCode, format string, args ...any) *apiError {
	return &apiError{code, protocol.StringOf(fmt.Sprintf(format, args...))}
}

// errTooLarge refuses the whole request.
func errTooLarge() *apiError {
	return failure(protocol.CodePolicyViolation, "Unable to perform excessively large batch operation.")
}

func (e *apiError) set(code *protocol.ErrorCode, message *protocol.NullString) {
	if e != nil {
		*code, *message = e.code, e.message
	}
}

// createTopics creates what can be created and says for each of the others why not; over 10,000 records or partitions,
// none.
func (c *Cluster) createTopics(version int16, req *protocol.CreateTopicsRequest) *protocol.CreateTopicsResponse {
	resp := &protocol.CreateTopicsResponse{}
	refuse := func(name string, why *apiError) {
		result := protocol.CreatableTopicResult{Name: name, NumPartitions: -1, ReplicationFactor: -1, Configs: []protocol.CreatableTopicConfigs{}}
		why.set(&result.ErrorCode, &result.ErrorMessage)
		resp.Topics = append(resp.Topics, result)
	}
	refuseAll := func(why *apiError) *protocol.CreateTopicsResponse {
		resp.Topics = nil
		for _, t := range req.Topics {
			refuse(t.Name, why)
		}
		return resp
	}

	wanted, repeated := splitRepeated(req.Topics, func(t protocol.CreatableTopic) string { return t.Name })
	wanted = slices.DeleteFunc(wanted, func(t protocol.CreatableTopic) bool { return t.Name == clusterMetadataTopic })
	if c.tooManyPartitions(wanted) {
		return refuseAll(failure(protocol.CodePolicyViolation, "Excessively large number of partitions per request."))
	}
	collisions, records := c.metadata.collisions(), 0
	var created []change
	for _, t := range wanted {
		made, result, err := c.createTopic(t, collisions)
		if err != nil {
			refuse(t.Name, err)
			continue
		}
		records += 1 + configRecords(made.configs) + len(made.partitions)
		if records > maxRecordsPerOperation {
			return refuseAll(errTooLarge())
		}
		created = append(created, putTopic(made))
		resp.Topics = append(resp.Topics, trimmedTo(version, result))
	}
	for _, name := range repeated {
		refuse(name, failure(protocol.CodeInvalidRequest, "Duplicate topic name."))
	}
	for _, t := range req.Topics {
		if t.Name == clusterMetadataTopic && !slices.Contains(repeated, t.Name) {
			refuse(t.Name, failure(protocol.CodeInvalidRequest, "Creation of internal topic __cluster_metadata is prohibited."))
		}
	}
	if !req.ValidateOnly {
		c.apply(created...)
	}
	return resp
}

const clusterMetadataTopic = "__cluster_metadata"

func (c *Cluster) tooManyPartitions(topics []protocol.CreatableTopic) bool {
	total := 0
	for _, t := range topics {
		switch {
		case len(t.Assignments) > 0:
			total += len(t.Assignments)
		case t.NumPartitions == -1:
			total += int(c.options.DefaultPartitions)
		case t.NumPartitions > 0:
			total += int(t.NumPartitions)
		}
	}
	return total > maxPartitionsPerBatch
}

// configRecords counts the records that a config takes; min.insync.replicas takes a second one, which clears the
// eligible leader replicas.
func configRecords(configs map[string]string) int {
	n := len(configs)
	if _, set := configs["min.insync.replicas"]; set {
		n++
	}
	return n
}

// splitRepeated separates what is named once from the names that come more than once.
func splitRepeated[T any](items []T, name func(T) string) (once []T, repeated []string) {
	count := map[string]int{}
	for _, item := range items {
		count[name(item)]++
	}
	for _, item := range items {
		if n := name(item); count[n] == 1 {
			once = append(once, item)
		} else if !slices.Contains(repeated, n) {
			repeated = append(repeated, n)
		}
	}
	return once, repeated
}

// createTopic makes one topic without applying it, with the checks in Kafka's order: name, existence, configs,
// partitions and replicas, policy.
func (c *Cluster) createTopic(t protocol.CreatableTopic, collisions map[string]string) (*topic, protocol.CreatableTopicResult, *apiError) {
	none := protocol.CreatableTopicResult{}
	if c.metadata.topics[t.Name] != nil {
		return nil, none, failure(protocol.CodeTopicAlreadyExists, "Topic '%s' already exists.", t.Name)
	}
	if other, collides := collisions[metricName(t.Name)]; collides && hasCollisionChars(t.Name) {
		return nil, none, failure(protocol.CodeInvalidTopicException, "Topic '%s' collides with existing topic: %s", t.Name, other)
	}
	if why := invalidTopicName(t.Name); why != "" {
		return nil, none, failure(protocol.CodeInvalidTopicException, "%s", why)
	}
	made := &topic{name: strings.Clone(t.Name), configs: map[string]string{}}
	var nulls []string
	for _, config := range t.Configs {
		if !config.Value.Valid {
			nulls = append(nulls, config.Name)
		}
		made.configs[strings.Clone(config.Name)] = strings.Clone(config.Value.S)
	}
	if len(nulls) > 0 {
		return nil, none, failure(protocol.CodeInvalidConfig, "Null value not supported for topic configs: %s", strings.Join(nulls, ","))
	}
	if len(made.configs) > 0 {
		if err := c.validateTopic(t.Name, made.configs, nil); err != nil {
			return nil, none, err
		}
	}
	placed, err := c.placeTopic(t)
	if err != nil {
		return nil, none, err
	}
	made.partitions = placed
	factor := len(placed[0].replicas)
	if err := c.askPolicy(PolicyRequest{Topic: t.Name, Partitions: len(placed), ReplicationFactor: factor, Configs: maps.Clone(made.configs)}); err != nil {
		return nil, none, err
	}
	made.id = c.newUUID()
	return made, protocol.CreatableTopicResult{
		Name: t.Name, TopicID: made.id, NumPartitions: int32(len(placed)), ReplicationFactor: int16(factor), Configs: c.createdConfigs(made.configs),
	}, nil
}

// trimmedTo leaves out what older versions don't carry.
func trimmedTo(version int16, r protocol.CreatableTopicResult) protocol.CreatableTopicResult {
	if version < 7 {
		r.TopicID = protocol.UUID{}
	}
	if version < 5 {
		r.Configs, r.NumPartitions, r.ReplicationFactor = nil, -1, -1
	}
	return r
}

// createdConfigs is the effective config in the answer, as the controller sees it.
func (c *Cluster) createdConfigs(overrides map[string]string) []protocol.CreatableTopicConfigs {
	b := c.brokers[c.controller]
	s := topicSchema(b.software.KnowsWindowKey)
	var list []protocol.CreatableTopicConfigs
	for i := range s.keys {
		key := &s.keys[i]
		if _, set := overrides[key.name]; key.internal && !set {
			continue
		}
		text, source := b.createdConfig(c.metadata, key, overrides)
		list = append(list, protocol.CreatableTopicConfigs{Name: key.name, Value: text, ConfigSource: source})
	}
	slices.SortFunc(list, func(a, b protocol.CreatableTopicConfigs) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (b *broker) createdConfig(m *image, key *configKey, overrides map[string]string) (protocol.NullString, int8) {
	if v, set := overrides[key.name]; set {
		return protocol.StringOf(v), protocol.ConfigSourceTopic
	}
	for _, l := range b.layers(m) {
		for _, synonym := range key.synonyms {
			if v, set := l.values[synonym]; set {
				return protocol.StringOf(inTopicUnit(synonym, v)), l.source
			}
		}
	}
	if key.def == nil {
		return protocol.NullString{}, protocol.ConfigSourceDefault
	}
	return protocol.StringOf(*key.def), protocol.ConfigSourceDefault
}

func (c *Cluster) placeTopic(t protocol.CreatableTopic) ([]partition, *apiError) {
	if len(t.Assignments) > 0 {
		return c.assignedPartitions(t)
	}
	switch {
	case t.ReplicationFactor < -1 || t.ReplicationFactor == 0:
		return nil, failure(protocol.CodeInvalidReplicationFactor, "Replication factor must be larger than 0, or -1 to use the default value.")
	case t.NumPartitions < -1 || t.NumPartitions == 0:
		return nil, failure(protocol.CodeInvalidPartitions, "Number of partitions was set to an invalid non-positive value.")
	}
	count, factor := int(t.NumPartitions), int(t.ReplicationFactor)
	if count == -1 {
		count = int(c.options.DefaultPartitions)
	}
	if factor == -1 {
		factor = int(c.options.DefaultReplicationFactor)
	}
	placed, err := c.place(count, factor)
	if err != nil {
		return nil, failure(protocol.CodeInvalidReplicationFactor, "Unable to replicate the partition %d time(s): %s", factor, err)
	}
	return placed, nil
}

func (c *Cluster) assignedPartitions(t protocol.CreatableTopic) ([]partition, *apiError) {
	switch {
	case t.ReplicationFactor != -1:
		return nil, failure(protocol.CodeInvalidRequest, "A manual partition assignment was specified, but replication factor was not set to -1.")
	case t.NumPartitions != -1:
		return nil, failure(protocol.CodeInvalidRequest, "A manual partition assignment was specified, but numPartitions was not set to -1.")
	}
	placed, factor := map[int32]partition{}, 0
	for _, a := range t.Assignments {
		if _, twice := placed[a.PartitionIndex]; twice {
			return nil, failure(protocol.CodeInvalidReplicaAssignment, "Found multiple manual partition assignments for partition %d", a.PartitionIndex)
		}
		p, err := c.assigned(a.PartitionIndex, a.BrokerIDs, factor)
		if err != nil {
			return nil, err
		}
		factor, placed[a.PartitionIndex] = len(a.BrokerIDs), p
	}
	list := make([]partition, len(placed))
	for i := range list {
		p, there := placed[int32(i)]
		if !there {
			return nil, failure(protocol.CodeInvalidReplicaAssignment, "partitions should be a consecutive 0-based integer sequence")
		}
		list[i] = p
	}
	return list, nil
}

// assigned checks one assignment; factor 0 allows any number of replicas.
func (c *Cluster) assigned(number int32, replicas []int32, factor int) (partition, *apiError) {
	const assignment = "The manual partition assignment includes "
	invalid := func(format string, args ...any) (partition, *apiError) {
		return partition{}, failure(protocol.CodeInvalidReplicaAssignment, format, args...)
	}
	if len(replicas) == 0 {
		return invalid(assignment + "an empty replica list.")
	}
	sorted := slices.Sorted(slices.Values(replicas))
	for i, id := range sorted {
		if _, registered := c.metadata.nodes[id]; !registered {
			return invalid(assignment+"broker %d, but no such broker is registered.", id)
		}
		if i > 0 && sorted[i-1] == id {
			return invalid(assignment+"the broker %d more than once.", id)
		}
	}
	if factor > 0 && len(replicas) != factor {
		return invalid(assignment+"a partition with %d replica(s), but this is not consistent with previous partitions, which have %d replica(s).", len(replicas), factor)
	}
	p := c.newPartition(slices.Clone(replicas))
	if p.leader < 0 {
		return invalid("All brokers specified in the manual partition assignment for partition %d are fenced or in controlled shutdown.", number)
	}
	return p, nil
}

func (c *Cluster) askPolicy(r PolicyRequest) *apiError {
	if c.options.Policy == nil {
		return nil
	}
	if err := c.options.Policy(r); err != nil {
		return failure(protocol.CodePolicyViolation, "%s", err)
	}
	return nil
}

// validateTopic is the controller's check of a topic resource with the config that it would have.
func (c *Cluster) validateTopic(name string, configs, before map[string]string) *apiError {
	if name == "" {
		return failure(protocol.CodeInvalidRequest, "Default topic resources are not allowed.")
	}
	if why := invalidTopicName(name); why != "" {
		return failure(protocol.CodeInvalidTopicException, "%s", why)
	}
	b := c.brokers[c.controller]
	fallback := func(key *configKey) string { return b.topicSetting(c.metadata, key, nil) }
	var wrong configError
	if err := validateTopicConfig(topicSchema(b.software.KnowsWindowKey), fallback, configs, before); errors.As(err, &wrong) {
		return failure(protocol.CodeInvalidConfig, "%s", wrong)
	}
	return nil
}

// deleteTopics deletes by name or, from v6, by id.
func (c *Cluster) deleteTopics(req *protocol.DeleteTopicsRequest) *protocol.DeleteTopicsResponse {
	resp := &protocol.DeleteTopicsResponse{}
	answer := func(name protocol.NullString, id protocol.UUID, err *apiError) {
		result := protocol.DeletableTopicResult{Name: name, TopicID: id}
		err.set(&result.ErrorCode, &result.ErrorMessage)
		resp.Responses = append(resp.Responses, result)
	}
	var names []string
	var ids []protocol.UUID
	names = append(names, req.TopicNames...)
	for _, t := range req.Topics {
		switch {
		case !t.Name.Valid && t.TopicID == protocol.UUID{}:
			answer(protocol.NullString{}, t.TopicID, failure(protocol.CodeInvalidRequest, "Neither topic name nor id were specified."))
		case !t.Name.Valid:
			ids = append(ids, t.TopicID)
		case t.TopicID == protocol.UUID{}:
			names = append(names, t.Name.S)
		default:
			answer(t.Name, t.TopicID, failure(protocol.CodeInvalidRequest, "You may not specify both topic name and topic id."))
		}
	}
	names, repeatedNames := splitRepeated(names, func(s string) string { return s })
	ids, repeatedIDs := splitRepeated(ids, func(id protocol.UUID) string { return string(id[:]) })
	for _, name := range repeatedNames {
		answer(protocol.StringOf(name), protocol.UUID{}, failure(protocol.CodeInvalidRequest, "Duplicate topic name."))
	}
	for _, id := range repeatedIDs {
		answer(protocol.NullString{}, protocol.UUID([]byte(id)), failure(protocol.CodeInvalidRequest, "Duplicate topic id."))
	}

	doomed := map[protocol.UUID]*topic{}
	for _, id := range ids {
		if t := c.metadata.byID[id]; t != nil {
			doomed[id] = t
		} else {
			answer(protocol.NullString{}, id, failure(protocol.CodeUnknownTopicID, "This server does not host this topic ID."))
		}
	}
	for _, name := range names {
		t := c.metadata.topics[name]
		if t == nil {
			answer(protocol.StringOf(name), protocol.UUID{}, failure(protocol.CodeUnknownTopicOrPartition, "This server does not host this topic-partition."))
			continue
		}
		if doomed[t.id] != nil || slices.Contains(repeatedIDs, string(t.id[:])) {
			delete(doomed, t.id)
			answer(protocol.StringOf(name), t.id, failure(protocol.CodeInvalidRequest, "The provided topic name maps to an ID that was already supplied."))
			continue
		}
		doomed[t.id] = t
	}
	for id, t := range doomed {
		c.remove(t)
		answer(protocol.StringOf(t.name), id, nil)
	}
	return resp
}

func (c *Cluster) remove(t *topic) {
	c.apply(removeTopic(t))
	for number := range t.partitions {
		delete(c.logs, logKey{t.id, int32(number)})
	}
}

// createPartitions raises partition counts.
func (c *Cluster) createPartitions(req *protocol.CreatePartitionsRequest) *protocol.CreatePartitionsResponse {
	resp := &protocol.CreatePartitionsResponse{}
	answer := func(name string, err *apiError) {
		result := protocol.CreatePartitionsTopicResult{Name: name}
		err.set(&result.ErrorCode, &result.ErrorMessage)
		resp.Results = append(resp.Results, result)
	}
	wanted, repeated := splitRepeated(req.Topics, func(t protocol.CreatePartitionsTopic) string { return t.Name })
	for _, name := range repeated {
		answer(name, failure(protocol.CodeInvalidRequest, "Duplicate topic name."))
	}
	if c.tooManyAdded(wanted) {
		resp.Results = nil
		for _, t := range req.Topics {
			answer(t.Name, failure(protocol.CodePolicyViolation, "Excessively large number of additional partitions per request."))
		}
		return resp
	}
	var changes []change
	for _, t := range wanted {
		grown, err := c.grow(t)
		answer(t.Name, err)
		if err == nil {
			changes = append(changes, putTopic(grown))
		}
	}
	if !req.ValidateOnly {
		c.apply(changes...)
	}
	return resp
}

func (c *Cluster) tooManyAdded(topics []protocol.CreatePartitionsTopic) bool {
	total := 0
	for _, t := range topics {
		if old := c.metadata.topics[t.Name]; old != nil {
			total += max(0, int(t.Count)-len(old.partitions))
		}
	}
	return total > maxPartitionsPerBatch
}

func (c *Cluster) grow(t protocol.CreatePartitionsTopic) (*topic, *apiError) {
	old := c.metadata.topics[t.Name]
	if old == nil {
		return nil, &apiError{code: protocol.CodeUnknownTopicOrPartition}
	}
	have := len(old.partitions)
	more := int(t.Count) - have
	switch {
	case more == 0:
		return nil, failure(protocol.CodeInvalidPartitions, "Topic already has %d partition(s).", have)
	case more < 0:
		return nil, failure(protocol.CodeInvalidPartitions, "The topic %s currently has %d partition(s); %d would not be an increase.", t.Name, have, t.Count)
	case t.Assignments != nil && len(t.Assignments) != more:
		return nil, failure(protocol.CodeInvalidReplicaAssignment,
			"Attempted to add %d additional partition(s), but only %d assignment(s) were specified.", more, len(t.Assignments))
	}
	factor := len(old.partitions[0].replicas)
	var added []partition
	if t.Assignments != nil {
		for i, a := range t.Assignments {
			p, err := c.assigned(int32(have+i), a.BrokerIDs, factor)
			if err != nil {
				return nil, err
			}
			added = append(added, p)
		}
	} else {
		placed, err := c.place(more, factor)
		if err != nil {
			return nil, failure(protocol.CodeInvalidReplicationFactor, "%s", err)
		}
		added = placed
	}
	return &topic{name: old.name, id: old.id, configs: old.configs, partitions: append(slices.Clone(old.partitions), added...)}, nil
}
