package testbed

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Ports are taken from below every system's ephemeral range: there, an outgoing connection could be given the port of
// a broker that is just restarting.
const firstPort, lastPort = 20000, 29999

// ports are reserved on 127.0.0.1 until they are released or this process ends.
type ports struct{ locks []*os.File }

// reserve returns a port that nothing listens on and that no other test bed of this user will take.
func (p *ports) reserve() (int, error) {
	folder, err := cacheFolder("ports")
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	const tries = 1000
	for range tries {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		lock, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return 0, err
		}
		if tryLock(lock) && isFree(port) {
			p.locks = append(p.locks, lock)
			return port, nil
		}
		lock.Close()
	}
	return 0, fmt.Errorf("no free port on 127.0.0.1 in %d tries between %d and %d", tries, firstPort, lastPort)
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func (p *ports) release() {
	for _, lock := range p.locks {
		lock.Close()
	}
	p.locks = nil
}
