package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// target says who may answer.
type target struct {
	kind   targetKind
	broker int32
}

type targetKind uint8

const (
	anyone targetKind = iota
	controllerFirst
	oneBroker
)

var (
	anyBroker     = target{kind: anyone}
	theController = target{kind: controllerFirst} // or any other broker if that can't be reached: under KRaft all forward to it
)

func broker(id int32) target { return target{kind: oneBroker, broker: id} }

// asking is one attempt on one connection. Its error is an *Error for what a broker answered.
type asking func(ctx context.Context, c *connection) error

// read asks until there is an answer that repeating can't improve, or the context ends.
func (s *Session) read(ctx context.Context, to target, ask asking) error {
	ctx, release := s.bind(ctx)
	defer release()
	for attempt := 1; ; attempt++ {
		c, err := s.route(ctx, to)
		if err != nil {
			return err
		}
		asked := time.Now()
		if err = ask(ctx, c); err == nil {
			return nil
		}
		again, wait := worthRepeating(err)
		if !again || ctx.Err() != nil {
			return plain(err)
		}
		if !sleep(ctx, max(wait, s.backoff(attempt))) {
			return fmt.Errorf("%w (given up after %d attempts)", plain(err), attempt)
		}
		if ClassOf(err) == Refresh {
			_ = s.refresh(ctx, asked) // if it fails, so will the next attempt, which has the better error
		}
	}
}

// worthRepeating says whether a failed read may succeed if it is asked again, and how long the broker wants to be left alone.
func worthRepeating(err error) (again bool, wait time.Duration) {
	var (
		refused *Error
		lost    *noAnswerError
		connect *ConnectError
	)
	switch {
	case IsTopicNotFound(err): // an answer, and the caller knows whether the topic is so new that brokers may not have heard of it
		return false, 0
	case errors.As(err, &refused):
		class := ClassOf(refused)
		return class == Retry || class == Refresh || class == OutcomeUnknown, refused.RetryAfter
	case errors.As(err, &lost):
		if errors.As(lost.err, &connect) {
			return connect.Kind != NotKafka, 0
		}
		return errors.Is(lost.err, errRetired), 0
	}
	return false, 0
}

// plain is the error without the envelope that only this package needs.
func plain(err error) error {
	if lost, ok := errors.AsType[*noAnswerError](err); ok {
		return lost.err
	}
	return err
}

// readAt asks one broker. If another one answers at its address, it looks once where the broker is now.
func (s *Session) readAt(ctx context.Context, brokerID int32, ask asking) error {
	err := s.read(ctx, broker(brokerID), ask)
	var other *otherBrokerError
	if errors.As(err, &other) {
		other.conn.retire()
		if err := s.refresh(ctx, time.Now()); err != nil {
			return err
		}
		err = s.read(ctx, broker(brokerID), ask)
	}
	if errors.As(err, &other) {
		other.conn.retire()
		return &MisroutedError{Broker: brokerID, Address: other.conn.address}
	}
	return err
}

// otherBrokerError is a connection that was thought to lead to a broker and leads to another one.
type otherBrokerError struct{ conn *connection }

func (e *otherBrokerError) Error() string { return "another broker answers at " + e.conn.address }

// change writes, or with validateOnly has the write checked, which is a read.
func (s *Session) change(ctx context.Context, api protocol.APIKey, object string, validateOnly bool, ask asking) error {
	if validateOnly {
		return s.read(ctx, theController, ask)
	}
	return s.write(ctx, api.String(), object, ask)
}

// patience is how long a broker may wait for the controller: a bit shorter than this client waits for the broker, so that the
// answer still comes.
func (s *Session) patience(ctx context.Context) time.Duration {
	patience := s.config.RequestTimeout
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(deadline))
	}
	return max(patience*4/5, time.Millisecond)
}

// write asks the controller, and again only after an attempt that surely had no effect.
func (s *Session) write(ctx context.Context, api, object string, ask asking) error {
	ctx, release := s.bind(ctx)
	defer release()
	refreshed := false
	for attempt := 1; ; attempt++ {
		c, err := s.route(ctx, theController)
		if err != nil {
			return err
		}
		asked := time.Now()
		if err = ask(ctx, c); err == nil {
			return nil
		}
		var (
			refused *Error
			lost    *noAnswerError
			wait    = s.backoff(attempt)
		)
		switch {
		case errors.As(err, &lost) && lost.sent:
			return &OutcomeUnknownError{API: api, Object: object, Err: lost.err}
		case errors.As(err, &lost):
			if ctx.Err() != nil {
				return lost.err
			}
		case !errors.As(err, &refused):
			return err
		case effectUnknown[refused.Code]:
			return &OutcomeUnknownError{API: api, Object: object, Err: refused}
		case refused.Code == protocol.CodeNotController && !refreshed:
			refreshed = true
			_ = s.refresh(ctx, asked)
		case refused.Code == protocol.CodeThrottlingQuotaExceeded:
			wait = max(wait, refused.RetryAfter)
		default:
			return err
		}
		if !sleep(ctx, wait) {
			return plain(err)
		}
	}
}

// effectUnknown are the answers to a write that leave open whether it was done: the broker's patience ended before the controller
// answered, or it failed somewhere inside.
var effectUnknown = map[protocol.ErrorCode]bool{
	protocol.CodeRequestTimedOut:    true,
	protocol.CodeNetworkException:   true,
	protocol.CodeUnknownServerError: true,
}

// connectBudget is how long a call looks for a connection.
const connectBudget = 4800 * time.Millisecond

// route finds a connection to somebody who may answer.
func (s *Session) route(ctx context.Context, to target) (*connection, error) {
	search, cancel := context.WithTimeout(ctx, connectBudget)
	defer cancel()
	if err := s.stillOurs(search); err != nil {
		return nil, err
	}
	if to.kind == oneBroker {
		return s.toBroker(search, to.broker)
	}
	return s.toFirst(search, s.candidates(to))
}

// stillOurs holds everything back after a foreign cluster was seen, until a bootstrap server has proved that it was a stray.
func (s *Session) stillOurs(ctx context.Context) error {
	s.mu.Lock()
	replaced := s.replaced
	s.mu.Unlock()
	if !replaced {
		return nil
	}
	_, err := s.bootstrap.connect(ctx)
	return err
}

// candidates are links in the order in which they should be tried: the controller if it is asked for, then connections that are
// there, taking turns, then brokers that are known, and the bootstrap servers last.
func (s *Session) candidates(to target) []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	var first, ready, known []*link
	for id, l := range s.brokers {
		switch {
		case to.kind == controllerFirst && id == s.controller:
			first = append(first, l)
		case l.live() != nil:
			ready = append(ready, l)
		default:
			known = append(known, l)
		}
	}
	slices.SortFunc(known, func(a, b *link) int { return cmp.Compare(a.broker, b.broker) }) // so that failures read the same each time
	if s.bootstrap.live() != nil {
		ready = append(ready, s.bootstrap)
	} else {
		known = append(known, s.bootstrap)
	}
	if len(ready) > 0 {
		slices.SortFunc(ready, func(a, b *link) int { return cmp.Compare(a.broker, b.broker) })
		at := s.turn % len(ready)
		ready = append(ready[at:], ready[:at]...)
	}
	return append(append(first, ready...), known...)
}

func (s *Session) toFirst(ctx context.Context, links []*link) (*connection, error) {
	if c := links[0].live(); c != nil {
		return c, nil
	}
	c, errs := firstOf(ctx, &s.life, links, func(ctx context.Context, l *link) (*connection, error) { return l.connect(ctx) }, nil)
	if errs != nil {
		slices.Reverse(errs) // the bootstrap servers are what the user knows
		return nil, combined(errs)
	}
	return c, nil
}

// toBroker connects to one broker. If that fails, it may have moved: whoever else answers knows its address.
func (s *Session) toBroker(ctx context.Context, id int32) (*connection, error) {
	tried := s.linkTo(id)
	var err error = &UnknownBrokerError{ID: id}
	if tried != nil {
		var c *connection
		if c, err = tried.connect(ctx); err == nil {
			return c, nil
		}
	}
	var replaced *ClusterReplacedError
	if errors.As(err, &replaced) || ctx.Err() != nil {
		return nil, err
	}
	if unknown := s.refresh(ctx, time.Now()); tried == nil && unknown != nil {
		return nil, unknown
	}
	now := s.linkTo(id)
	switch now {
	case nil:
		return nil, &UnknownBrokerError{ID: id}
	case tried:
		return nil, err
	}
	return now.connect(ctx)
}

func (s *Session) linkTo(broker int32) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.brokers[broker]
}

// refresh learns anew where the brokers are, unless somebody has done so since.
func (s *Session) refresh(ctx context.Context, since time.Time) error {
	select {
	case s.refreshing <- struct{}{}:
		defer func() { <-s.refreshing }()
	case <-ctx.Done():
		return reason(ctx)
	}
	s.mu.Lock()
	fresh := s.refreshed.After(since)
	s.mu.Unlock()
	if fresh {
		return nil
	}
	if err := s.stillOurs(ctx); err != nil {
		return err
	}
	c, err := s.toFirst(ctx, s.candidates(anyBroker))
	if err != nil {
		return err
	}
	cluster, err := askForCluster(ctx, c)
	if err != nil {
		return plain(err)
	}
	s.learn(cluster, true)
	s.mu.Lock()
	s.refreshed = time.Now()
	s.mu.Unlock()
	return nil
}
