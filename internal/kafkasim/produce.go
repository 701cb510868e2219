package kafkasim

import (
	"bytes"
	"errors"
	"strconv"

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

// appendAsLeader looks for a duplicate first, then at epoch and sequence, and then appends.
func (a *appending) appendAsLeader(batch *protocol.RecordBatch, raw []byte, r *protocol.PartitionProduceResponse) {
	c, p := a.cluster, a.cluster.metadata.byID[a.topic.id].partitions[a.number]
	if a.request.Acks == -1 && len(p.isr) < a.minInSync(len(p.replicas)) {
		r.ErrorCode = protocol.CodeNotEnoughReplicas
		r.ErrorMessage = failure(0, "The size of the current ISR : %d is insufficient to satisfy the min.isr requirement of %d for partition %s-%d,"+
			" live replica(s) broker.id are : %s", len(p.isr), a.minInSync(len(p.replicas)), a.topic.name, a.number, javaSet(p.isr)).message
		return
	}
	if code, message := a.checkBatch(batch, len(raw)); code != protocol.CodeNone {
		r.ErrorCode, r.ErrorMessage = code, message
		return
	}
	l := c.log(logKey{a.topic.id, a.number})
	replica := c.replicaOn(a.broker, a.topic, a.number)
	r.LogStartOffset = 0
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
		if code, message := a.checkSequence(replica.state, &entry); code != protocol.CodeNone {
			r.ErrorCode, r.ErrorMessage, r.LogStartOffset = code, message, 0
			return
		}
	}
	c.append(c.metadata.byID[a.topic.id], a.number, entry)
	r.BaseOffset, r.LogAppendTimeMs = entry.BaseOffset, appendTime
}

// checkBatch is what LogValidator refuses of a batch as such.
func (a *appending) checkBatch(batch *protocol.RecordBatch, size int) (protocol.ErrorCode, protocol.NullString) {
	limit, _ := strconv.Atoi(a.setting("max.message.bytes"))
	partition := a.topic.name + "-" + strconv.Itoa(int(a.number))
	switch {
	case batch.BaseOffset != 0:
		return protocol.CodeInvalidRecord, failure(0, "The baseOffset of the record batch in the append to %s should be 0, but it is %d", partition, batch.BaseOffset).message
	case size > limit:
		return protocol.CodeMessageTooLarge, failure(0, "The record batch size in the append to %s is %d bytes which exceeds the maximum configured value of %d).",
			partition, size, limit).message
	case batch.Attributes&protocol.AttributeControl != 0:
		return protocol.CodeInvalidRecord, protocol.StringOf("Clients are not allowed to write control records")
	case batch.LastOffsetDelta+1 != batch.NumRecords:
		return protocol.CodeInvalidRecord, failure(0, "Inconsistent batch offset range [0, %d] and count of records %d", batch.LastOffsetDelta, batch.NumRecords).message
	case batch.ProducerID >= 0 && batch.BaseSequence < 0:
		return protocol.CodeInvalidRecord, failure(0, "Invalid sequence number %d in record batch with producerId %d", batch.BaseSequence, batch.ProducerID).message
	}
	return protocol.CodeNone, protocol.NullString{}
}

func (a *appending) checkSequence(state *producerState, b *LogBatch) (protocol.ErrorCode, protocol.NullString) {
	known := state.producers[b.ProducerID]
	partition := a.topic.name + "-" + strconv.Itoa(int(a.number))
	switch state.check(b) {
	case staleEpoch:
		return protocol.CodeInvalidProducerEpoch, failure(0, "Epoch of producer %d at offset %d in %s is %d, which is < the last seen epoch %d (TV-1)",
			b.ProducerID, b.BaseOffset, partition, b.ProducerEpoch, known.epoch).message
	case outOfOrder:
		if b.ProducerEpoch != known.epoch {
			return protocol.CodeOutOfOrderSequenceNumber, failure(0, "Invalid sequence number for new epoch of producer %d at offset %d in partition %s: "+
				"%d (request epoch), %d (seq. number), %d (current producer epoch)", b.ProducerID, b.BaseOffset, partition, b.ProducerEpoch, b.BaseSequence, known.epoch).message
		}
		last := int32(-1)
		if n := len(known.batches); n > 0 {
			last = known.batches[n-1].lastSequence
		}
		return protocol.CodeOutOfOrderSequenceNumber, failure(0, "Out of order sequence number for producer %d at offset %d in partition %s: %d (incoming seq. number), "+
			"%d (current end sequence number)", b.ProducerID, b.BaseOffset, partition, b.BaseSequence, last).message
	}
	return protocol.CodeNone, protocol.NullString{}
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

func javaSet(ids []int32) string {
	var b bytes.Buffer
	b.WriteString("Set(")
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(int(id)))
	}
	b.WriteString(")")
	return b.String()
}
