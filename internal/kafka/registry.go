package kafka

import (
	"slices"
	"sync"
)

// Registry keeps one session for each key, shared by all who acquire it. A session that a changed config replaces stays open until
// the last of its leases is released, so that nobody's call is cut off.
type Registry struct {
	newSession func(Config) *Session

	mu      sync.Mutex
	closed  bool
	current map[string]*shared
	all     map[*shared]bool // with those that were replaced or forgotten and are still leased
}

// shared is a session and how many use it.
type shared struct {
	session *Session
	config  Config
	leases  int
	dropped bool // nobody new gets it
}

// NewRegistry makes a registry; newSession is NewSession, or a test's.
func NewRegistry(newSession func(Config) *Session) *Registry {
	return &Registry{newSession: newSession, current: map[string]*shared{}, all: map[*shared]bool{}}
}

// Acquire lends the session of key, made for config; a session made for another config is replaced. The lease must be released.
// After Close it lends a closed session.
func (r *Registry) Acquire(key string, config Config) *Lease {
	r.mu.Lock()
	var over *shared
	s := r.current[key]
	if s == nil || !s.fits(config) {
		if s != nil {
			over = r.drop(key)
		}
		s = &shared{session: r.newSession(config), config: config, dropped: r.closed}
		r.all[s] = true
		if r.closed {
			s.session.Close()
		} else {
			r.current[key] = s
		}
	}
	s.leases++
	r.mu.Unlock()
	over.close()
	return &Lease{session: s.session, release: sync.OnceFunc(func() { r.release(s) })}
}

// fits says whether the session is what config asks for. The cluster id that it has pinned by itself is as good as one that it was
// given: who writes the first-seen id down and comes back with it gets the same session, and so does who has not read it yet.
func (s *shared) fits(config Config) bool {
	a, b := s.config.withDefaults(), config.withDefaults()
	return slices.Equal(a.BootstrapServers, b.BootstrapServers) && a.ClientID == b.ClientID &&
		a.DialTimeout == b.DialTimeout && a.RequestTimeout == b.RequestTimeout && a.Revision == b.Revision &&
		(b.ClusterID == "" || b.ClusterID == s.session.ClusterID())
}

func (r *Registry) release(s *shared) {
	r.mu.Lock()
	s.leases--
	var over *shared
	if s.dropped && s.leases == 0 {
		over = s
		delete(r.all, s)
	}
	r.mu.Unlock()
	over.close()
}

// drop takes the session of key out of circulation, and returns it if it is to be closed by now.
func (r *Registry) drop(key string) *shared {
	s := r.current[key]
	if s == nil {
		return nil
	}
	delete(r.current, key)
	s.dropped = true
	if s.leases > 0 {
		return nil
	}
	delete(r.all, s)
	return s
}

func (s *shared) close() {
	if s != nil {
		s.session.Close()
	}
}

// Forget drops the session of key. It is closed when its last lease is released, at once if there is none.
func (r *Registry) Forget(key string) {
	r.mu.Lock()
	over := r.drop(key)
	r.mu.Unlock()
	over.close()
}

// Close ends all sessions, leased ones too, and returns when they are gone.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	sessions := make([]*Session, 0, len(r.all))
	for s := range r.all {
		s.dropped = true
		sessions = append(sessions, s.session)
	}
	clear(r.current)
	r.mu.Unlock()
	for _, s := range sessions {
		s.Close()
	}
}

// Lease is the right to use a session until it is released.
type Lease struct {
	session *Session
	release func()
}

// Session is valid until Release.
func (l *Lease) Session() *Session { return l.session }

// Release may be called again.
func (l *Lease) Release() { l.release() }
