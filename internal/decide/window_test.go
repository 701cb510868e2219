package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func number(n int32) *int32 { return &n }

func ago(d time.Duration) *time.Time {
	then := noon.Add(-d)
	return &then
}

// leader is what a leading broker with KIP-1269 reports of a topic with its own window.
func leader(id, window int32) WindowReport {
	return WindowReport{Broker: id, Leads: true, Answer: Yes, Value: window, Override: true}
}

// plainLeader is what a leading broker with KIP-1269 reports of a topic without its own window.
func plainLeader(id, window int32) WindowReport {
	return WindowReport{Broker: id, Leads: true, Answer: Yes, Value: window}
}

func witness(id, window int32) WindowReport {
	return WindowReport{Broker: id, Answer: Yes, Value: window, Override: true}
}

func oldLeader(id int32) WindowReport {
	return WindowReport{Broker: id, Leads: true, Answer: No}
}

func silentLeader(id int32) WindowReport {
	return WindowReport{Broker: id, Leads: true, Answer: Unsure}
}

func TestWindow(t *testing.T) {
	supported := True(v1alpha1.ReasonSupported, "")
	brokerTooOld := Stalled(v1alpha1.ReasonBrokerTooOld, "broker 2 speaks Produce up to v13")
	controllerTooOld := Stalled(v1alpha1.ReasonControllerTooOld, "the active controller does not know it")
	unknown := Unknown(v1alpha1.ReasonSupportUnknown, "broker 3 can't be reached")

	for _, test := range []struct {
		name        string
		facts       WindowFacts
		state       v1alpha1.DedupWindowState
		reason      string
		says        string
		step        Step
		applied     *int32
		effective   *int32
		waiting     bool
		retryAfter  time.Duration
		loweringAt  *time.Time
		stalledToo  bool
		noCondition bool
	}{
		{
			name:  "is the default while nobody asks and none is set",
			facts: WindowFacts{Support: supported},
			state: v1alpha1.WindowDefault, noCondition: true,
		},
		{
			name:  "is set when it is wanted and everything supports it",
			facts: WindowFacts{Requested: number(20), Support: supported, Reports: []WindowReport{plainLeader(1, 5), plainLeader(2, 5)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonApplied, step: SetWindow{Value: 20}, effective: number(5),
		},
		{
			name:  "is held while one broker is too old, and names it",
			facts: WindowFacts{Requested: number(20), Support: brokerTooOld, Reports: []WindowReport{plainLeader(1, 5), oldLeader(2)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonBrokerTooOld, says: "broker 2", effective: number(5), stalledToo: true,
		},
		{
			name:  "is held while the controller is too old",
			facts: WindowFacts{Requested: number(20), Support: controllerTooOld, Reports: []WindowReport{oldLeader(1)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonControllerTooOld, says: "controller", effective: number(5), stalledToo: true,
		},
		{
			name:  "is held, not refused, while a broker can't be asked",
			facts: WindowFacts{Requested: number(20), Support: unknown, Reports: []WindowReport{plainLeader(1, 5)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonSupportUnknown, says: "broker 3", effective: number(5),
		},
		{
			name:  "is not set where no broker that knows windows answers about the topic",
			facts: WindowFacts{Requested: number(20), Support: supported, Reports: []WindowReport{silentLeader(1)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonSupportUnknown, waiting: true,
		},
		{
			name: "is held when the controller refuses it by policy",
			facts: WindowFacts{Requested: number(20), Support: supported, Reports: []WindowReport{plainLeader(1, 5)},
				Attempt: WindowAttempt{Refused: &Refusal{Reason: v1alpha1.ReasonRefusedByPolicy, Message: "not above ten"}}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonRefusedByPolicy, says: "not above ten", effective: number(5), stalledToo: true,
		},
		{
			name: "is applied once the controller accepted it and no broker shows it",
			facts: WindowFacts{Requested: number(20), Support: supported, Reports: []WindowReport{plainLeader(1, 5)},
				Attempt: WindowAttempt{Set: number(20)}},
			state: v1alpha1.WindowApplied, reason: v1alpha1.ReasonApplied, applied: number(20), effective: number(5), waiting: true,
		},
		{
			name: "is applied while one leader still reports the old value, and names it",
			facts: WindowFacts{Requested: number(20), Support: supported, Reports: []WindowReport{leader(1, 20), plainLeader(2, 5)},
				Attempt: WindowAttempt{Set: number(20)}},
			state: v1alpha1.WindowApplied, reason: v1alpha1.ReasonApplied, says: "broker 2 still reports 5", applied: number(20), effective: number(5), waiting: true, retryAfter: spreadingLook,
		},
		{
			name:  "is effective when every leader reports exactly the wanted value",
			facts: WindowFacts{Requested: number(20), Support: supported, Reports: []WindowReport{leader(1, 20), leader(2, 20)}},
			state: v1alpha1.WindowEffective, reason: v1alpha1.ReasonEffective, applied: number(20), effective: number(20),
		},
		{
			name:  "stays effective while a broker that leads nothing can't be asked",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: unknown, Reports: []WindowReport{leader(1, 20)}},
			state: v1alpha1.WindowEffective, reason: v1alpha1.ReasonEffective, applied: number(20), effective: number(20),
		},
		{
			name:  "is not effective while a partition has no leader",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)}, Leaderless: 2},
			state: v1alpha1.WindowApplied, reason: v1alpha1.ReasonApplied, says: "2 partitions have no leader", applied: number(20), retryAfter: spreadingLook,
		},
		{
			name:  "is not effective while a leader can't be asked",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: unknown, Reports: []WindowReport{leader(1, 20), silentLeader(3)}},
			state: v1alpha1.WindowApplied, reason: v1alpha1.ReasonApplied, says: "broker 3 could not be asked", applied: number(20), retryAfter: spreadingLook,
		},
		{
			name:  "is degraded when a leader was rolled back and the key is still set",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: brokerTooOld, Reports: []WindowReport{leader(1, 20), oldLeader(2)}},
			state: v1alpha1.WindowDegraded, reason: v1alpha1.ReasonDegraded, says: "broker 2", applied: number(20), effective: number(5), stalledToo: true,
		},
		{
			name:  "is degraded when no broker knows the key any more",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: controllerTooOld, Reports: []WindowReport{oldLeader(1)}},
			state: v1alpha1.WindowDegraded, reason: v1alpha1.ReasonDegraded, applied: number(20), effective: number(5), stalledToo: true,
		},
		{
			name:  "has drifted, and is not set, when a rollback dropped the key and the gate is closed",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: controllerTooOld, Reports: []WindowReport{plainLeader(1, 5), oldLeader(2)}},
			state: v1alpha1.WindowDrifted, reason: v1alpha1.ReasonDrifted, says: "is gone", applied: number(20), effective: number(5), stalledToo: true,
		},
		{
			name:  "is set again when it has drifted and the gate is open",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: supported, Reports: []WindowReport{plainLeader(1, 5)}},
			state: v1alpha1.WindowDrifted, reason: v1alpha1.ReasonDrifted, step: SetWindow{Value: 20, Again: true}, applied: number(20), effective: number(5),
		},
		{
			name:  "is raised at once when the spec asks for more",
			facts: WindowFacts{Requested: number(30), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonApplied, step: SetWindow{Value: 30}, applied: number(20), effective: number(20),
		},
		{
			name:  "is not lowered at once when the spec asks for less",
			facts: WindowFacts{Requested: number(10), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonLoweringHeld, says: "12:10:00", applied: number(20), effective: number(20),
			retryAfter: LoweringWait, loweringAt: ago(0),
		},
		{
			name: "is not lowered a second before the wait is over",
			facts: WindowFacts{Requested: number(10), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)},
				LoweringRequestedAt: ago(LoweringWait - time.Second)},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonLoweringHeld, applied: number(20), effective: number(20),
			retryAfter: time.Second, loweringAt: ago(LoweringWait - time.Second),
		},
		{
			name: "is lowered when the wait is over",
			facts: WindowFacts{Requested: number(10), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)},
				LoweringRequestedAt: ago(LoweringWait)},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonApplied, step: SetWindow{Value: 10, Lowers: true}, applied: number(20), effective: number(20),
			loweringAt: ago(LoweringWait),
		},
		{
			name:  "waits before it undoes a larger window that somebody else set",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 50)}},
			state: v1alpha1.WindowDrifted, reason: v1alpha1.ReasonDrifted, says: "now 50", applied: number(20), effective: number(50),
			retryAfter: LoweringWait, loweringAt: ago(0),
		},
		{
			name:  "waits before it goes below a larger default of the brokers",
			facts: WindowFacts{Requested: number(5), Support: supported, Reports: []WindowReport{plainLeader(1, 8)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonLoweringHeld, effective: number(8), retryAfter: LoweringWait, loweringAt: ago(0),
		},
		{
			name:  "forgets a lowering when the larger window is wanted again",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)}, LoweringRequestedAt: ago(time.Minute)},
			state: v1alpha1.WindowEffective, reason: v1alpha1.ReasonEffective, applied: number(20), effective: number(20),
		},
		{
			name:  "is left alone when others set it and nobody asks",
			facts: WindowFacts{Support: supported, Reports: []WindowReport{leader(1, 50)}},
			state: "", effective: number(50), noCondition: true,
		},
		{
			name:  "is taken back after the wait when nobody asks any more",
			facts: WindowFacts{Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)}, LoweringRequestedAt: ago(LoweringWait)},
			state: v1alpha1.WindowDefault, step: ResetWindow{Lowers: true}, applied: number(20), effective: number(20), loweringAt: ago(LoweringWait), noCondition: true,
		},
		{
			name:  "is not taken back at once when nobody asks any more",
			facts: WindowFacts{Applied: number(20), Support: supported, Reports: []WindowReport{leader(1, 20)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonLoweringHeld, applied: number(20), effective: number(20), retryAfter: LoweringWait, loweringAt: ago(0),
		},
		{
			name:  "is forgotten when nobody asks and it is gone already",
			facts: WindowFacts{Applied: number(20), Support: supported, Reports: []WindowReport{plainLeader(1, 5)}},
			state: v1alpha1.WindowDefault, effective: number(5), noCondition: true,
		},
		{
			name:  "is remembered when nobody asks and nobody who knows can tell whether it is gone",
			facts: WindowFacts{Applied: number(20), Support: controllerTooOld, Reports: []WindowReport{oldLeader(1)}},
			state: v1alpha1.WindowDefault, applied: number(20), effective: number(5), noCondition: true,
		},
		{
			name:  "is told by a witness where every leader is old",
			facts: WindowFacts{Requested: number(20), Applied: number(20), Support: brokerTooOld, Reports: []WindowReport{oldLeader(2), witness(1, 20)}},
			state: v1alpha1.WindowDegraded, reason: v1alpha1.ReasonDegraded, applied: number(20), effective: number(5), stalledToo: true,
		},
		{
			name:  "of five is set like any other, so that a change of the brokers' default can't move it",
			facts: WindowFacts{Requested: number(5), Support: supported, Reports: []WindowReport{plainLeader(1, 5)}},
			state: v1alpha1.WindowHeld, reason: v1alpha1.ReasonApplied, step: SetWindow{Value: 5}, effective: number(5),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.facts.Now = noon
			plan := Window(test.facts)
			if plan.State != test.state || !test.noCondition && plan.Verdict.Reason != test.reason {
				t.Errorf("is %q with reason %q (%s), want %q with %q", plan.State, plan.Verdict.Reason, plan.Verdict.Message, test.state, test.reason)
			}
			if !strings.Contains(plan.Verdict.Message, test.says) {
				t.Errorf("says %q, want it to say %q", plan.Verdict.Message, test.says)
			}
			if plan.Step != test.step {
				t.Errorf("does %#v, want %#v", plan.Step, test.step)
			}
			if !same(plan.Applied, test.applied) || !same(plan.Effective, test.effective) {
				t.Errorf("applied %s, effective %s; want %s, %s", show(plan.Applied), show(plan.Effective), show(test.applied), show(test.effective))
			}
			if plan.Waiting != test.waiting || plan.RetryAfter != max(test.retryAfter, 0) && test.step == nil {
				t.Errorf("waiting %v, retry after %s; want %v, %s", plan.Waiting, plan.RetryAfter, test.waiting, test.retryAfter)
			}
			if !same(plan.LoweringRequestedAt, test.loweringAt) {
				t.Errorf("lowering since %v, want %v", plan.LoweringRequestedAt, test.loweringAt)
			}
			if plan.Verdict.Stalled != test.stalledToo {
				t.Errorf("stalled %v, want %v", plan.Verdict.Stalled, test.stalledToo)
			}
		})
	}
}

func same[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

func show(n *int32) any {
	if n == nil {
		return "unknown"
	}
	return *n
}

// Whatever the facts are, a window below the minimum is never set, nothing is set while support is not
// certain, and nothing is lowered before its wait is over.
func TestWindowIsNeverSetWhereItMustNotBe(t *testing.T) {
	supports := []Verdict{
		True(v1alpha1.ReasonSupported, ""), Unknown(v1alpha1.ReasonSupportUnknown, ""),
		Stalled(v1alpha1.ReasonBrokerTooOld, ""), Stalled(v1alpha1.ReasonControllerTooOld, ""), {},
	}
	reports := [][]WindowReport{
		nil, {plainLeader(1, 5)}, {plainLeader(1, 8)}, {leader(1, 20)}, {leader(1, 50)}, {oldLeader(1)}, {silentLeader(1)},
		{leader(1, 20), oldLeader(2)}, {leader(1, 20), plainLeader(2, 5)}, {oldLeader(2), witness(1, 20)},
	}
	for _, support := range supports {
		for _, seen := range reports {
			for _, requested := range []*int32{nil, number(-1), number(0), number(4), number(5), number(20), number(30)} {
				for _, applied := range []*int32{nil, number(20), number(30)} {
					for _, since := range []*time.Time{nil, ago(time.Second), ago(LoweringWait)} {
						facts := WindowFacts{Requested: requested, Applied: applied, Support: support, Reports: seen, LoweringRequestedAt: since, Now: noon}
						plan := Window(facts)
						waited := since != nil && noon.Sub(*since) >= LoweringWait
						switch step := plan.Step.(type) {
						case SetWindow:
							if step.Value < MinimumWindow {
								t.Errorf("sets %d: %+v", step.Value, facts)
							}
							if !support.Holds() {
								t.Errorf("sets %d without support: %+v", step.Value, facts)
							}
							if highest(seen) > step.Value && !waited {
								t.Errorf("lowers %d to %d without waiting: %+v", highest(seen), step.Value, facts)
							}
						case ResetWindow:
							if requested != nil || applied == nil {
								t.Errorf("takes back a window that is wanted or not its own: %+v", facts)
							}
							if !waited {
								t.Errorf("takes a window back without waiting: %+v", facts)
							}
						}
					}
				}
			}
		}
	}
}

func highest(reports []WindowReport) int32 {
	var highest int32
	for _, report := range reports {
		highest = max(highest, report.Value)
	}
	return highest
}
