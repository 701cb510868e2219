package kafkasim

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// produce appends one batch to each partition of the request. A failed partition doesn't stop the others.
func (c *Cluster) produce(b *broker, m *image, version int16, req *protocol.ProduceRequest) *protocol.ProduceResponse {
	resp := &protocol.ProduceResponse{}
	for _, data := range req.TopicData {
		answer := protocol.TopicProduceResponse{Name: data.Name, TopicID: data.TopicID}
		t := m.topics[data.Name]
		if version >= 13 {
			t = m.byID[data.TopicID]
		}
		for _, p := range data.PartitionData {
			a := appending{cluster: c, broker: b, image: m, version: version, request: req, topic: t, number: p.Index}
			answer.PartitionResponses = append(answer.PartitionResponses, a.append(p.Records))
			resp.NodeEndpoints = a.addEndpoint(resp.NodeEndpoints)
		}
		resp.Responses = append(resp.Responses, answer)
	}
	return resp
}

// appending is the way of one batch into one partition.
type appending struct {
	cluster *Cluster
	broker  *broker
	image   *image
	version int16
	request *protocol.ProduceRequest
	topic   *topic // nil: unknown
	number  int32

	leader *node // where it should have gone
}

// append runs the checks in Kafka's order and writes the batch if all pass.
func (a *appending) append(records []byte) protocol.PartitionProduceResponse {
	r := protocol.NewPartitionProduceResponse()
	r.Index, r.BaseOffset = a.number, -1
	if a.topic == nil || a.number < 0 || int(a.number) >= len(a.topic.partitions) {
		r.ErrorCode = protocol.CodeUnknownTopicOrPartition
		if a.version >= 13 && a.topic == nil {
			r.ErrorCode = protocol.CodeUnknownTopicID
		}
		return r
	}
	batch, code := a.readBatch(records)
	switch {
	case code != protocol.CodeNone:
		r.ErrorCode = code
		return r
	case a.request.Acks < -1 || a.request.Acks > 1:
		r.ErrorCode = protocol.CodeInvalidRequiredAcks
		return r
	case isInternalTopic(a.topic.name):
		r.ErrorCode = protocol.CodeInvalidTopicException
		return r
	case batch.Attributes&protocol.AttributeTransactional != 0:
		r.ErrorCode, r.ErrorMessage = a.refuseTransaction()
		return r
	case !a.leads():
		r.ErrorCode = protocol.CodeNotLeaderOrFollower
		r.CurrentLeader = a.currentLeader()
		return r
	}
	a.appendAsLeader(batch, records, &r)
	if a.version >= 14 {
		// Also on a duplicate and on error 45; absent, as its default is, at 5.
		r.ProducerStateBatchesToRetain = int32(a.cluster.windowOn(a.broker, a.topic))
	}
	if a.version < 8 {
		r.ErrorMessage = protocol.NullString{}
	}
	return r
}

// readBatch demands exactly one intact batch of format 2.
func (a *appending) readBatch(records []byte) (*protocol.RecordBatch, protocol.ErrorCode) {
	batch, rest, err := protocol.DecodeRecordBatch(records)
	var broken *protocol.CodecError
	switch {
	case len(records) < 61 || len(rest) > 0:
		return nil, protocol.CodeInvalidRecord
	case records[16] != 2:
		return nil, protocol.CodeInvalidRecord
	case errors.As(err, &broken):
		return nil, protocol.CodeCorruptMessage
	}
	return batch, protocol.CodeNone
}

// refuseTransaction: there is no transaction coordinator here, so no transaction is ever known.
func (a *appending) refuseTransaction() (protocol.ErrorCode, protocol.NullString) {
	if a.version < 11 {
		return protocol.CodeInvalidTxnState, protocol.StringOf("Partition was not added to the transaction")
	}
	return protocol.CodeTransactionAbortable, protocol.NullString{}
}

// leads says whether this broker leads the partition by its own image and in truth: one that doesn't know yet that it
// was replaced could append nothing that lasts.
func (a *appending) leads() bool {
	current := a.cluster.metadata.byID[a.topic.id]
	return a.topic.partitions[a.number].leader == a.broker.id &&
		current != nil && current.partitions[a.number].leader == a.broker.id
}

func (a *appending) currentLeader() protocol.LeaderIdAndEpoch {
	if a.version < 10 {
		return protocol.NewLeaderIdAndEpoch()
	}
	p := a.topic.partitions[a.number]
	if n, known := a.image.nodes[p.leader]; known && !n.fenced {
		a.leader = &n
	}
	return protocol.LeaderIdAndEpoch{LeaderID: p.leader, LeaderEpoch: p.leaderEpoch}
}

func (a *appending) addEndpoint(list []protocol.NodeEndpoint) []protocol.NodeEndpoint {
	if a.leader == nil {
		return list
	}
	for _, e := range list {
		if e.NodeID == a.leader.id {
			return list
		}
	}
	return append(list, protocol.NodeEndpoint{NodeID: a.leader.id, Host: a.leader.host, Port: a.leader.port, Rack: nullIfEmpty(a.leader.rack)})
}

// appendAsLeader looks at the batch as such, for a duplicate, at epoch and sequence, and then appends. Of what is wrong a
// real broker logs the words and sends the code only, except about single records.
func (a *appending) appendAsLeader(batch *protocol.RecordBatch, raw []byte, r *protocol.PartitionProduceResponse) {
	c, p := a.cluster, a.cluster.metadata.byID[a.topic.id].partitions[a.number]
	limit, _ := strconv.Atoi(a.setting("max.message.bytes"))
	switch {
	case a.request.Acks == -1 && len(p.isr) < a.minInSync(len(p.replicas)):
		r.ErrorCode, r.LogStartOffset = protocol.CodeNotEnoughReplicas, 0
		return
	case batch.BaseOffset != 0:
		r.ErrorCode, r.LogStartOffset = protocol.CodeInvalidRecord, 0
		return
	case len(raw) > limit:
		r.ErrorCode = protocol.CodeMessageTooLarge
		return
	}
	r.LogStartOffset = 0
	if a.refuseRecords(batch, r); r.ErrorCode != protocol.CodeNone {
		return
	}
	l := c.log(logKey{a.topic.id, a.number})
	replica := c.replicaOn(a.broker, a.topic, a.number)
	entry := LogBatch{
		BaseOffset: l.end, LastOffset: l.end + int64(batch.LastOffsetDelta), LeaderEpoch: p.leaderEpoch, ProducerID: batch.ProducerID,
		ProducerEpoch: batch.ProducerEpoch, BaseSequence: batch.BaseSequence, MaxTimestamp: batch.MaxTimestamp, Bytes: bytes.Clone(raw),
	}
	appendTime := int64(-1)
	if a.setting("message.timestamp.type") == "LogAppendTime" {
		appendTime = c.clock.Now().UnixMilli()
		entry.MaxTimestamp = appendTime
	}
	if batch.ProducerID >= 0 {
		if original, duplicate := replica.state.duplicate(&entry); duplicate {
			r.BaseOffset, r.LogAppendTimeMs = original.firstOffset(), original.timestamp
			return
		}
		switch replica.state.check(&entry) {
		case staleEpoch:
			r.ErrorCode = protocol.CodeInvalidProducerEpoch
			return
		case outOfOrder:
			r.ErrorCode = protocol.CodeOutOfOrderSequenceNumber
			return
		}
	}
	c.append(c.metadata.byID[a.topic.id], a.number, entry)
	r.BaseOffset, r.LogAppendTimeMs = entry.BaseOffset, appendTime
}

// refuseRecords is LogValidator.
func (a *appending) refuseRecords(batch *protocol.RecordBatch, r *protocol.PartitionProduceResponse) {
	switch {
	case batch.Attributes&protocol.AttributeControl != 0,
		batch.LastOffsetDelta+1 != batch.NumRecords,
		batch.ProducerID >= 0 && batch.BaseSequence < 0:
		r.ErrorCode = protocol.CodeInvalidRecord
		return
	case !strings.Contains(a.setting("cleanup.policy"), "compact"), batch.Attributes&protocol.AttributeCompression != 0:
		return // compressed records are taken as they are
	}
	records, err := batch.Records()
	if err != nil {
		r.ErrorCode = protocol.CodeCorruptMessage
		return
	}
	var shown []string
	failures := 0
	for i, record := range records {
		if record.Key != nil {
			continue
		}
		why := fmt.Sprintf("Compacted topic cannot accept message without key in topic partition %s-%d", a.topic.name, a.number)
		if failures++; failures <= 3 {
			shown = append(shown, fmt.Sprintf("RecordError(batchIndex=%d, message='%s')", i, why))
		}
		if a.version >= 8 {
			r.RecordErrors = append(r.RecordErrors, protocol.BatchIndexAndErrorMessage{BatchIndex: int32(i), BatchIndexErrorMessage: protocol.StringOf(why)})
		}
	}
	if failures > 0 {
		r.ErrorCode = protocol.CodeInvalidRecord
		r.ErrorMessage = failure(0, "One or more records have been rejected due to %d record errors in total, and only showing the first three errors at most: [%s]",
			failures, strings.Join(shown, ", ")).message
	}
}

// minInSync is min.insync.replicas, of which a topic with fewer replicas needs no more than it has.
func (a *appending) minInSync(replicas int) int {
	n, _ := strconv.Atoi(a.setting("min.insync.replicas"))
	return min(n, replicas)
}

// setting is the topic's value on this broker, parsed.
func (a *appending) setting(name string) string {
	key := topicSchema(false).byName[name]
	v, err := key.parse(a.broker.topicSetting(a.image, key, a.topic.configs))
	if err != nil {
		return *key.def
	}
	return v.text
}
