package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

func TestWindowSupport(t *testing.T) {
	modern := func(id int32) BrokerSupport {
		return BrokerSupport{ID: id, State: v1alpha1.BrokerActive, Produce: number(14), Window: Yes}
	}
	old := BrokerSupport{ID: 2, Rack: "b", State: v1alpha1.BrokerActive, Produce: number(13), Window: No}
	for _, test := range []struct {
		name    string
		support Support
		status  string
		reason  string
		says    string
	}{
		{"is there when the controller and every broker have it", Support{Controller: Yes, Brokers: []BrokerSupport{modern(1), modern(2)}}, "True", v1alpha1.ReasonSupported, "all 2"},
		{"is missing when one broker is old, which is named with its rack", Support{Controller: Yes, Brokers: []BrokerSupport{modern(1), old}}, "False", v1alpha1.ReasonBrokerTooOld, "broker 2 (rack b) speaks Produce up to v13"},
		{"is missing when a broker speaks Produce v14 and does not know the config", Support{Controller: Yes, Brokers: []BrokerSupport{{ID: 3, State: v1alpha1.BrokerActive, Produce: number(14), Window: No}}}, "False", v1alpha1.ReasonBrokerTooOld, "broker 3 does not know the config"},
		{"is missing when the controller is old, and the newest release without it is named", Support{Controller: No, Brokers: []BrokerSupport{modern(1)}}, "False", v1alpha1.ReasonControllerTooOld, "no Apache Kafka release up to 4.4 does"},
		{"names old brokers beside an old controller", Support{Controller: No, Brokers: []BrokerSupport{old}}, "False", v1alpha1.ReasonControllerTooOld, "broker 2 (rack b)"},
		{"is unknown when the controller may not be asked", Support{Controller: Unsure, Problem: "not authorized to create", Brokers: []BrokerSupport{modern(1)}}, "Unknown", v1alpha1.ReasonSupportUnknown, "not authorized to create"},
		{"is unknown while a registered broker is fenced", Support{Controller: Yes, Brokers: []BrokerSupport{modern(1), {ID: 2, State: v1alpha1.BrokerFenced, Window: Unsure}}}, "Unknown", v1alpha1.ReasonSupportUnknown, "start it or unregister it"},
		{"is unknown while a broker can't be reached", Support{Controller: Yes, Brokers: []BrokerSupport{modern(1), {ID: 2, State: v1alpha1.BrokerUnreachable, Window: Unsure}}}, "Unknown", v1alpha1.ReasonSupportUnknown, "broker 2 can't be reached"},
		{"is unknown while a broker does not let itself be asked", Support{Controller: Yes, Brokers: []BrokerSupport{{ID: 1, State: v1alpha1.BrokerActive, Window: Unsure}}}, "Unknown", v1alpha1.ReasonSupportUnknown, "DescribeConfigs"},
		{"is missing, not unknown, when one broker is old and another one away", Support{Controller: Unsure, Brokers: []BrokerSupport{old, {ID: 3, State: v1alpha1.BrokerFenced}}}, "False", v1alpha1.ReasonBrokerTooOld, "broker 2"},
		{"is unknown before any broker was asked", Support{Controller: Yes, Brokers: nil}, "Unknown", v1alpha1.ReasonSupportUnknown, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdict := WindowSupport(test.support)
			if string(verdict.Status) != test.status || verdict.Reason != test.reason || !strings.Contains(verdict.Message, test.says) {
				t.Errorf("got %+v, want %s, %s, saying %q", verdict, test.status, test.reason, test.says)
			}
		})
	}
}

func TestManyBrokersInTheWayAreCountedAfterTheFirstFive(t *testing.T) {
	var brokers []BrokerSupport
	for id := range int32(9) {
		brokers = append(brokers, BrokerSupport{ID: id, State: v1alpha1.BrokerActive, Produce: number(13)})
	}
	if message := WindowSupport(Support{Controller: Yes, Brokers: brokers}).Message; !strings.Contains(message, "broker 4") || !strings.Contains(message, "and 4 more") || strings.Contains(message, "broker 5") {
		t.Errorf("says %q", message)
	}
}

func TestAccess(t *testing.T) {
	cluster := v1alpha1.ClusterReference{Namespace: "kafka", Name: "main"}
	rules := []v1alpha1.AccessRule{{Namespaces: []string{"shop"}, Topics: []string{"shop.*", "orders"}}, {Namespaces: []string{"audit"}}}
	for _, test := range []struct {
		name, namespace, topic, reason string
		allowed                        bool
	}{
		{"the cluster's own namespace needs no rule", "kafka", "anything", v1alpha1.ReasonSynced, true},
		{"a literal name is allowed", "shop", "orders", v1alpha1.ReasonSynced, true},
		{"a name with the prefix is allowed", "shop", "shop.cart", v1alpha1.ReasonSynced, true},
		{"a name that only begins like a literal one is not", "shop", "orders2", v1alpha1.ReasonTopicNotAllowed, false},
		{"a rule without topics allows all", "audit", "anything", v1alpha1.ReasonSynced, true},
		{"a namespace without a rule is not allowed", "other", "orders", v1alpha1.ReasonNamespaceNotAllowed, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if verdict := Access(cluster, rules, test.namespace, test.topic); verdict.Holds() != test.allowed || verdict.Reason != test.reason {
				t.Errorf("got %+v", verdict)
			}
		})
	}
}

func TestTheOlderClaimOwnsATopicThenTheLowerUID(t *testing.T) {
	old := Claim{Name: "old", UID: "z", Created: noon.Add(-time.Second)}
	lower, higher := Claim{Name: "lower", UID: "a", Created: noon}, Claim{Name: "higher", UID: "b", Created: noon}
	for _, claims := range [][]Claim{{old, lower, higher}, {higher, old, lower}, {lower, higher, old}} {
		if owner := Owner(claims); owner != old {
			t.Errorf("%v: owner is %s, want old", claims, owner.Name)
		}
	}
	for _, claims := range [][]Claim{{lower, higher}, {higher, lower}} {
		if owner := Owner(claims); owner != lower {
			t.Errorf("%v: owner is %s, want lower", claims, owner.Name)
		}
	}
}

func TestDeletion(t *testing.T) {
	blocked := &Refusal{Reason: v1alpha1.ReasonBrokersUnreachable, Message: "nothing answers"}
	base := DeletionFacts{Name: "orders", Policy: v1alpha1.DeletionPolicyDelete, RecordedID: "a", Topic: found("a"), Requested: noon, Now: noon}
	with := func(change func(*DeletionFacts)) DeletionFacts {
		facts := base
		change(&facts)
		return facts
	}
	for _, test := range []struct {
		name     string
		facts    DeletionFacts
		deletes  string
		releases bool
		orphaned bool
		says     string
	}{
		{"deletes the topic with the recorded id", base, "a", false, false, ""},
		{"waits while an accepted deletion is under way", with(func(f *DeletionFacts) { f.Accepted = true }), "", false, false, "being deleted"},
		{"lets go when the topic is gone", with(func(f *DeletionFacts) { f.Topic = nil; f.Accepted = true }), "", true, false, "is deleted"},
		{"deletes the topic with the recorded id also when a broker does not know it, which may be behind", with(func(f *DeletionFacts) { f.Topic = nil }), "a", false, false, ""},
		{"keeps a topic that has the name and another id", with(func(f *DeletionFacts) { f.Topic = found("b") }), "", true, false, "retained"},
		{"keeps the topic when the policy says retain", with(func(f *DeletionFacts) { f.Policy = v1alpha1.DeletionPolicyRetain }), "", true, false, "retained"},
		{"keeps a topic that the resource never managed", with(func(f *DeletionFacts) { f.RecordedID = "" }), "", true, false, "never managed"},
		{"hands the topic over when another resource claims it", with(func(f *DeletionFacts) { f.Owner = &Owned{Claim: Claim{Namespace: "b", Name: "heir"}, Visible: true} }), "", true, false, "b/heir"},
		{"keeps an internal topic", with(func(f *DeletionFacts) { f.Topic = &ObservedTopic{ID: "a", Internal: true} }), "", true, false, "internal"},
		{"waits while Kafka can't be asked", with(func(f *DeletionFacts) { f.Topic = nil; f.Blocked = blocked }), "", false, false, "12:05:00"},
		{"keeps the topic and says so when Kafka could not be asked for the whole wait", with(func(f *DeletionFacts) { f.Topic, f.Blocked, f.Now = nil, blocked, noon.Add(DeletionWait) }), "", true, true, "nothing answers"},
		{"keeps the topic and says so when an accepted deletion is never done", with(func(f *DeletionFacts) { f.Accepted, f.Now = true, noon.Add(DeletionWait) }), "", true, true, "still has the topic"},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := Deletion(test.facts)
			if plan.DeleteID != test.deletes || plan.Release != test.releases || plan.Orphaned != test.orphaned || !strings.Contains(plan.Verdict.Message, test.says) {
				t.Errorf("got %+v", plan)
			}
			if !plan.Release && plan.DeleteID == "" && plan.RetryAfter <= 0 {
				t.Error("waits and never looks again")
			}
		})
	}
}

func TestClusterVerdicts(t *testing.T) {
	failed := Cluster(ClusterFacts{Failure: &Refusal{Reason: v1alpha1.ReasonBrokersUnreachable, Message: "refused", Passing: true}})
	if failed.Ready.Holds() || failed.Ready.Stalled || failed.Supported.Reason != v1alpha1.ReasonSupportUnknown {
		t.Errorf("a cluster that does not answer: %+v", failed)
	}
	replaced := Cluster(ClusterFacts{Failure: &Refusal{Reason: v1alpha1.ReasonClusterReplaced}})
	if !replaced.Ready.Stalled {
		t.Errorf("a replaced cluster: %+v", replaced)
	}
	partly := Cluster(ClusterFacts{Support: Support{Controller: Yes, Brokers: []BrokerSupport{
		{ID: 1, State: v1alpha1.BrokerActive, Produce: number(14), Window: Yes}, {ID: 2, State: v1alpha1.BrokerFenced},
	}}})
	if !partly.Ready.Holds() || partly.Ready.Reason != v1alpha1.ReasonPartlyConnected || !strings.Contains(partly.Ready.Message, "broker 2 is fenced") {
		t.Errorf("a cluster with a fenced broker: %+v", partly)
	}
}
