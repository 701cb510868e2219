package kafkasim

import (
	"slices"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// LogBatch is one batch of a partition.
type LogBatch struct {
	BaseOffset, LastOffset int64
	LeaderEpoch            int32
	ProducerID             int64 // −1: not idempotent
	ProducerEpoch          int16
	BaseSequence           int32
	MaxTimestamp           int64
	Bytes                  []byte // as it came
}

func (b *LogBatch) lastSequence() int32 {
	return incrementSequence(b.BaseSequence, int32(b.LastOffset-b.BaseOffset))
}

type logKey struct {
	topic     protocol.UUID
	partition int32
}

// A partitionLog is the data of a partition and what each replica remembers of its producers. All replicas that are in
// sync hold the same data, so it is kept once; what differs is how far a replica has read it.
type partitionLog struct {
	batches  []LogBatch
	end      int64 // offset of the next record
	replicas map[int32]*replica
}

type replica struct {
	state       *producerState
	seen        int // batches
	lastExpired time.Time
}

const (
	// Brokers look for expired producers every producer.id.expiration.check.interval.ms, and not at each append.
	expirationCheckInterval = 10 * time.Minute
	expirationKey           = "producer.id.expiration.ms"
)

func (c *Cluster) log(key logKey) *partitionLog {
	l := c.logs[key]
	if l == nil {
		l = &partitionLog{replicas: map[int32]*replica{}}
		c.logs[key] = l
	}
	return l
}

// replicaOn is the state of one replica, up to date with the log.
func (c *Cluster) replicaOn(b *broker, t *topic, number int32) *replica {
	l := c.log(logKey{t.id, number})
	r := l.replicas[b.id]
	now := c.clock.Now()
	if r == nil {
		r = &replica{state: newProducerState(), lastExpired: now}
		l.replicas[b.id] = r
	}
	if now.Sub(r.lastExpired) >= expirationCheckInterval {
		r.lastExpired = now
		r.state.expire(now, c.producerExpiration(b))
	}
	window := c.windowOn(b, t)
	for ; r.seen < len(l.batches); r.seen++ {
		if batch := &l.batches[r.seen]; batch.ProducerID >= 0 {
			r.state.append(batch, window)
		}
	}
	return r
}

// append writes a batch on the leader; the other replicas in sync have it before the answer.
func (c *Cluster) append(t *topic, number int32, batch LogBatch) {
	l := c.log(logKey{t.id, number})
	l.batches = append(l.batches, batch)
	l.end = batch.LastOffset + 1
	for _, id := range t.partitions[number].isr {
		if b := c.brokers[id]; b != nil && b.running() {
			c.replicaOn(b, t, number)
		}
	}
}

// catchUp is a broker's restart, as far as its replicas go: the snapshot, and then the batches that came meanwhile.
func (c *Cluster) catchUp(b *broker) {
	now := c.clock.Now()
	for _, t := range c.metadata.topics {
		for number := range t.partitions {
			l := c.logs[logKey{t.id, int32(number)}]
			if l == nil || !slices.Contains(t.partitions[number].replicas, b.id) {
				continue
			}
			if r := l.replicas[b.id]; r != nil {
				r.state.restore(now, c.producerExpiration(b))
				r.lastExpired = now
			}
			c.replicaOn(b, t, int32(number))
		}
	}
}

// windowOn is how many batches a replica on this broker remembers per producer of this topic, as far as the broker has
// heard of the topic's config.
func (c *Cluster) windowOn(b *broker, t *topic) int {
	if !b.software.KnowsWindowKey {
		return stockWindow
	}
	if current := b.view.image.byID[t.id]; current != nil {
		t = current
	}
	v, err := windowTopicKey.parse(b.topicSetting(b.view.image, &windowTopicKey, t.configs))
	if err != nil {
		return stockWindow
	}
	return int(v.number)
}

func (c *Cluster) producerExpiration(b *broker) time.Duration {
	key := brokerSchema(b.software.KnowsWindowKey).byName[expirationKey]
	v, err := key.parse(b.setting(c.metadata, key))
	if err != nil {
		return 24 * time.Hour
	}
	return time.Duration(v.number) * time.Millisecond
}
