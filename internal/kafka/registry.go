package kafka

// Registry keeps one session for each key, shared by all who acquire it.
type Registry struct{}

// NewRegistry makes a registry; newSession is NewSession, or a test's.
func NewRegistry(newSession func(Config) *Session) *Registry { return &Registry{} }

// Acquire lends the session of key, made for config.
func (r *Registry) Acquire(key string, config Config) *Lease { return &Lease{} }

// Forget drops the session of key.
func (r *Registry) Forget(key string) {}

// Close ends all sessions.
func (r *Registry) Close() {}

// Lease is the right to use a session until it is released.
type Lease struct{ session *Session }

// Session is valid until Release.
func (l *Lease) Session() *Session { return l.session }

// Release may be called again.
func (l *Lease) Release() {}
