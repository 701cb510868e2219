package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// Error is a broker's refusal of one thing that it was asked.
//
// errors.Is finds one by its code: errors.Is(err, &kafka.Error{Code: c}).
type Error struct {
	Code       protocol.ErrorCode
	Words      string // the broker's own message, at most 500 bytes of it; may be empty
	API        string // Kafka's name of the request
	Object     string // what was asked about, in words: "topic orders"
	Broker     int32  // who refused; −1: unknown, see Address
	Address    string
	RetryAfter time.Duration // how long the broker wants to be left alone; 0: it did not say
}

// Error says who refused what, in their words, and what to do about it.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s refused %s: %s", peerName(e.Broker, e.Address), e.Object, e.Code)
	if e.Words != "" {
		text += fmt.Sprintf(": %q", e.Words)
	}
	return text + " (" + Remedy(e.Code) + ")"
}

// Is says whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

const longestWords = 500

// refused makes the error of an answer; words are the broker's, throttleMs the time that it wants silence.
func (c *connection) refused(api protocol.APIKey, object string, code protocol.ErrorCode, words protocol.NullString, throttleMs int32) *Error {
	text := words.S
	if len(text) > longestWords {
		text = text[:longestWords]
		for !utf8.ValidString(text) && len(text) > longestWords-utf8.UTFMax {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return &Error{
		Code: code, Words: strings.Clone(text), API: api.String(), Object: object,
		Broker: c.broker, Address: c.address, RetryAfter: time.Duration(max(throttleMs, 0)) * time.Millisecond,
	}
}

// verdict is nil for success.
func (c *connection) verdict(api protocol.APIKey, object string, code protocol.ErrorCode, words protocol.NullString, throttleMs int32) error {
	if code == protocol.CodeNone {
		return nil
	}
	return c.refused(api, object, code, words, throttleMs)
}

// incomplete is an answer that leaves out what was asked. Of a write, it leaves open whether that was done.
func (c *connection) incomplete(api protocol.APIKey, object string) error {
	return &noAnswerError{sent: true, err: &IncompleteError{API: api.String(), Object: object, Broker: c.broker, Address: c.address}}
}

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
		astray   *MisroutedError
		unable   *UnsupportedError
		mistake  *RefusedHereError
		refused  *Error
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &unknown):
		return OutcomeUnknown
	case errors.As(err, &replaced), errors.As(err, &unable), errors.As(err, &mistake):
		return UserMustAct
	case errors.As(err, &refused):
		return judge(refused.Code).class
	case errors.As(err, &absent), errors.As(err, &astray):
		return Wait
	case errors.As(err, &connect), errors.Is(err, ErrClosed),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Retry
	}
	return Bug
}

// CodeOf is the broker's error code in err; false if no broker answered with one.
func CodeOf(err error) (protocol.ErrorCode, bool) {
	var answered *Error
	if !errors.As(err, &answered) {
		return protocol.CodeNone, false
	}
	return answered.Code, true
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

	others []string // what happened at the other addresses that were tried
}

func (e *ConnectError) Error() string {
	text := fmt.Sprintf("can't talk to Kafka at %s: %s", e.Address, e.what())
	for i, other := range e.others {
		if i == 3 {
			return fmt.Sprintf("%s; and %d more", text, len(e.others)-i)
		}
		text += "; nor at " + other
	}
	return text
}

func (e *ConnectError) what() string {
	switch e.Kind {
	case Unresolvable:
		return "the host name can't be resolved"
	case Refused:
		return "connection refused, nothing listens there"
	case Timeout:
		return "no answer in time"
	case NotKafka:
		return "what answers there does not speak Kafka's protocol (is it the right port, and plain or TLS as configured?)"
	case Closed:
		return "the other side closed the connection"
	}
	if system, ok := errors.AsType[syscall.Errno](e.Err); ok {
		return system.Error()
	}
	return "the connection failed"
}

func (e *ConnectError) Unwrap() error { return e.Err }

// ClusterReplacedError is another cluster behind a known address. Nothing was sent to it beyond the question who it is.
type ClusterReplacedError struct{ Expected, Got, Address string }

func (e *ClusterReplacedError) Error() string {
	return fmt.Sprintf("%s belongs to cluster %q, not to %q: nothing is written there", e.Address, e.Got, e.Expected)
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

// MisroutedError is another broker that answers at the address that the cluster lists for a broker.
type MisroutedError struct {
	Broker  int32
	Address string
}

func (e *MisroutedError) Error() string {
	return fmt.Sprintf("%s is listed as the address of broker %d, but another broker answers there: correct its advertised.listeners", e.Address, e.Broker)
}

// IncompleteError is an answer without what was asked for.
type IncompleteError struct {
	API, Object string
	Broker      int32
	Address     string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("%s answered %s without a word about %s", peerName(e.Broker, e.Address), e.API, e.Object)
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

// IsTopicNotFound says whether err is a broker's statement that there is no such topic.
func IsTopicNotFound(err error) bool {
	return hasCode(err, protocol.CodeUnknownTopicOrPartition) || hasCode(err, protocol.CodeUnknownTopicID)
}

// IsTopicExists says whether err is the controller's statement that there is such a topic already.
func IsTopicExists(err error) bool { return hasCode(err, protocol.CodeTopicAlreadyExists) }

// IsPolicyViolation says whether a policy of the cluster forbids what was asked.
func IsPolicyViolation(err error) bool { return hasCode(err, protocol.CodePolicyViolation) }

func hasCode(err error, code protocol.ErrorCode) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == code
}
