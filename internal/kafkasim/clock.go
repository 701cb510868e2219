package kafkasim

import (
	"sync"
	"time"
)

// A Clock tells a cluster the time. It decides which producers have expired, what LogAppendTime stamps, and when a
// delayed broker sees a change; delays of faults and latency are real time.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// A ManualClock stands still until it is told to move.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewManualClock starts a clock at now.
func NewManualClock(now time.Time) *ManualClock { return &ManualClock{now: now} }

// Now is the time that was set.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
