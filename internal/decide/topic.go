package decide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

// TopicFacts are what the plan for a topic goes by, besides the spec and status of its resource.
type TopicFacts struct {
	Name       string
	Verified   bool           // the status's verdict on the config is on this generation of the spec
	AcceptedID string         // the topic id that the user accepts in place of the recorded one
	Owner      *Owned         // the resource that owns the topic; nil: this one does
	Topic      *ObservedTopic // nil: Kafka has no such topic
	Config     []ConfigEntry
	Window     WindowFacts
	Attempts   Attempts
}

// Owned names the resource that owns a topic which another one claims too.
type Owned struct {
	Claim
	Visible bool // the reader may know its name, because it is in the same namespace
}

// ObservedTopic is a topic as a broker describes it.
type ObservedTopic struct {
	ID                string
	Internal          bool
	Partitions        int32
	ReplicationFactor int32 // the smallest of all partitions
}

// Attempts are the changes that were tried since the reconcile began and what came of them, so that
// what was accepted is waited for and what was refused is reported, and neither is tried again.
type Attempts struct {
	Created           bool
	CreateRefused     *Refusal
	CreateBare        bool // the controller refuses the config; create the topic without it
	PartitionsAdded   bool
	PartitionsRefused *Refusal
	ConfigDone        map[string]bool
	ConfigRefused     map[string]string // the broker's words, by key
	ConfigForbidden   *Refusal          // the operator may not change any
	Window            WindowAttempt
}

// TopicPlan is what is to be done to a topic, and what is said of it.
type TopicPlan struct {
	Steps   []Step
	Waiting bool // a change was accepted and is not seen yet: look again in a moment

	Ready        Verdict
	ConfigSynced Verdict
	Window       *WindowPlan // nil: nothing is known of the window

	Topic     *ObservedTopic // the topic that this resource manages; nil: none
	Config    []v1alpha1.ConfigStatus
	Unmanaged []string

	RetryAfter time.Duration // 0: at the next poll
}

// Topic plans how one topic gets to what its resource asks for.
func Topic(spec v1alpha1.TopicSpec, status v1alpha1.TopicStatus, facts TopicFacts) TopicPlan {
	c := topicCase{TopicFacts: facts, spec: spec, status: status}
	if !c.isHeldBack() && !c.isMissing() {
		c.planPartitions()
		c.planReplication()
		c.planConfig()
		c.planWindow()
	}
	c.conclude()
	return c.plan
}

type topicCase struct {
	TopicFacts
	spec     v1alpha1.TopicSpec
	status   v1alpha1.TopicStatus
	plan     TopicPlan
	problems []Verdict // the first one gives the reason
}

func (c *topicCase) problem(verdict Verdict) bool {
	c.problems = append(c.problems, verdict)
	return true
}

func (c *topicCase) do(step Step) { c.plan.Steps = append(c.plan.Steps, step) }

var topicNamePattern = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// isHeldBack finds what forbids to touch the topic at all.
func (c *topicCase) isHeldBack() bool {
	switch {
	case !topicNamePattern.MatchString(c.Name) || c.Name == "." || c.Name == "..":
		return c.problem(Stalled(v1alpha1.ReasonInvalidTopicName, fmt.Sprintf(
			"Kafka does not allow the topic name %q; create a Topic whose topicName has 1 to 249 letters, digits, '.', '_' and '-'", c.Name)))
	case strings.HasPrefix(c.Name, "__") || c.Topic != nil && c.Topic.Internal:
		return c.problem(Stalled(v1alpha1.ReasonInvalidTopicName, fmt.Sprintf(
			"topic %s is internal to Kafka and is not managed; delete this resource", c.Name)))
	case c.Owner != nil:
		return c.problem(Stalled(v1alpha1.ReasonOwnedByAnotherTopic, fmt.Sprintf(
			"topic %s belongs to %s, which claimed it first (of the same second, the lower UID); nothing is done here until that one is deleted", c.Name, c.Owner.name())))
	case c.status.TopicID == "":
		return false
	case c.Topic == nil:
		c.plan.Waiting = !c.isTold(v1alpha1.ReasonTopicVanished)
		return c.problem(Stalled(v1alpha1.ReasonTopicVanished, fmt.Sprintf(
			"topic %s with id %s was deleted outside of this resource; it is not created again empty by itself: delete this resource and apply it anew to have that", c.Name, c.status.TopicID)))
	case c.Topic.ID != c.status.TopicID && c.Topic.ID != c.AcceptedID:
		c.plan.Waiting = !c.isTold(v1alpha1.ReasonTopicReplaced)
		return c.problem(Stalled(v1alpha1.ReasonTopicReplaced, fmt.Sprintf(
			"topic %s was deleted and created again outside of this resource: its id is %s and was %s; nothing is written to it until the annotation %s: %s accepts it",
			c.Name, c.Topic.ID, c.status.TopicID, v1alpha1.AcceptTopicIDAnnotation, c.Topic.ID)))
	}
	return false
}

// isTold says whether the resource says so already. Before it does, other brokers are asked for a
// moment: one that is behind the controller does not know a topic that is new.
func (c *topicCase) isTold(reason string) bool {
	ready := meta.FindStatusCondition(c.status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Reason == reason
}

func (o Owned) name() string {
	if o.Visible {
		return fmt.Sprintf("Topic %s/%s", o.Namespace, o.Name)
	}
	return "a Topic of another namespace"
}

func (c *topicCase) isMissing() bool {
	if c.Topic != nil {
		c.plan.Topic = c.Topic
		return false
	}
	switch {
	case c.Attempts.Created:
		c.plan.Waiting = true
	case c.Attempts.CreateRefused != nil:
		c.problem(c.Attempts.CreateRefused.Verdict())
	default:
		step := CreateTopic{Partitions: orDefault(c.spec.Partitions), ReplicationFactor: int16(orDefault(c.spec.ReplicationFactor)), Doubtful: c.failedBefore()}
		if !c.Attempts.CreateBare {
			wanted, _ := c.wantedConfig()
			step.Config = wanted
		}
		c.do(step)
	}
	return true
}

// failedBefore says whether this generation of the spec was tried and was refused something, so that a
// refusal that lasts costs no write.
func (c *topicCase) failedBefore() bool {
	ready := meta.FindStatusCondition(c.status.Conditions, v1alpha1.ConditionReady)
	return c.Verified && ready != nil && ready.Status != metav1.ConditionTrue
}

// orDefault gives Kafka's −1 for a number that the broker is to choose.
func orDefault(number *int32) int32 {
	if number == nil {
		return -1
	}
	return *number
}

func (c *topicCase) planPartitions() {
	wanted, have := c.spec.Partitions, c.Topic.Partitions
	switch {
	case wanted == nil || *wanted == have:
	case *wanted < have:
		c.problem(Stalled(v1alpha1.ReasonPartitionDecreaseRefused, fmt.Sprintf(
			"topic %s has %d partitions and %d are asked for; Kafka can't remove partitions: set spec.partitions to at least %d", c.Name, have, *wanted, have)))
	case c.Attempts.PartitionsRefused != nil:
		c.problem(c.Attempts.PartitionsRefused.Verdict())
	case c.Attempts.PartitionsAdded:
		c.plan.Waiting = true
	default:
		c.do(AddPartitions{Total: *wanted, Doubtful: c.failedBefore()})
	}
}

func (c *topicCase) planReplication() {
	wanted, have := c.spec.ReplicationFactor, c.Topic.ReplicationFactor
	if wanted != nil && *wanted != have {
		c.problem(Stalled(v1alpha1.ReasonReplicationFactorDiffers, fmt.Sprintf(
			"topic %s has %d replicas of each partition and %d are asked for; reassign its partitions with Kafka's tools, or set spec.replicationFactor to %d", c.Name, have, *wanted, have)))
	}
}

// wantedConfig renders the spec's config. Values that the API server should have refused are refused
// here, each alone.
func (c *topicCase) wantedConfig() (wanted, refused map[string]string) {
	wanted, invalid := c.spec.Config.Strings()
	refused = make(map[string]string, len(invalid))
	for _, problem := range invalid {
		refused[problem.Key] = fmt.Sprintf("%s (%s)", problem.Problem, problem.Remedy)
	}
	for name := range wanted {
		if MatchesAny(c.spec.IgnoredConfigKeys, name) {
			delete(wanted, name)
		}
	}
	return wanted, refused
}

func (c *topicCase) planConfig() {
	wanted, refused := c.wantedConfig()
	var managed []string
	doubted := map[string]string{}
	for _, config := range c.status.Config {
		managed = append(managed, config.Name)
		if config.Rejection != "" && c.Verified {
			doubted[config.Name] = config.Rejection
		}
	}
	entries := slices.DeleteFunc(slices.Clone(c.Config), func(entry ConfigEntry) bool { return entry.Name == WindowKey })
	diff := DiffConfig(ConfigFacts{Wanted: wanted, Managed: managed, Ignored: c.spec.IgnoredConfigKeys, Entries: entries})

	var sure, doubtful []ConfigChange
	for _, change := range diff.Changes {
		words, wasRefused := c.Attempts.ConfigRefused[change.Name]
		switch {
		case wasRefused:
			refused[change.Name] = words
		case c.Attempts.ConfigDone[change.Name]:
			c.plan.Waiting = true
		case doubted[change.Name] != "", c.forbiddenBefore():
			doubtful = append(doubtful, change)
		default:
			sure = append(sure, change)
		}
	}
	if forbidden := c.Attempts.ConfigForbidden; forbidden != nil && len(sure)+len(doubtful) > 0 {
		c.plan.ConfigSynced = forbidden.Verdict()
		c.problem(c.plan.ConfigSynced)
		sure, doubtful = nil, nil
	}
	if len(sure) > 0 {
		c.do(AlterConfig{Changes: sure, Drift: c.Verified})
	}
	if len(doubtful) > 0 {
		c.do(AlterConfig{Changes: doubtful, Doubtful: true})
	}
	c.plan.Config = configStatus(wanted, refused, diff.Changes, entries)
	c.plan.Unmanaged = c.unmanaged(diff.Foreign)
	if c.plan.ConfigSynced.Reason == "" {
		c.plan.ConfigSynced = c.configVerdict(wanted, refused)
	}
}

// forbiddenBefore says whether the operator was not allowed to change the config of this topic.
func (c *topicCase) forbiddenBefore() bool {
	synced := meta.FindStatusCondition(c.status.Conditions, v1alpha1.ConditionConfigSynced)
	return c.Verified && synced != nil && synced.Reason == v1alpha1.ReasonNotAuthorized
}

// unmanaged adds a window that others set to the overrides that this resource leaves alone.
func (c *topicCase) unmanaged(foreign []string) []string {
	if c.Window.Requested != nil || c.Window.Applied != nil {
		return foreign
	}
	for _, entry := range c.Config {
		if entry.Name == WindowKey && entry.Override {
			foreign = append(foreign, WindowKey)
			slices.Sort(foreign)
		}
	}
	return foreign
}

func (c *topicCase) configVerdict(wanted, refused map[string]string) Verdict {
	if len(refused) == 0 {
		return True(v1alpha1.ReasonSynced, fmt.Sprintf("all %d configs of the resource are set", len(wanted)))
	}
	applied := 0
	for name := range wanted {
		if _, ok := refused[name]; !ok {
			applied++
		}
	}
	verdict := Stalled(v1alpha1.ReasonConfigRejected, refusalMessage(c.Name, refused, applied))
	c.problem(verdict)
	return verdict
}

func (c *topicCase) planWindow() {
	facts := c.Window
	facts.Attempt = c.Attempts.Window
	window := Window(facts)
	c.plan.Window = &window
	c.plan.Waiting = c.plan.Waiting || window.Waiting
	c.plan.RetryAfter = window.RetryAfter
	if window.Step != nil {
		c.do(window.Step)
	}
	required := c.spec.DedupWindow != nil && c.spec.DedupWindow.Requirement == v1alpha1.WindowRequired
	if required && facts.Requested != nil && window.State != v1alpha1.WindowEffective {
		verdict := Stalled(v1alpha1.ReasonWindowRequired, window.Verdict.Message)
		verdict.Stalled = window.State != v1alpha1.WindowApplied && window.LoweringRequestedAt == nil
		c.problem(verdict)
	}
}

// conclude says whether the topic is ready. While a change is on its way nothing is final.
func (c *topicCase) conclude() {
	switch {
	case len(c.problems) > 0:
		c.plan.Ready = c.problems[0]
		for _, problem := range c.problems[1:] {
			c.plan.Ready.Message += "; " + problem.Message
		}
	case c.plan.Waiting || len(c.plan.Steps) > 0:
		c.plan.Ready = False(v1alpha1.ReasonProgressing, fmt.Sprintf("the changes to topic %s are accepted and not all seen yet", c.Name))
	default:
		c.plan.Ready = True(v1alpha1.ReasonSynced, c.readyMessage())
	}
	if c.plan.ConfigSynced.Reason == "" {
		c.plan.ConfigSynced = Unknown(c.plan.Ready.Reason, c.plan.Ready.Message)
	}
}

func (c *topicCase) readyMessage() string {
	message := fmt.Sprintf("topic %s is as asked for", c.Name)
	window := c.plan.Window
	switch {
	case window == nil || window.State == v1alpha1.WindowEffective:
	case window.Requested == nil && window.State == v1alpha1.WindowHeld:
		message += ", except that its window is not taken back yet: " + window.Verdict.Message
	case window.Requested != nil:
		message += fmt.Sprintf(", except its dedup window, which is %s (%s: see DedupWindowEffective)", window.State, window.Verdict.Reason)
	}
	return message
}
