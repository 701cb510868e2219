package decide

// Step is one change to a topic. The steps of a plan stand in the order in which they are taken, and
// the failure of one leaves the others standing.
type Step interface{ step() }

// CreateTopic creates the topic. Config holds rendered values and never the window.
type CreateTopic struct {
	Partitions        int32 // −1: the broker's default
	ReplicationFactor int16 // −1: the broker's default
	Config            map[string]string
	// Doubtful has the creation validated first, because it failed before.
	Doubtful bool
}

// AddPartitions raises the number of partitions to Total.
type AddPartitions struct {
	Total int32
	// Doubtful has the change validated first, because it failed before.
	Doubtful bool
}

// AlterConfig sets and resets topic configs, the window excepted.
type AlterConfig struct {
	Changes []ConfigChange
	// Doubtful marks changes that the controller refused before: each is validated alone, and only what
	// passes is sent for real, so that a lasting refusal costs no write.
	Doubtful bool
	// Drift marks changes that put back what somebody else changed.
	Drift bool
}

// ConfigChange sets one topic config, or resets it to the broker's default.
type ConfigChange struct {
	Name  string
	Reset bool
	Value string // unless Reset
}

// SetWindow sets the dedup window, alone in its request.
type SetWindow struct {
	Value  int32
	Lowers bool // producers may have relied on more
	Again  bool // it was set before and is gone or different
}

// ResetWindow takes the topic's own window back, so that the broker's default holds.
type ResetWindow struct{ Lowers bool }

func (CreateTopic) step()   {}
func (AddPartitions) step() {}
func (AlterConfig) step()   {}
func (SetWindow) step()     {}
func (ResetWindow) step()   {}
