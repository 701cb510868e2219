package testbed

import (
	"net"
	"testing"
)

func TestAReservedPortIsNotGivenAwayAgainUntilItIsReleased(t *testing.T) {
	var first, second ports
	defer first.release()
	defer second.release()
	taken := map[int]bool{}
	for range 50 {
		for _, p := range []*ports{&first, &second} {
			port, err := p.reserve()
			must(t, err)
			if taken[port] {
				t.Fatalf("port %d was given twice", port)
			}
			if port < firstPort || port > lastPort {
				t.Errorf("port %d is outside of %d to %d", port, firstPort, lastPort)
			}
			taken[port] = true
		}
	}
}

func TestAPortThatSomebodyListensOnIsNotFree(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	if port := listener.Addr().(*net.TCPAddr).Port; isFree(port) {
		t.Errorf("port %d is said to be free", port)
	}
}
