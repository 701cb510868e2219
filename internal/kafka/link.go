package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// link is the way to one broker, or to whichever bootstrap server answers: a connection while there is one, the attempt to make
// one, or the rest that the address is given after a failed attempt.
type link struct {
	session   *Session
	broker    int32 // −1: the bootstrap servers
	addresses []string

	mu        sync.Mutex
	conn      *connection
	attempt   *attempt // under way
	err       error    // of the last attempt, nil after a good one
	failures  int      // in a row
	notBefore time.Time
	gone      error // no connection is made or kept any more
}

// attempt is one dial that everybody who needs the link waits for together.
type attempt struct {
	over chan struct{}
	conn *connection
	err  error
}

func newLink(s *Session, broker int32, addresses ...string) *link {
	return &link{session: s, broker: broker, addresses: addresses}
}

// live is the connection if there is a usable one.
func (l *link) live() *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil && l.conn.usable() {
		return l.conn
	}
	return nil
}

// connect returns the connection, making one if need be. It takes part in at most one attempt, waiting out the rest after an
// earlier one if the context lives long enough, and otherwise failing at once as that one did.
func (l *link) connect(ctx context.Context) (*connection, error) {
	for {
		l.mu.Lock()
		if l.gone != nil {
			defer l.mu.Unlock()
			return nil, l.gone
		}
		if l.conn != nil && l.conn.usable() {
			defer l.mu.Unlock()
			return l.conn, nil
		}
		rest := time.Until(l.notBefore)
		if l.attempt == nil && rest <= 0 && !l.begin() {
			defer l.mu.Unlock()
			return nil, ErrClosed
		}
		current, last := l.attempt, l.err
		l.mu.Unlock()

		if current != nil {
			select {
			case <-current.over:
				return current.conn, current.err
			case <-ctx.Done():
				return nil, l.tooLate(ctx, last)
			}
		}
		if !sleep(ctx, rest) {
			return nil, l.tooLate(ctx, last)
		}
	}
}

// tooLate is why a caller whose time is up has no connection: what is known of the address, rather than that time is up.
func (l *link) tooLate(ctx context.Context, last error) error {
	switch {
	case errors.Is(reason(ctx), ErrClosed), errors.Is(reason(ctx), context.Canceled):
		return reason(ctx)
	case last != nil:
		return last
	}
	return &ConnectError{Address: strings.Join(l.addresses, ", "), Kind: Timeout, Err: context.DeadlineExceeded}
}

// begin starts an attempt that belongs to the session: it goes on when the caller who wanted it gives up.
func (l *link) begin() bool {
	if !l.session.join() {
		return false
	}
	a := &attempt{over: make(chan struct{})}
	l.attempt = a
	go func() {
		defer l.session.running.Done()
		conn, err := l.session.dialFirst(l.broker, l.addresses)
		l.settle(a, conn, err)
	}()
	return true
}

func (l *link) settle(a *attempt, conn *connection, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone != nil {
		if conn != nil {
			conn.end(l.gone)
		}
		conn, err = nil, l.gone
	}
	l.attempt, l.conn, l.err = nil, conn, err
	l.failures++
	l.notBefore = time.Now().Add(l.session.backoff(l.failures))
	if err == nil {
		l.failures, l.notBefore = 0, time.Time{}
	}
	a.conn, a.err = conn, err
	close(a.over)
}

// distrust gives the connection up once nothing is in flight on it, so that the next caller shakes hands anew.
func (l *link) distrust() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.retire()
	}
}

// retire is distrust for good.
func (l *link) retire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = &UnknownBrokerError{ID: l.broker}
	if l.conn != nil {
		l.conn.retire()
	}
}

const (
	// dialStagger is the head start of an address over the next one.
	dialStagger = 250 * time.Millisecond
	// dialBudget bounds one attempt over all addresses; with the rest before it, it leaves a caller an answer within five seconds.
	dialBudget = 3500 * time.Millisecond
)

// dialFirst connects to the first address that answers as a broker of our cluster. The others get their try when the ones before
// them have failed, or have not answered for a moment. An address with a foreign cluster behind it spoils the attempt.
func (s *Session) dialFirst(broker int32, addresses []string) (*connection, error) {
	if len(addresses) == 0 {
		return nil, &ConnectError{Address: "(no address given)", Kind: Unresolvable}
	}
	ctx, cancel := context.WithTimeout(s.alive, dialBudget)
	defer cancel()
	c, errs := firstOf(ctx, &s.life, addresses, func(ctx context.Context, address string) (*connection, error) {
		return s.dial(ctx, broker, address)
	}, func(loser *connection) { loser.end(errRetired) })
	switch {
	case errs == nil:
		return c, nil
	case s.alive.Err() != nil:
		return nil, ErrClosed
	}
	return nil, combined(errs)
}

// dial makes one connection and proves whom it leads to.
func (s *Session) dial(ctx context.Context, broker int32, address string) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.DialTimeout)
	defer cancel()
	log := s.config.Logger.V(1).WithValues("address", address, "broker", broker)
	socket, err := s.config.Dial(ctx, "tcp", address)
	if err != nil {
		err = connectError(address, err)
		log.Info("could not connect", "kind", err.Error())
		return nil, err
	}
	if !s.join() {
		_ = socket.Close()
		return nil, ErrClosed
	}
	c := newConnection(socket, address, broker, s.config.ClientID, s.config.RequestTimeout)
	stop := context.AfterFunc(s.alive, func() { c.end(ErrClosed) })
	var admitted atomic.Bool
	go func() {
		defer s.running.Done()
		c.loops.Wait()
		stop()
		if admitted.Load() {
			s.noteLoss(c)
		}
	}()
	cluster, err := handshake(ctx, c)
	if err == nil {
		err = s.admit(cluster, c)
	}
	if err != nil {
		c.end(err)
		log.Info("could not shake hands", "kind", err.Error())
		return nil, err
	}
	admitted.Store(true)
	s.learn(cluster, false)
	log.Info("connected", "cluster", cluster.ID)
	return c, nil
}

// noteLoss tells of a connection that ended, unless the session ended it.
func (s *Session) noteLoss(c *connection) {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if s.config.ConnectionLost != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, errRetired) {
		s.config.ConnectionLost()
	}
}

// firstOf tries candidates one after the other, each a moment after the one before or as soon as all before have failed, and
// returns the first success. Later successes are handed to discard. If all fail, it returns their errors, in the candidates' order.
// A foreign cluster behind one of them counts for all.
func firstOf[A, T any](
	ctx context.Context, life *life, candidates []A, try func(context.Context, A) (T, error), discard func(T),
) (T, []error) {
	type result struct {
		index int
		value T
		err   error
	}
	var (
		none    T
		results = make(chan result, len(candidates))
		errs    = make([]error, len(candidates))
		started int
		failed  int
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := func() bool {
		if started == len(candidates) || !life.join() {
			return false
		}
		index := started
		started++
		go func() {
			defer life.running.Done()
			value, err := try(ctx, candidates[index])
			results <- result{index, value, err}
		}()
		return true
	}
	// Whoever is still trying when the winner is known has a cancelled context, and what it brings nevertheless is discarded.
	leave := func() {
		pending := started - failed - 1
		if pending == 0 || discard == nil || !life.join() {
			return
		}
		go func() {
			defer life.running.Done()
			for range pending {
				if late := <-results; late.err == nil {
					discard(late.value)
				}
			}
		}()
	}
	if !start() {
		return none, []error{ErrClosed}
	}
	stagger := time.NewTicker(dialStagger)
	defer stagger.Stop()
	for {
		select {
		case r := <-results:
			if r.err == nil {
				leave()
				return r.value, nil
			}
			if _, replaced := errors.AsType[*ClusterReplacedError](r.err); replaced {
				leave()
				return none, []error{r.err}
			}
			errs[r.index] = r.err
			failed++
			if failed == started && !start() {
				return none, errs[:started]
			}
		case <-stagger.C:
			start()
		}
	}
}

// combined is the first error, with the others in its text where they tell of other addresses.
func combined(errs []error) error {
	var first *ConnectError
	if !errors.As(errs[0], &first) {
		return errs[0]
	}
	all := *first
	told := map[string]bool{all.Address: true} // a bootstrap server is often a broker, too
	for _, err := range errs[1:] {
		var other *ConnectError
		if errors.As(err, &other) && !told[other.Address] {
			told[other.Address] = true
			all.others = append(all.others, fmt.Sprintf("%s: %s", other.Address, other.what()))
		}
	}
	return &all
}
