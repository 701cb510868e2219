package kafka

import (
	"errors"
	"sync"
	"testing"

	"github.com/kafka-dedup/operator/internal/kafkasim"
)

func TestOneSessionForEachKeyAndConfig(t *testing.T) {
	leavesNothing(t)
	r := NewRegistry(NewSession)
	t.Cleanup(r.Close)
	config := Config{BootstrapServers: []string{"a:1"}}
	first, second := r.Acquire("ns/a", config), r.Acquire("ns/a", config)
	other := r.Acquire("ns/b", config)
	if first.Session() != second.Session() || first.Session() == other.Session() {
		t.Error("sessions are not shared by key")
	}
	first.Release()
	first.Release()
	if second.Session().alive.Err() != nil {
		t.Error("a lease released twice closed a session in use")
	}
	second.Release()
	again := r.Acquire("ns/a", config)
	defer again.Release()
	if again.Session() != first.Session() {
		t.Error("an unused session was not kept")
	}
}

func TestAChangedConfigSwapsTheSessionWithoutClosingOneInUse(t *testing.T) {
	leavesNothing(t)
	r := NewRegistry(NewSession)
	t.Cleanup(r.Close)
	config := Config{BootstrapServers: []string{"a:1"}}
	for name, change := range map[string]func(*Config){
		"servers":    func(c *Config) { c.BootstrapServers = []string{"b:1"} },
		"cluster id": func(c *Config) { c.ClusterID = "X" },
		"revision":   func(c *Config) { c.Revision = "2" },
		"time-out":   func(c *Config) { c.RequestTimeout = 1 },
	} {
		changed := config
		change(&changed)
		old := r.Acquire(name, config)
		fresh := r.Acquire(name, changed)
		if old.Session() == fresh.Session() {
			t.Errorf("%s: not swapped", name)
		}
		if old.Session().alive.Err() != nil {
			t.Errorf("%s: closed while in use", name)
		}
		old.Release()
		if old.Session().alive.Err() == nil {
			t.Errorf("%s: the old one stays open", name)
		}
		fresh.Release()
	}
}

func TestWritingThePinnedIDDownKeepsTheSession(t *testing.T) {
	sim := cluster(t, kafkasim.Options{Brokers: 1})
	r := NewRegistry(NewSession)
	t.Cleanup(r.Close)
	config := Config{BootstrapServers: sim.BootstrapServers()}
	first := r.Acquire("a", config)
	defer first.Release()
	_, err := first.Session().DescribeCluster(t.Context())
	must(t, err)
	pinned := config
	pinned.ClusterID = sim.ID()
	second, third := r.Acquire("a", pinned), r.Acquire("a", config)
	defer second.Release()
	defer third.Release()
	if first.Session() != second.Session() || second.Session() != third.Session() {
		t.Error("the session was swapped")
	}
	named := config
	named.ClusterID = "another"
	fourth := r.Acquire("a", named)
	defer fourth.Release()
	if fourth.Session() == first.Session() {
		t.Error("another id got the same session")
	}
}

func TestForgetAndCloseEndSessions(t *testing.T) {
	leavesNothing(t)
	r := NewRegistry(NewSession)
	config := Config{BootstrapServers: []string{"a:1"}}
	leased, idle := r.Acquire("leased", config), r.Acquire("idle", config)
	idle.Release()
	r.Forget("leased")
	r.Forget("idle")
	r.Forget("unknown")
	if leased.Session().alive.Err() != nil || idle.Session().alive.Err() == nil {
		t.Error("Forget closed the wrong one")
	}
	if fresh := r.Acquire("leased", config); fresh.Session() == leased.Session() {
		t.Error("a forgotten session was lent again")
	}
	r.Close()
	if leased.Session().alive.Err() == nil {
		t.Error("a leased session outlived the registry")
	}
	leased.Release()
	late := r.Acquire("leased", config)
	if _, err := late.Session().DescribeCluster(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	late.Release()
	r.Close()
}

func TestManyAcquireAndReleaseAtOnce(t *testing.T) {
	leavesNothing(t)
	r := NewRegistry(NewSession)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 100 {
				lease := r.Acquire("a", Config{BootstrapServers: []string{"a:1"}, Revision: string(rune('a' + (i*n)%3))})
				if lease.Session().alive.Err() != nil {
					t.Error("a closed session was lent")
				}
				lease.Release()
			}
		})
	}
	all.Wait()
	r.Close()
	if len(r.all) != 0 && len(r.current) != 0 {
		t.Error("sessions are kept")
	}
}
