package kafka

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// ErrClosed is what calls of a closed session return.
var ErrClosed = errors.New("the Kafka session is closed")

// Class says what an error asks of the caller.
type Class string

const (
	// Retry: the same call can succeed in a moment.
	Retry Class = "Retry"
	// Refresh: it went to the wrong broker or an old view of the cluster; look again, then retry.
	Refresh Class = "Refresh"
	// Wait: something else has to happen in the cluster first; look again later.
	Wait Class = "Wait"
	// UserMustAct: it fails until somebody changes what is asked for, or the cluster.
	UserMustAct Class = "UserMustAct"
	// NotAuthorized: it fails until somebody grants the right or mends the credentials. What could not be asked is unknown.
	NotAuthorized Class = "NotAuthorized"
	// OutcomeUnknown: a write may or may not have been applied; look before trying again.
	OutcomeUnknown Class = "OutcomeUnknown"
	// Bug: this client, or the broker, did something that the protocol does not allow.
	Bug Class = "Bug"
)

// ClassOf is the class of any error that this package returns; Bug for one it does not know, "" for nil.
func ClassOf(err error) Class {
	var (
		unknown  *OutcomeUnknownError
		replaced *ClusterReplacedError
		connect  *ConnectError
		absent   *UnknownBrokerError
		unable   *UnsupportedError
		refused  *RefusedHereError
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &unknown):
		return OutcomeUnknown
	case errors.As(err, &replaced), errors.As(err, &unable), errors.As(err, &refused):
		return UserMustAct
	case errors.As(err, &absent):
		return Wait
	case errors.As(err, &connect), errors.Is(err, ErrClosed),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Retry
	}
	return Bug
}

// ConnectKind says how a connection failed.
type ConnectKind string

const (
	// Unresolvable: the host name has no address.
	Unresolvable ConnectKind = "Unresolvable"
	// Refused: nothing listens there.
	Refused ConnectKind = "Refused"
	// Timeout: no answer in time.
	Timeout ConnectKind = "Timeout"
	// NotKafka: what answers there does not speak Kafka's protocol.
	NotKafka ConnectKind = "NotKafka"
	// Closed: the other side ended the connection.
	Closed ConnectKind = "Closed"
	// Other: anything else.
	Other ConnectKind = "Other"
)

// ConnectError is a connection that could not be made, or was lost. Its text names a class and never what the other side sent,
// as that side may be anybody; Err has what is known, for logs at one's own risk.
type ConnectError struct {
	Address string
	Kind    ConnectKind
	Err     error
}

func (e *ConnectError) Error() string {
	what := map[ConnectKind]string{
		Unresolvable: "its host name can't be resolved",
		Refused:      "the connection was refused, nothing listens there",
		Timeout:      "no answer in time",
		NotKafka:     "what answers there does not speak Kafka's protocol (is this the right port, and its listener plain or TLS as configured?)",
		Closed:       "the connection was closed by the other side",
	}[e.Kind]
	var system syscall.Errno
	switch {
	case what != "":
	case errors.As(e.Err, &system):
		what = system.Error()
	default:
		what = "the connection failed"
	}
	return fmt.Sprintf("can't talk to Kafka at %s: %s", e.Address, what)
}

func (e *ConnectError) Unwrap() error { return e.Err }

// ClusterReplacedError is another cluster behind a known address. Nothing was sent to it beyond the question who it is.
type ClusterReplacedError struct{ Expected, Got, Address string }

func (e *ClusterReplacedError) Error() string {
	return fmt.Sprintf("%s now belongs to cluster %q, not to %q: nothing is written there until the new id is named", e.Address, e.Got, e.Expected)
}

// OutcomeUnknownError is a write that was sent and whose effect is not known: the answer never came, or says so.
type OutcomeUnknownError struct {
	API, Object string
	Err         error // why
}

func (e *OutcomeUnknownError) Error() string {
	return fmt.Sprintf("%s of %s may or may not have happened: %v", e.API, e.Object, e.Err)
}

func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// UnknownBrokerError is a broker id that the cluster lists no address for.
type UnknownBrokerError struct{ ID int32 }

func (e *UnknownBrokerError) Error() string {
	return fmt.Sprintf("the cluster lists no broker %d that could be asked: start it, or unregister it if it is gone for good", e.ID)
}

// UnsupportedError is a request that a broker is too old, or too new, for.
type UnsupportedError struct {
	API     string
	Broker  int32 // −1: unknown
	Address string
	Detail  string // the versions on both sides
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s has no %s that this client can use: %s", peerName(e.Broker, e.Address), e.API, e.Detail)
}

// RefusedHereError is a call that this client refuses itself, before anything is sent.
type RefusedHereError struct{ Object, Reason string }

func (e *RefusedHereError) Error() string { return fmt.Sprintf("%s: %s", e.Object, e.Reason) }

func peerName(broker int32, address string) string {
	if broker >= 0 {
		return fmt.Sprintf("broker %d", broker)
	}
	return "the broker at " + address
}

// IsTopicNotFound says whether err is a broker's statement that the topic does not exist.
func IsTopicNotFound(err error) bool { return false }
