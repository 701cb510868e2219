package kafkasim

import (
	"math"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// producerIDs hands out producer ids. There are no transactions, but a transactional id keeps its producer id and fences
// whoever had it by a higher epoch.
type producerIDs struct {
	next          int64
	transactional map[string]producerIdentity
}

type producerIdentity struct {
	id    int64
	epoch int16
}

func (p *producerIDs) fresh() producerIdentity {
	p.next++
	return producerIdentity{id: p.next - 1}
}

// maxTransactionTimeoutMs is transaction.max.timeout.ms as it comes.
const maxTransactionTimeoutMs = 900_000

func (c *Cluster) initProducerID(version int16, req *protocol.InitProducerIdRequest) *protocol.InitProducerIdResponse {
	resp := protocol.NewInitProducerIdResponse()
	resp.ProducerEpoch = -1
	known := c.producers.transactional[req.TransactionalID.S]
	named := req.ProducerID != -1 || req.ProducerEpoch != -1
	switch {
	case (req.ProducerID == -1) != (req.ProducerEpoch == -1),
		req.TransactionalID.Valid && req.TransactionalID.S == "":
		resp.ErrorCode = protocol.CodeInvalidRequest
	case !req.TransactionalID.Valid:
		got := c.producers.fresh()
		resp.ProducerID, resp.ProducerEpoch = got.id, got.epoch
	case req.TransactionTimeoutMs <= 0 || req.TransactionTimeoutMs > maxTransactionTimeoutMs:
		resp.ErrorCode = protocol.CodeInvalidTransactionTimeout
	case named && known.id != 0 && (req.ProducerID != known.id || req.ProducerEpoch != known.epoch):
		resp.ErrorCode = protocol.CodeProducerFenced
		if version < 4 {
			resp.ErrorCode = protocol.CodeInvalidProducerEpoch
		}
	default:
		switch {
		case known.id == 0, known.epoch == math.MaxInt16-1:
			known = c.producers.fresh()
		default:
			known.epoch++
		}
		c.producers.transactional[req.TransactionalID.S] = known
		resp.ProducerID, resp.ProducerEpoch = known.id, known.epoch
	}
	return resp
}
