package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/kafka-dedup/operator/internal/protocol"
)

func TestEveryErrorCodeHasAClassAndARemedy(t *testing.T) {
	known := map[Class]bool{
		Retry: true, Refresh: true, Wait: true, UserMustAct: true, NotAuthorized: true, OutcomeUnknown: true, Bug: true,
	}
	codes := 0
	for number := -1; number <= 2000; number++ {
		code := protocol.ErrorCode(number)
		if strings.HasPrefix(code.String(), "ERROR_CODE_") {
			continue
		}
		codes++
		judged, ok := judgements[code]
		if !ok {
			t.Errorf("%s is not judged", code)
		}
		if code != protocol.CodeNone && !known[judged.class] {
			t.Errorf("%s has class %q", code, judged.class)
		}
		if len(judged.remedy) < 10 {
			t.Errorf("%s has remedy %q", code, judged.remedy)
		}
	}
	if codes != len(judgements) {
		t.Errorf("%d codes are judged, but Kafka has %d", len(judgements), codes)
	}
	if got := ClassOf(&Error{Code: 1999}); got != UserMustAct {
		t.Errorf("a code of a future Kafka has class %q", got)
	}
}

func TestClassOfErrorsWithoutACode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want Class
	}{
		{nil, ""},
		{&OutcomeUnknownError{Err: &ConnectError{Kind: Closed}}, OutcomeUnknown},
		{&ConnectError{Kind: Refused}, Retry},
		{&ClusterReplacedError{}, UserMustAct},
		{&UnsupportedError{}, UserMustAct},
		{&RefusedHereError{}, UserMustAct},
		{&UnknownBrokerError{}, Wait},
		{&MisroutedError{}, Wait},
		{ErrClosed, Retry},
		{context.DeadlineExceeded, Retry},
		{&IncompleteError{}, Bug},
		{io.ErrNoProgress, Bug},
	} {
		if got := ClassOf(test.err); got != test.want {
			t.Errorf("%T %v has class %q, want %q", test.err, test.err, got, test.want)
		}
		if wrapped := fmt.Errorf("while it rained: %w", test.err); test.err != nil && ClassOf(wrapped) != test.want {
			t.Errorf("wrapped %T has another class", test.err)
		}
	}
}

func TestErrorsReadWell(t *testing.T) {
	for want, err := range map[string]error{
		`broker 2 refused the config of topic orders: INVALID_CONFIG: "Unknown topic config name: retention.mz" (correct or remove the config that is named)`: &Error{
			Code: protocol.CodeInvalidConfig, Words: "Unknown topic config name: retention.mz", Object: "the config of topic orders", Broker: 2,
		},
		`the broker at k:9092 refused topic orders: TOPIC_AUTHORIZATION_FAILED (grant the operator's principal the right on this topic)`: &Error{
			Code: protocol.CodeTopicAuthorizationFailed, Object: "topic orders", Broker: -1, Address: "k:9092",
		},
		`can't talk to Kafka at k:9092: connection refused, nothing listens there`: &ConnectError{Address: "k:9092", Kind: Refused},
		`can't talk to Kafka at k:9092: the connection failed`: &ConnectError{
			Address: "k:9092", Kind: Other, Err: errors.New("<script>what a stranger sent</script>"),
		},
		`k:9092 belongs to cluster "B", not to "A": nothing is written there`: &ClusterReplacedError{
			Expected: "A", Got: "B", Address: "k:9092",
		},
	} {
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
}

func TestErrorsAreFoundByCode(t *testing.T) {
	err := fmt.Errorf("outer: %w", &Error{Code: protocol.CodeInvalidConfig, Words: "x"})
	if !errors.Is(err, &Error{Code: protocol.CodeInvalidConfig}) || errors.Is(err, &Error{Code: protocol.CodeInvalidRequest}) {
		t.Error("errors.Is does not go by the code")
	}
}

func TestWordsOfABrokerAreCut(t *testing.T) {
	c := &connection{broker: 1}
	err := c.refused(protocol.KeyMetadata, "x", protocol.CodeInvalidConfig, protocol.StringOf(strings.Repeat("ü", 5000)), 0)
	if len(err.Words) > longestWords+len("…") || strings.ContainsRune(err.Words, '\uFFFD') {
		t.Errorf("%d bytes kept: %q", len(err.Words), err.Words)
	}
}

func TestOnlyTheKeyItselfMakesTheWindowUnsupported(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"an unknown key", &Error{Code: protocol.CodeInvalidConfig, Words: "Unknown topic config name: " + WindowConfig}, true},
		{"another unknown key", &Error{Code: protocol.CodeInvalidConfig, Words: "Unknown topic config name: other"}, false},
		{"a bad value", &Error{Code: protocol.CodeInvalidConfig, Words: "Invalid value 4 for configuration " + WindowConfig + ": Value must be at least 5"}, false},
		{"a policy", &Error{Code: protocol.CodePolicyViolation, Words: "no " + WindowConfig}, false},
		{"no answer", &ConnectError{Kind: Timeout}, false},
		{"success", nil, false},
	} {
		if got := IsWindowUnsupported(test.err); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
