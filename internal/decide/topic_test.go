package decide

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

func config(t *testing.T, text string) *v1alpha1.TopicConfig {
	t.Helper()
	var config v1alpha1.TopicConfig
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	return &config
}

func override(name, kind, value string) ConfigEntry {
	return ConfigEntry{Name: name, Value: value, Type: kind, Override: true, Source: "DynamicTopicConfig"}
}

func fallback(name, kind, value string) ConfigEntry {
	return ConfigEntry{Name: name, Value: value, Type: kind, Source: "DefaultConfig"}
}

func found(id string) *ObservedTopic {
	return &ObservedTopic{ID: id, Partitions: 6, ReplicationFactor: 3}
}

func managed(id string, configs ...v1alpha1.ConfigStatus) v1alpha1.TopicStatus {
	return v1alpha1.TopicStatus{TopicID: id, Config: configs}
}

func failed(id string) v1alpha1.TopicStatus {
	return v1alpha1.TopicStatus{TopicID: id, Conditions: []metav1.Condition{
		{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRefusedByBroker},
	}}
}

func TestTopic(t *testing.T) {
	retention := `{"retention.ms": 604800000}`
	for _, test := range []struct {
		name    string
		spec    v1alpha1.TopicSpec
		status  v1alpha1.TopicStatus
		facts   TopicFacts
		steps   []Step
		ready   string // reason
		status3 metav1.ConditionStatus
		stalled bool
		says    string
		synced  string // reason of ConfigSynced
		waiting bool
	}{
		{
			name:  "is created with its config and the broker's defaults for what is left out",
			spec:  v1alpha1.TopicSpec{Config: config(t, retention)},
			steps: []Step{CreateTopic{Partitions: -1, ReplicationFactor: -1, Config: map[string]string{"retention.ms": "604800000"}}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonProgressing,
		},
		{
			name:  "is created with the numbers that are asked for",
			spec:  v1alpha1.TopicSpec{Partitions: number(12), ReplicationFactor: number(3)},
			steps: []Step{CreateTopic{Partitions: 12, ReplicationFactor: 3, Config: map[string]string{}}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonProgressing,
		},
		{
			name:  "is created without its window, which waits for the gate",
			spec:  v1alpha1.TopicSpec{DedupWindow: &v1alpha1.TopicDedupWindow{BatchesToRetain: number(20)}, Config: config(t, `{"producer.state.batches.to.retain": 20}`)},
			steps: []Step{CreateTopic{Partitions: -1, ReplicationFactor: -1, Config: map[string]string{}}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonProgressing,
		},
		{
			name:  "is created without a config that is refused, to set the good keys afterwards",
			spec:  v1alpha1.TopicSpec{Config: config(t, retention)},
			facts: TopicFacts{Attempts: Attempts{CreateBare: true}},
			steps: []Step{CreateTopic{Partitions: -1, ReplicationFactor: -1}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonProgressing,
		},
		{
			name:   "is validated before it is created when its creation failed before",
			status: failed(""),
			facts:  TopicFacts{Verified: true},
			steps:  []Step{CreateTopic{Partitions: -1, ReplicationFactor: -1, Config: map[string]string{}, Doubtful: true}},
			ready:  v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonProgressing,
		},
		{
			name:   "has more partitions validated first when that failed before",
			spec:   v1alpha1.TopicSpec{Partitions: number(12)},
			status: failed("a"),
			facts:  TopicFacts{Verified: true, Topic: found("a")},
			steps:  []Step{AddPartitions{Total: 12, Doubtful: true}},
			ready:  v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:   "is changed at once when another spec failed before",
			spec:   v1alpha1.TopicSpec{Partitions: number(12)},
			status: failed("a"),
			facts:  TopicFacts{Topic: found("a")},
			steps:  []Step{AddPartitions{Total: 12}},
			ready:  v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "is waited for once its creation is accepted",
			facts: TopicFacts{Attempts: Attempts{Created: true}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonProgressing, waiting: true,
		},
		{
			name:  "is tried again while there are too few brokers",
			facts: TopicFacts{Attempts: Attempts{CreateRefused: &Refusal{Reason: v1alpha1.ReasonInsufficientBrokers, Message: "only 1 broker", Passing: true}}},
			ready: v1alpha1.ReasonInsufficientBrokers, says: "only 1 broker", synced: v1alpha1.ReasonInsufficientBrokers,
		},
		{
			name:  "is ready when Kafka has what is asked for",
			spec:  v1alpha1.TopicSpec{Partitions: number(6), ReplicationFactor: number(3), Config: config(t, retention)},
			facts: TopicFacts{Topic: found("a"), Config: []ConfigEntry{override("retention.ms", "LONG", "604800000")}},
			ready: v1alpha1.ReasonSynced, status3: metav1.ConditionTrue, synced: v1alpha1.ReasonSynced,
		},
		{
			name:   "is not created again when it vanished",
			status: managed("a"),
			ready:  v1alpha1.ReasonTopicVanished, stalled: true, says: "a", synced: v1alpha1.ReasonTopicVanished, waiting: true,
		},
		{
			name: "is not looked for again once it is told that it vanished",
			status: v1alpha1.TopicStatus{TopicID: "a", Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonTopicVanished},
			}},
			ready: v1alpha1.ReasonTopicVanished, stalled: true, says: "a", synced: v1alpha1.ReasonTopicVanished,
		},
		{
			name:   "is not touched when another one has its name",
			spec:   v1alpha1.TopicSpec{Config: config(t, retention)},
			status: managed("a"),
			facts:  TopicFacts{Topic: found("b")},
			ready:  v1alpha1.ReasonTopicReplaced, stalled: true, says: "accept-topic-id: b", synced: v1alpha1.ReasonTopicReplaced, waiting: true,
		},
		{
			name:   "is managed again when the user accepts the new id",
			status: managed("a"),
			facts:  TopicFacts{Topic: found("b"), AcceptedID: "b"},
			ready:  v1alpha1.ReasonSynced, status3: metav1.ConditionTrue, synced: v1alpha1.ReasonSynced,
		},
		{
			name:   "is not created again when it vanished after its id was accepted",
			status: managed("b"),
			facts:  TopicFacts{AcceptedID: "b"},
			ready:  v1alpha1.ReasonTopicVanished, stalled: true, synced: v1alpha1.ReasonTopicVanished, waiting: true,
		},
		{
			name:  "is not touched while an older resource owns it, which is named in the same namespace",
			facts: TopicFacts{Topic: found("a"), Owner: &Owned{Claim: Claim{Namespace: "team", Name: "first"}, Visible: true}},
			ready: v1alpha1.ReasonOwnedByAnotherTopic, stalled: true, says: "team/first", synced: v1alpha1.ReasonOwnedByAnotherTopic,
		},
		{
			name:  "is not touched while an older resource of another namespace owns it, which stays unnamed",
			facts: TopicFacts{Topic: found("a"), Owner: &Owned{Claim: Claim{Namespace: "secret", Name: "first"}}},
			ready: v1alpha1.ReasonOwnedByAnotherTopic, stalled: true, says: "another namespace", synced: v1alpha1.ReasonOwnedByAnotherTopic,
		},
		{
			name:  "is not touched when it is internal to Kafka",
			facts: TopicFacts{Topic: &ObservedTopic{ID: "a", Internal: true}},
			ready: v1alpha1.ReasonInvalidTopicName, stalled: true, synced: v1alpha1.ReasonInvalidTopicName,
		},
		{
			name:  "is not created under a name that Kafka does not allow",
			facts: TopicFacts{Name: "a b"},
			ready: v1alpha1.ReasonInvalidTopicName, stalled: true, synced: v1alpha1.ReasonInvalidTopicName,
		},
		{
			name:  "is not created under a name that is Kafka's own",
			facts: TopicFacts{Name: "__consumer_offsets"},
			ready: v1alpha1.ReasonInvalidTopicName, stalled: true, synced: v1alpha1.ReasonInvalidTopicName,
		},
		{
			name:  "gets more partitions",
			spec:  v1alpha1.TopicSpec{Partitions: number(12)},
			facts: TopicFacts{Topic: found("a")},
			steps: []Step{AddPartitions{Total: 12}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "keeps its partitions when fewer are asked for, and its config is changed all the same",
			spec:  v1alpha1.TopicSpec{Partitions: number(3), Config: config(t, retention)},
			facts: TopicFacts{Topic: found("a"), Config: []ConfigEntry{fallback("retention.ms", "LONG", "1")}},
			steps: []Step{AlterConfig{Changes: []ConfigChange{{Name: "retention.ms", Value: "604800000"}}}},
			ready: v1alpha1.ReasonPartitionDecreaseRefused, stalled: true, says: "at least 6", synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "says that its replication factor differs",
			spec:  v1alpha1.TopicSpec{ReplicationFactor: number(1)},
			facts: TopicFacts{Topic: found("a")},
			ready: v1alpha1.ReasonReplicationFactorDiffers, stalled: true, says: "3 replicas", synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "has a config set even where the broker's default is the same",
			spec:  v1alpha1.TopicSpec{Config: config(t, `{"min.insync.replicas": "2"}`)},
			facts: TopicFacts{Topic: found("a"), Config: []ConfigEntry{fallback("min.insync.replicas", "INT", "2")}},
			steps: []Step{AlterConfig{Changes: []ConfigChange{{Name: "min.insync.replicas", Value: "2"}}}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:   "has a drifted config put back",
			spec:   v1alpha1.TopicSpec{Config: config(t, retention)},
			status: managed("a"),
			facts:  TopicFacts{Topic: found("a"), Verified: true, Config: []ConfigEntry{override("retention.ms", "LONG", "1")}},
			steps:  []Step{AlterConfig{Drift: true, Changes: []ConfigChange{{Name: "retention.ms", Value: "604800000"}}}},
			ready:  v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:   "has a key reset that was managed and is asked for no longer, and no other one",
			status: managed("a", v1alpha1.ConfigStatus{Name: "retention.ms"}),
			facts:  TopicFacts{Topic: found("a"), Config: []ConfigEntry{override("retention.ms", "LONG", "1"), override("cleanup.policy", "LIST", "compact")}},
			steps:  []Step{AlterConfig{Changes: []ConfigChange{{Name: "retention.ms", Reset: true}}}},
			ready:  v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:   "has an ignored key neither set nor reset",
			spec:   v1alpha1.TopicSpec{Config: config(t, retention), IgnoredConfigKeys: []string{"retention.*", "x"}},
			status: managed("a", v1alpha1.ConfigStatus{Name: "retention.bytes"}),
			facts:  TopicFacts{Topic: found("a"), Config: []ConfigEntry{override("retention.ms", "LONG", "1"), override("retention.bytes", "LONG", "1")}},
			ready:  v1alpha1.ReasonSynced, status3: metav1.ConditionTrue, synced: v1alpha1.ReasonSynced,
		},
		{
			name: "names a refused key in the broker's words",
			spec: v1alpha1.TopicSpec{Config: config(t, `{"retention.mz": 1, "retention.ms": 604800000, "min.insync.replicas": 2}`)},
			facts: TopicFacts{Topic: found("a"), Config: []ConfigEntry{override("retention.ms", "LONG", "604800000"), override("min.insync.replicas", "INT", "2")},
				Attempts: Attempts{ConfigRefused: map[string]string{"retention.mz": "Unknown topic config name: retention.mz"}}},
			ready: v1alpha1.ReasonConfigRejected, stalled: true, synced: v1alpha1.ReasonConfigRejected,
			says: `"retention.mz": Unknown topic config name: retention.mz (correct or remove each of these keys; the other 2 were applied)`,
		},
		{
			name: "says what to do about a window that an old controller chokes on, and not that the key is wrong",
			spec: v1alpha1.TopicSpec{Config: config(t, `{"retention.ms": 1}`)},
			facts: TopicFacts{Topic: found("a"),
				Attempts: Attempts{ConfigRefused: map[string]string{"retention.ms": "Unknown topic config name: " + WindowKey}}},
			ready: v1alpha1.ReasonConfigRejected, stalled: true, synced: v1alpha1.ReasonConfigRejected,
			says: `Unknown topic config name: producer.state.batches.to.retain (the active controller does not know the dedup window that is set on the topic, and refuses every change for it: upgrade the controllers to a release that has KIP-1269, or delete producer.state.batches.to.retain from the topic`,
		},
		{
			name:   "has a key that was refused before only validated",
			spec:   v1alpha1.TopicSpec{Config: config(t, `{"retention.mz": 1, "retention.ms": 604800000}`)},
			status: managed("a", v1alpha1.ConfigStatus{Name: "retention.mz", Rejection: "Unknown topic config name: retention.mz"}),
			facts:  TopicFacts{Topic: found("a"), Verified: true, Config: []ConfigEntry{override("retention.ms", "LONG", "604800000")}},
			steps:  []Step{AlterConfig{Doubtful: true, Changes: []ConfigChange{{Name: "retention.mz", Value: "1"}}}},
			ready:  v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name: "says that the operator may not change its config, and blames no key",
			spec: v1alpha1.TopicSpec{Config: config(t, retention)},
			facts: TopicFacts{Topic: found("a"), Config: []ConfigEntry{fallback("retention.ms", "LONG", "1")},
				Attempts: Attempts{ConfigForbidden: &Refusal{Reason: v1alpha1.ReasonNotAuthorized, Message: "grant AlterConfigs"}}},
			ready: v1alpha1.ReasonNotAuthorized, stalled: true, says: "grant AlterConfigs", synced: v1alpha1.ReasonNotAuthorized,
		},
		{
			name: "has its config only validated while the operator may not change it",
			spec: v1alpha1.TopicSpec{Config: config(t, retention)},
			status: v1alpha1.TopicStatus{TopicID: "a", Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionConfigSynced, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonNotAuthorized}}},
			facts: TopicFacts{Topic: found("a"), Verified: true, Config: []ConfigEntry{fallback("retention.ms", "LONG", "1")}},
			steps: []Step{AlterConfig{Doubtful: true, Changes: []ConfigChange{{Name: "retention.ms", Value: "604800000"}}}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "has a value refused that the API server should have refused",
			spec:  v1alpha1.TopicSpec{Config: config(t, `{"compression.type": "", "retention.ms": 604800000}`)},
			facts: TopicFacts{Topic: found("a"), Config: []ConfigEntry{override("retention.ms", "LONG", "604800000")}},
			ready: v1alpha1.ReasonConfigRejected, stalled: true, says: "compression.type", synced: v1alpha1.ReasonConfigRejected,
		},
		{
			name:  "is ready while a preferred window can't be had, and says so",
			spec:  v1alpha1.TopicSpec{DedupWindow: &v1alpha1.TopicDedupWindow{BatchesToRetain: number(20)}},
			facts: TopicFacts{Topic: found("a"), Window: WindowFacts{Requested: number(20), Support: Stalled(v1alpha1.ReasonControllerTooOld, "no release up to 4.4"), Reports: []WindowReport{oldLeader(1)}}},
			ready: v1alpha1.ReasonSynced, status3: metav1.ConditionTrue, says: "ControllerTooOld", synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "is stalled while a required window can't be had",
			spec:  v1alpha1.TopicSpec{DedupWindow: &v1alpha1.TopicDedupWindow{BatchesToRetain: number(20), Requirement: v1alpha1.WindowRequired}},
			facts: TopicFacts{Topic: found("a"), Window: WindowFacts{Requested: number(20), Support: Stalled(v1alpha1.ReasonControllerTooOld, "no release up to 4.4"), Reports: []WindowReport{oldLeader(1)}}},
			ready: v1alpha1.ReasonWindowRequired, stalled: true, says: "no release up to 4.4", synced: v1alpha1.ReasonSynced,
		},
		{
			name:  "sets the window after everything else, alone",
			spec:  v1alpha1.TopicSpec{Partitions: number(7), Config: config(t, retention), DedupWindow: &v1alpha1.TopicDedupWindow{BatchesToRetain: number(20)}},
			facts: TopicFacts{Topic: found("a"), Window: WindowFacts{Requested: number(20), Support: True(v1alpha1.ReasonSupported, ""), Reports: []WindowReport{plainLeader(1, 5)}}},
			steps: []Step{AddPartitions{Total: 7}, AlterConfig{Changes: []ConfigChange{{Name: "retention.ms", Value: "604800000"}}}, SetWindow{Value: 20}},
			ready: v1alpha1.ReasonProgressing, synced: v1alpha1.ReasonSynced,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.facts.Name == "" {
				test.facts.Name = "orders"
			}
			test.facts.Window.Now = noon
			plan := Topic(test.spec, test.status, test.facts)
			if diff := cmp.Diff(test.steps, plan.Steps, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			wantStatus := test.status3
			if wantStatus == "" {
				wantStatus = metav1.ConditionFalse
			}
			if plan.Ready.Reason != test.ready || plan.Ready.Status != wantStatus || plan.Ready.Stalled != test.stalled {
				t.Errorf("ready is %+v, want %s with reason %s, stalled %v", plan.Ready, wantStatus, test.ready, test.stalled)
			}
			if !strings.Contains(plan.Ready.Message, test.says) {
				t.Errorf("says %q, want it to say %q", plan.Ready.Message, test.says)
			}
			if plan.ConfigSynced.Reason != test.synced {
				t.Errorf("config is %+v, want reason %s", plan.ConfigSynced, test.synced)
			}
			if plan.Waiting != test.waiting {
				t.Errorf("waiting is %v, want %v", plan.Waiting, test.waiting)
			}
		})
	}
}

func TestForeignOverridesAreListedAndTheWindowAmongThemOnlyWhileItIsForeign(t *testing.T) {
	facts := TopicFacts{Name: "orders", Topic: found("a"), Config: []ConfigEntry{
		override(WindowKey, "INT", "50"), override("a.b", "STRING", "x"), fallback("c.d", "STRING", "y"), override("retention.ms", "LONG", "1"),
	}}
	spec := v1alpha1.TopicSpec{Config: config(t, `{"retention.ms": 1}`)}
	if got, want := Topic(spec, v1alpha1.TopicStatus{}, facts).Unmanaged, []string{"a.b", WindowKey}; !cmp.Equal(got, want) {
		t.Errorf("unmanaged %v, want %v", got, want)
	}
	facts.Window.Requested = number(50)
	if got, want := Topic(spec, v1alpha1.TopicStatus{}, facts).Unmanaged, []string{"a.b"}; !cmp.Equal(got, want) {
		t.Errorf("unmanaged %v, want %v", got, want)
	}
}

func TestConfigStatusShowsWhatIsManagedWithItsValueInKafka(t *testing.T) {
	long := strings.Repeat("é", 300)
	facts := TopicFacts{Name: "orders", Topic: found("a"), Config: []ConfigEntry{
		override("retention.ms", "LONG", "1"), override("x", "STRING", long),
	}, Attempts: Attempts{ConfigRefused: map[string]string{"nope": "Unknown topic config name: nope"}}}
	spec := v1alpha1.TopicSpec{Config: config(t, `{"retention.ms": 1, "nope": 2, "x": "`+long+`"}`)}
	want := []v1alpha1.ConfigStatus{
		{Name: "nope", Rejection: "Unknown topic config name: nope"},
		{Name: "retention.ms", Value: "1", Source: "DynamicTopicConfig"},
		{Name: "x", Value: strings.Repeat("é", 255) + "…", Source: "DynamicTopicConfig"},
	}
	if diff := cmp.Diff(want, Topic(spec, v1alpha1.TopicStatus{}, facts).Config); diff != "" {
		t.Errorf("config status (-want +got):\n%s", diff)
	}
}

func TestConfigStatusHoldsWhatTheAPIAllowsWhateverTheSpecHas(t *testing.T) {
	values := map[string]int{"": 1, strings.Repeat("x", 129): 1, "zz.last.wanted": 1}
	for i := range 200 {
		values[fmt.Sprintf("unknown.%03d", i)] = i
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	plan := Topic(v1alpha1.TopicSpec{Config: config(t, string(text))}, v1alpha1.TopicStatus{}, TopicFacts{Name: "orders", Topic: found("a")})
	if len(plan.Config) != v1alpha1.MaxConfigKeys {
		t.Errorf("%d keys in the status, want %d", len(plan.Config), v1alpha1.MaxConfigKeys)
	}
	for _, shown := range plan.Config {
		if shown.Name == "" || len(shown.Name) > v1alpha1.MaxConfigKeyLength || shown.Rejection != "" {
			t.Errorf("%q is in the status with rejection %q; the keys that are managed come first", shown.Name, shown.Rejection)
		}
	}
}

func TestConfigValuesAreComparedAsKafkaMeansThem(t *testing.T) {
	for _, test := range []struct {
		kind, have, want string
		same             bool
	}{
		{"DOUBLE", "1.0E-7", "1e-7", true},
		{"DOUBLE", "0.005", "0.0050", true},
		{"DOUBLE", "0.005", "0.006", false},
		{"LONG", "9223372036854775807", "9223372036854775807", true},
		{"LONG", "9007199254740992", "9007199254740993", false},
		{"INT", "10", "010", true},
		{"BOOLEAN", "true", "TRUE", true},
		{"BOOLEAN", "true", "false", false},
		{"LIST", "compact,delete", "compact, delete", true},
		{"LIST", "compact,delete", "delete,compact", false},
		{"STRING", "snappy", "snappy ", true},
		{"STRING", "snappy", "Snappy", false},
	} {
		if got := SameConfigValue(test.kind, test.have, test.want); got != test.same {
			t.Errorf("%s %q and %q are the same: %v, want %v", test.kind, test.have, test.want, got, test.same)
		}
	}
}
