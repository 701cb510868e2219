package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

// LoweringWait is how long a lowering is held: producers that rely on the larger window lose the answer
// to a resend of an older batch as soon as it shrinks.
const LoweringWait = 600 * time.Second

// spreadingLook is how soon to look again at a window that is set and not yet seen on every leader,
// however long the poll interval of its cluster is.
const spreadingLook = 15 * time.Second

// WindowFacts are all that the window gate goes by.
type WindowFacts struct {
	Requested           *int32     // what the Topic asks for; nil: it does not ask
	Applied             *int32     // what this operator set last and has not reset since
	LoweringRequestedAt *time.Time // since when a lowering is held; nil: none is
	Support             Verdict    // what WindowSupport said of the cluster
	// Reports holds what the leaders of the topic say, and what one broker that knows the window says
	// where no leader does. In the order of broker ids.
	Reports []WindowReport
	// Leaderless counts the partitions that have no leader now.
	Leaderless int
	Attempt    WindowAttempt
	Now        time.Time
}

// WindowReport is one broker's view of the topic's window.
type WindowReport struct {
	Broker   int32
	Leads    bool
	Answer   Answer // Yes: it showed a value; No: it leaves the key out; Unsure: it could not be asked
	Value    int32  // with Yes
	Override bool   // with Yes: the value is the topic's own, not a default
}

// WindowAttempt is what came of the window change that was tried since the reconcile began.
type WindowAttempt struct {
	Set     *int32   // accepted by the controller
	Reset   bool     // accepted by the controller
	Refused *Refusal // the change was refused
}

// Refusal is a change that Kafka, or the operator on its behalf, declined.
type Refusal struct {
	Reason  string
	Message string
	// Passing marks a refusal that ends without anybody changing the resource, such as brokers that are
	// not there yet.
	Passing bool
}

// Verdict is what a condition says of the refusal.
func (r Refusal) Verdict() Verdict {
	return Verdict{Status: metav1.ConditionFalse, Reason: r.Reason, Message: r.Message, Stalled: !r.Passing}
}

// WindowPlan is what is to be done to the window, and what is said of it.
type WindowPlan struct {
	State               v1alpha1.DedupWindowState
	Verdict             Verdict // of the condition; meaningful while somebody asks
	Requested, Desired  *int32
	Applied             *int32
	Effective           *int32 // the smallest window that any leader works with; nil: unknown
	LoweringRequestedAt *time.Time
	Step                Step          // SetWindow, ResetWindow or nil
	Waiting             bool          // a change was accepted and is not seen yet
	RetryAfter          time.Duration // 0: nothing to wait for
}

// Window says whether a dedup window may be set now, and why not if not. The first check that has an
// answer gives it; they stand in the order in which a person would ask.
func Window(f WindowFacts) WindowPlan {
	c := newWindowCase(f)
	for _, check := range []func(*windowCase) bool{
		nobodyAsks,
		isTooSmall,
		isSetAndHonoured,
		isSetButNotHonoured,
		isSetAndSpreading,
		cannotBeSeen,
		loweringIsHeld,
		clusterIsNotReady,
		changeWasRefused,
		changeWasAccepted,
	} {
		if check(c) {
			return c.plan
		}
	}
	c.set()
	return c.plan
}

// windowCase is the facts with what follows from them.
type windowCase struct {
	WindowFacts
	plan     WindowPlan
	seen     bool   // a broker that knows the window answered
	override *int32 // the topic's own value, where seen; nil: none
	current  int32  // what producers may rely on now, where seen
}

func newWindowCase(f WindowFacts) *windowCase {
	c := &windowCase{WindowFacts: f, plan: WindowPlan{
		Requested: f.Requested, Desired: f.Requested, Applied: f.Applied, Effective: effectiveWindow(f),
	}}
	for _, report := range f.Reports {
		if report.Answer != Yes {
			continue
		}
		c.seen = true
		c.current = max(c.current, report.Value)
		if report.Override && (c.override == nil || c.asksFor(report.Value)) {
			c.override = &report.Value
		}
	}
	return c
}

// effectiveWindow is the smallest window that any leader works with; a leader without KIP-1269 works
// with five.
func effectiveWindow(f WindowFacts) *int32 {
	var smallest *int32
	for _, report := range f.Reports {
		if !report.Leads {
			continue
		}
		value := report.Value
		switch report.Answer {
		case Unsure:
			return nil
		case No:
			value = MinimumWindow
		}
		if smallest == nil || value < *smallest {
			smallest = &value
		}
	}
	if f.Leaderless > 0 {
		return nil
	}
	return smallest
}

func (c *windowCase) asksFor(value int32) bool { return c.Requested != nil && *c.Requested == value }
func (c *windowCase) isSet() bool              { return c.override != nil && c.asksFor(*c.override) }

// drifted reports whether the value that this operator set is gone or different.
func (c *windowCase) drifted() bool {
	return c.seen && c.Applied != nil && (c.override == nil || *c.override != *c.Applied)
}

// lowers reports whether producers would rely on less after the change than now.
func (c *windowCase) lowers() bool {
	if c.Requested == nil {
		return c.override != nil && *c.override > MinimumWindow
	}
	return c.seen && c.current > *c.Requested
}

func (c *windowCase) say(state v1alpha1.DedupWindowState, verdict Verdict) bool {
	c.plan.State, c.plan.Verdict = state, verdict
	return true
}

// unset says that the window is not as it was asked for: drifted where it once was, else held.
func (c *windowCase) unset(verdict Verdict) bool {
	if !c.drifted() {
		return c.say(v1alpha1.WindowHeld, verdict)
	}
	verdict.Message = fmt.Sprintf("the window of %d that was set is %s; set again as soon as it may be: %s", *c.Applied, c.whatIsThere(), verdict.Message)
	verdict.Reason = v1alpha1.ReasonDrifted
	return c.say(v1alpha1.WindowDrifted, verdict)
}

func (c *windowCase) whatIsThere() string {
	if c.override == nil {
		return "gone"
	}
	return fmt.Sprintf("now %d", *c.override)
}

// nobodyAsks leaves a window alone that others set, and takes back one that this operator set.
func nobodyAsks(c *windowCase) bool {
	switch {
	case c.Requested != nil:
		return false
	case c.Applied == nil, c.seen && c.override == nil:
		c.plan.Applied = nil
	case c.override == nil: // set once, and nobody who knows can be asked whether it still is
	case c.holdsLowering():
		return c.say(v1alpha1.WindowHeld, c.plan.Verdict)
	case c.Attempt.Refused != nil:
		return c.say(v1alpha1.WindowHeld, c.Attempt.Refused.Verdict())
	case c.Attempt.Reset:
		c.plan.Waiting = true
	default:
		c.plan.Step = ResetWindow{Lowers: c.lowers()}
	}
	if c.override != nil && c.Applied == nil {
		return c.say("", Verdict{})
	}
	return c.say(v1alpha1.WindowDefault, Verdict{})
}

// isTooSmall refuses what the API server should have: the value is never below Kafka's minimum,
// whatever reaches the operator.
func isTooSmall(c *windowCase) bool {
	return *c.Requested < MinimumWindow && c.say(v1alpha1.WindowHeld, Stalled(v1alpha1.ReasonWindowRefused,
		fmt.Sprintf("a window of %d is not allowed; set spec.dedupWindow.batchesToRetain to at least %d", *c.Requested, MinimumWindow)))
}

func isSetAndHonoured(c *windowCase) bool {
	if !c.isSet() || c.Leaderless > 0 || c.supportIsRefused() {
		return false
	}
	for _, report := range c.Reports {
		if report.Leads && (report.Answer != Yes || report.Value != *c.Requested) {
			return false
		}
	}
	c.plan.Applied = c.Requested
	return c.say(v1alpha1.WindowEffective, True(v1alpha1.ReasonEffective,
		fmt.Sprintf("every partition's leader keeps the last %d batches of each producer", *c.Requested)))
}

func (c *windowCase) supportIsRefused() bool {
	return c.Support.Reason == v1alpha1.ReasonBrokerTooOld || c.Support.Reason == v1alpha1.ReasonControllerTooOld
}

func isSetButNotHonoured(c *windowCase) bool {
	gone := c.Applied != nil && !c.seen // set once, and now no broker knows the key
	if !c.supportIsRefused() || !c.isSet() && !gone {
		return false
	}
	if c.isSet() {
		c.plan.Applied = c.Requested
	}
	return c.say(v1alpha1.WindowDegraded, Stalled(v1alpha1.ReasonDegraded,
		fmt.Sprintf("the window of %d is set, but not kept everywhere: %s", *c.Requested, c.Support.Message)))
}

func isSetAndSpreading(c *windowCase) bool {
	if !c.isSet() {
		return false
	}
	c.plan.Applied = c.Requested
	var behind []string
	for _, report := range c.Reports {
		switch {
		case !report.Leads, report.Answer == Yes && report.Value == *c.Requested:
		case report.Answer == Yes:
			behind = append(behind, fmt.Sprintf("broker %d still reports %d", report.Broker, report.Value))
		case report.Answer == No:
			behind = append(behind, fmt.Sprintf("broker %d leaves the key out", report.Broker))
		default:
			behind = append(behind, fmt.Sprintf("broker %d could not be asked", report.Broker))
		}
	}
	if c.Leaderless > 0 {
		behind = append(behind, fmt.Sprintf("%d partitions have no leader", c.Leaderless))
	}
	c.plan.Waiting, c.plan.RetryAfter = c.Attempt.Set != nil, spreadingLook
	return c.say(v1alpha1.WindowApplied, False(v1alpha1.ReasonApplied,
		fmt.Sprintf("the window of %d is set and not yet seen on every leader: %s", *c.Requested, enumerate(behind))))
}

// cannotBeSeen holds where no broker that knows the window answered for this topic: what is set there
// is unknown, and unknown is neither drift nor leave to set.
func cannotBeSeen(c *windowCase) bool {
	if c.seen || !c.Support.Holds() && c.Applied == nil {
		return false
	}
	c.plan.Waiting = c.Attempt.Refused == nil
	state := v1alpha1.WindowHeld
	if c.Applied != nil {
		state = v1alpha1.WindowApplied
	}
	return c.say(state, Unknown(v1alpha1.ReasonSupportUnknown, "no broker that knows the window could be asked about this topic"))
}

// loweringIsHeld waits before anything that producers rely on shrinks (design §3, lowering).
func loweringIsHeld(c *windowCase) bool { return c.holdsLowering() && c.unset(c.plan.Verdict) }

func (c *windowCase) holdsLowering() bool {
	if !c.lowers() {
		return false
	}
	since := c.LoweringRequestedAt
	if since == nil {
		since = &c.Now
	}
	c.plan.LoweringRequestedAt = since
	c.plan.RetryAfter = since.Add(LoweringWait).Sub(c.Now)
	c.plan.Verdict = False(v1alpha1.ReasonLoweringHeld, fmt.Sprintf(
		"producers may rely on the last %d batches; the window is lowered at %s, time to restart them with fewer requests in flight",
		c.current, since.Add(LoweringWait).UTC().Format(time.RFC3339)))
	return c.plan.RetryAfter > 0
}

func clusterIsNotReady(c *windowCase) bool {
	if c.Support.Holds() {
		return false
	}
	verdict := c.Support
	verdict.Message = fmt.Sprintf("a window of %d can't be had yet: %s", *c.Requested, verdict.Message)
	return c.unset(verdict)
}

func changeWasRefused(c *windowCase) bool {
	refused := c.Attempt.Refused
	if refused == nil {
		return false
	}
	return c.unset(refused.Verdict())
}

func changeWasAccepted(c *windowCase) bool {
	if c.Attempt.Set == nil || !c.asksFor(*c.Attempt.Set) {
		return false
	}
	c.plan.Applied, c.plan.Waiting = c.Requested, true
	return c.say(v1alpha1.WindowApplied, False(v1alpha1.ReasonApplied,
		fmt.Sprintf("the window of %d is set and no broker reports it yet", *c.Requested)))
}

func (c *windowCase) set() {
	c.plan.Step = SetWindow{Value: *c.Requested, Lowers: c.lowers(), Again: c.drifted()}
	c.unset(False(v1alpha1.ReasonApplied, fmt.Sprintf("a window of %d is about to be set", *c.Requested)))
}
