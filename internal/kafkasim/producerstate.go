package kafkasim

import (
	"math"
	"time"
)

// producerState is what one replica of one partition remembers of the producers that wrote to it.
type producerState struct {
	producers map[int64]*producerEntry
}

// A producerEntry holds the last batches of one producer, oldest first.
type producerEntry struct {
	epoch         int16
	batches       []batchMetadata
	lastTimestamp int64
}

// batchMetadata is what is remembered of one batch; the first sequence follows from it.
type batchMetadata struct {
	lastSequence int32
	lastOffset   int64
	offsetDelta  int32
	timestamp    int64
}

func (m batchMetadata) firstSequence() int32 { return decrementSequence(m.lastSequence, m.offsetDelta) }
func (m batchMetadata) firstOffset() int64   { return m.lastOffset - int64(m.offsetDelta) }

func newProducerState() *producerState {
	return &producerState{producers: map[int64]*producerEntry{}}
}

// duplicate finds a remembered batch of the same epoch with exactly the same first and last sequence.
func (s *producerState) duplicate(b *LogBatch) (batchMetadata, bool) {
	entry := s.producers[b.ProducerID]
	if entry == nil || entry.epoch != b.ProducerEpoch {
		return batchMetadata{}, false
	}
	for _, m := range entry.batches {
		if m.firstSequence() == b.BaseSequence && m.lastSequence == b.lastSequence() {
			return m, true
		}
	}
	return batchMetadata{}, false
}

// A sequenceVerdict says whether a batch may be appended.
type sequenceVerdict int

const (
	inSequence sequenceVerdict = iota
	staleEpoch
	outOfOrder
)

// check applies the rules of ProducerAppendInfo to a batch that is not a duplicate. A producer without an entry may
// begin with any sequence.
func (s *producerState) check(b *LogBatch) sequenceVerdict {
	entry := s.producers[b.ProducerID]
	switch {
	case entry == nil:
		return inSequence
	case b.ProducerEpoch < entry.epoch:
		return staleEpoch
	case b.ProducerEpoch > entry.epoch:
		if b.BaseSequence != 0 {
			return outOfOrder
		}
		return inSequence
	}
	last := int32(-1)
	if n := len(entry.batches); n > 0 {
		last = entry.batches[n-1].lastSequence
	}
	if b.BaseSequence == last+1 && last != math.MaxInt32 || b.BaseSequence == 0 && last == math.MaxInt32 {
		return inSequence
	}
	return outOfOrder
}

// append remembers a batch. A window that was lowered takes effect here, for this producer only; one that was raised
// grows by one batch with each append.
func (s *producerState) append(b *LogBatch, window int) {
	entry := s.producers[b.ProducerID]
	if entry == nil {
		entry = &producerEntry{epoch: b.ProducerEpoch}
		s.producers[b.ProducerID] = entry
	}
	if entry.epoch != b.ProducerEpoch {
		entry.epoch, entry.batches = b.ProducerEpoch, nil
	}
	if surplus := len(entry.batches) - window + 1; surplus > 0 {
		entry.batches = append([]batchMetadata(nil), entry.batches[surplus:]...)
	}
	entry.batches = append(entry.batches, batchMetadata{
		lastSequence: b.lastSequence(), lastOffset: b.LastOffset, offsetDelta: int32(b.LastOffset - b.BaseOffset), timestamp: b.MaxTimestamp,
	})
	entry.lastTimestamp = b.MaxTimestamp
}

// restore is what a restart leaves: the snapshot file holds the last batch of each producer, so the window is 1 until it
// fills again, and a producer whose last batch is too old is not loaded at all.
func (s *producerState) restore(now time.Time, expiration time.Duration) {
	s.expire(now, expiration)
	for _, entry := range s.producers {
		if n := len(entry.batches); n > 1 {
			entry.batches = append([]batchMetadata(nil), entry.batches[n-1])
		}
	}
}

// expire forgets producers by the time of their last batch, which is the producer's clock and not the broker's.
func (s *producerState) expire(now time.Time, expiration time.Duration) {
	for id, entry := range s.producers {
		if now.UnixMilli()-entry.lastTimestamp >= expiration.Milliseconds() {
			delete(s.producers, id)
		}
	}
}

// Sequences wrap after 2147483647 to 0.

func incrementSequence(sequence, by int32) int32 {
	if sequence > math.MaxInt32-by {
		return by - (math.MaxInt32 - sequence) - 1
	}
	return sequence + by
}

func decrementSequence(sequence, by int32) int32 {
	if sequence < by {
		return math.MaxInt32 - (by - sequence) + 1
	}
	return sequence - by
}
