package controllers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
)

// open finds the KafkaCluster of a Topic and borrows its session. A verdict says why there is none.
func (r *TopicReconciler) open(ctx context.Context, topic *v1alpha1.Topic) (*topicScope, *decide.Verdict, error) {
	scope := &topicScope{topic: topic, name: kafkaName(topic)}
	reference := clusterOf(topic)
	var cluster v1alpha1.KafkaCluster
	err := r.Get(ctx, client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}, &cluster)
	if client.IgnoreNotFound(err) != nil {
		return nil, nil, err
	}
	if err != nil { // a Topic that was at work when the KafkaCluster went may have opened a session after its end
		r.Sessions.forget(client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name})
	}
	if access := decide.Access(reference, cluster.Spec.Access, topic.Namespace, scope.name); !access.Holds() {
		return scope, &access, nil
	}
	if apierrors.IsNotFound(err) {
		verdict := decide.Stalled(v1alpha1.ReasonClusterNotFound, "there is no KafkaCluster "+reference.Namespace+"/"+reference.Name+"; create it (the clusterRef of a Topic can't be changed)")
		return scope, &verdict, nil
	}
	scope.cluster = &cluster
	if verdict := clusterVerdict(&cluster); !verdict.Holds() {
		return scope, &verdict, nil
	}
	scope.lease = r.Sessions.lease(&cluster)
	scope.session = scope.lease.Session()
	return scope, nil, nil
}

// clusterVerdict says whether the topics of a KafkaCluster can be worked on, in the cluster's own words.
func clusterVerdict(cluster *v1alpha1.KafkaCluster) decide.Verdict {
	ready := meta.FindStatusCondition(cluster.Status.Conditions, v1alpha1.ConditionReady)
	name := cluster.Namespace + "/" + cluster.Name
	switch {
	case !cluster.DeletionTimestamp.IsZero():
		return decide.Stalled(v1alpha1.ReasonClusterNotFound, "KafkaCluster "+name+" is being deleted")
	case ready == nil || cluster.Status.ObservedGeneration != cluster.Generation:
		return decide.False(v1alpha1.ReasonClusterNotReady, "KafkaCluster "+name+" has not been connected to yet")
	}
	verdict := decide.Verdict{Status: ready.Status, Reason: ready.Reason, Message: "KafkaCluster " + name + ": " + ready.Message}
	verdict.Stalled = meta.IsStatusConditionTrue(cluster.Status.Conditions, v1alpha1.ConditionStalled)
	return verdict
}

// gather reads what the plan goes by: what the brokers say of the topic.
func gather(ctx context.Context, scope *topicScope, attempts decide.Attempts, now time.Time) (decide.TopicFacts, error) {
	topic := scope.topic
	facts := decide.TopicFacts{
		Name:       scope.name,
		Owner:      scope.owner,
		Verified:   configVerified(topic),
		AcceptedID: topic.Annotations[v1alpha1.AcceptTopicIDAnnotation],
		Attempts:   attempts,
	}
	if facts.Owner != nil {
		return facts, nil
	}
	described, err := scope.session.DescribeTopic(ctx, scope.name)
	if kafka.IsTopicNotFound(err) {
		return facts, nil
	} else if err != nil {
		return facts, err
	}
	config, err := scope.session.DescribeTopicConfig(ctx, scope.name)
	if kafka.IsTopicNotFound(err) { // this broker has not heard of it yet, or any more
		return facts, nil
	} else if err != nil {
		return facts, err
	}
	facts.Topic, facts.Config = observed(described), configEntries(config)
	facts.Window = gatherWindow(ctx, scope, described, facts.Config, now)
	return facts, nil
}

// configVerified says whether the verdict on the config is on the spec as it is now.
func configVerified(topic *v1alpha1.Topic) bool {
	synced := meta.FindStatusCondition(topic.Status.Conditions, v1alpha1.ConditionConfigSynced)
	return synced != nil && synced.ObservedGeneration == topic.Generation
}

func observed(topic kafka.Topic) *decide.ObservedTopic {
	seen := &decide.ObservedTopic{ID: topic.ID.String(), Internal: topic.Internal, Partitions: int32(len(topic.Partitions))}
	for i, partition := range topic.Partitions {
		if replicas := int32(len(partition.Replicas)); i == 0 || replicas < seen.ReplicationFactor {
			seen.ReplicationFactor = replicas
		}
	}
	return seen
}

func configEntries(entries []kafka.ConfigEntry) []decide.ConfigEntry {
	converted := make([]decide.ConfigEntry, len(entries))
	for i, entry := range entries {
		converted[i] = decide.ConfigEntry{
			Name: entry.Name, Value: entry.Value, Type: entry.Type.String(),
			Override: entry.Source == kafka.SourceTopic, Source: entry.Source.String(),
		}
	}
	return converted
}

// gatherWindow asks each leader of the topic for the window that it works with, and one broker that
// knows windows where no leader does. It asks nobody while no window is wanted and none was set: then
// the config that was described anyway tells whether others set one.
func gatherWindow(ctx context.Context, scope *topicScope, described kafka.Topic, config []decide.ConfigEntry, now time.Time) decide.WindowFacts {
	topic := scope.topic
	facts := decide.WindowFacts{Now: now, Support: verdictOf(scope.cluster.Status.Conditions, v1alpha1.ConditionDedupWindowSupported)}
	if topic.Spec.DedupWindow != nil {
		facts.Requested = topic.Spec.DedupWindow.BatchesToRetain
	}
	if window := topic.Status.DedupWindow; window != nil {
		facts.Applied = window.Applied
		if window.LoweringRequestedAt != nil {
			facts.LoweringRequestedAt = &window.LoweringRequestedAt.Time
		}
	}
	if facts.Requested == nil && facts.Applied == nil {
		for _, entry := range config {
			if value, ok := windowValue(entry); ok {
				facts.Reports = []decide.WindowReport{{Answer: decide.Yes, Value: value, Override: entry.Override}}
			}
		}
		return facts
	}
	leaders := map[int32]bool{}
	for _, partition := range described.Partitions {
		if partition.Leader < 0 {
			facts.Leaderless++
			continue
		}
		leaders[partition.Leader] = true
	}
	for id := range leaders {
		facts.Reports = append(facts.Reports, decide.WindowReport{Broker: id, Leads: true})
	}
	slices.SortFunc(facts.Reports, func(a, b decide.WindowReport) int { return cmp.Compare(a.Broker, b.Broker) })
	if witness, needed := windowWitness(scope.cluster, leaders); needed {
		facts.Reports = append(facts.Reports, decide.WindowReport{Broker: witness})
	}
	var asked errgroup.Group
	asked.SetLimit(brokersAsked)
	for i := range facts.Reports {
		report := &facts.Reports[i]
		if answer := brokerWindow(scope.cluster, report.Broker); answer == decide.No {
			report.Answer = decide.No // it leaves the key out, even where it is set
			continue
		}
		asked.Go(func() error {
			askWindow(ctx, scope, report)
			return nil
		})
	}
	_ = asked.Wait() // who could not be asked is unsure in its report
	return facts
}

// windowWitness finds a broker that knows windows, where no leader does, to tell what is set.
func windowWitness(cluster *v1alpha1.KafkaCluster, leaders map[int32]bool) (int32, bool) {
	witness, found := int32(0), false
	for _, broker := range cluster.Status.Brokers {
		if broker.DedupWindow != decide.Yes || broker.State != v1alpha1.BrokerActive {
			continue
		}
		if leaders[broker.ID] {
			return 0, false
		}
		if !found {
			witness, found = broker.ID, true
		}
	}
	return witness, found
}

func brokerWindow(cluster *v1alpha1.KafkaCluster, id int32) decide.Answer {
	for _, broker := range cluster.Status.Brokers {
		if broker.ID == id {
			return broker.DedupWindow
		}
	}
	return decide.Unsure
}

func askWindow(ctx context.Context, scope *topicScope, report *decide.WindowReport) {
	report.Answer = decide.Unsure
	entries, err := scope.session.DescribeTopicConfigAt(ctx, report.Broker, scope.name, kafka.WindowConfig)
	if err != nil {
		return
	}
	report.Answer = decide.No
	for _, entry := range configEntries(entries) {
		if value, ok := windowValue(entry); ok {
			report.Answer, report.Value, report.Override = decide.Yes, value, entry.Override
		}
	}
}
