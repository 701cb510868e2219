package controllers

import (
	"context"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
)

// The indexes by which Topics are found in the cache.
const (
	byCluster = "cluster" // namespace/name of the KafkaCluster
	byTopic   = "topic"   // the same and the name of the topic in Kafka
	byTopicID = "topicID" // the id of the topic, once known
)

func indexTopics(mgr ctrl.Manager) error {
	for field, key := range map[string]func(*v1alpha1.Topic) string{
		byCluster: func(topic *v1alpha1.Topic) string { return clusterKey(clusterOf(topic)) },
		byTopic:   func(topic *v1alpha1.Topic) string { return topicKey(topic) },
		byTopicID: func(topic *v1alpha1.Topic) string { return topic.Status.TopicID },
	} {
		err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.Topic{}, field, func(object client.Object) []string {
			return []string{key(object.(*v1alpha1.Topic))}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// kafkaName is the name of the topic in Kafka.
func kafkaName(topic *v1alpha1.Topic) string {
	if topic.Spec.TopicName != "" {
		return topic.Spec.TopicName
	}
	return topic.Name
}

// clusterOf is the Topic's reference with the namespace that it means.
func clusterOf(topic *v1alpha1.Topic) v1alpha1.ClusterReference {
	reference := topic.Spec.ClusterRef
	if reference.Namespace == "" {
		reference.Namespace = topic.Namespace
	}
	return reference
}

func clusterKey(reference v1alpha1.ClusterReference) string {
	return reference.Namespace + "/" + reference.Name
}

func topicKey(topic *v1alpha1.Topic) string {
	return clusterKey(clusterOf(topic)) + "/" + kafkaName(topic)
}

// owner finds the other Topic that owns this one's topic, which has that id, if it is known; nil if this
// one does.
func (r *TopicReconciler) owner(ctx context.Context, topic *v1alpha1.Topic, id string) (*decide.Owned, error) {
	rivals, err := r.rivals(ctx, topic, id)
	if err != nil {
		return nil, err
	}
	claims := []decide.Claim{claimOf(topic)}
	for i := range rivals {
		claims = append(claims, claimOf(&rivals[i]))
	}
	return ownedBy(decide.Owner(claims), topic), nil
}

// heir finds the Topic that takes over the topic of one that is being deleted; nil if nobody does.
func (r *TopicReconciler) heir(ctx context.Context, topic *v1alpha1.Topic) (*decide.Owned, error) {
	rivals, err := r.rivals(ctx, topic, topic.Status.TopicID)
	if err != nil {
		return nil, err
	}
	var claims []decide.Claim
	for i := range rivals {
		if rivals[i].DeletionTimestamp.IsZero() {
			claims = append(claims, claimOf(&rivals[i]))
		}
	}
	if len(claims) == 0 {
		return nil, nil
	}
	return ownedBy(decide.Owner(claims), topic), nil
}

func claimOf(topic *v1alpha1.Topic) decide.Claim {
	return decide.Claim{Namespace: topic.Namespace, Name: topic.Name, UID: topic.UID, Created: topic.CreationTimestamp.Time}
}

func ownedBy(owner decide.Claim, topic *v1alpha1.Topic) *decide.Owned {
	if owner.UID == topic.UID {
		return nil
	}
	return &decide.Owned{Claim: owner, Visible: owner.Namespace == topic.Namespace}
}

// rivals are the other Topics that claim the same topic: by its name through the same KafkaCluster, or
// by its id through any. A Topic that may not use its KafkaCluster claims nothing.
func (r *TopicReconciler) rivals(ctx context.Context, topic *v1alpha1.Topic, id string) ([]v1alpha1.Topic, error) {
	lookUps := []client.MatchingFields{{byTopic: topicKey(topic)}}
	if id != "" {
		lookUps = append(lookUps, client.MatchingFields{byTopicID: id})
	}
	seen := map[types.UID]bool{topic.UID: true}
	var rivals []v1alpha1.Topic
	for _, lookUp := range lookUps {
		var list v1alpha1.TopicList
		if err := r.List(ctx, &list, lookUp); err != nil {
			return nil, err
		}
		for _, other := range list.Items {
			if seen[other.UID] {
				continue
			}
			seen[other.UID] = true
			if admitted, err := r.isAdmitted(ctx, &other); err != nil {
				return nil, err
			} else if admitted {
				rivals = append(rivals, other)
			}
		}
	}
	return rivals, nil
}

func (r *TopicReconciler) isAdmitted(ctx context.Context, topic *v1alpha1.Topic) (bool, error) {
	reference := clusterOf(topic)
	var cluster v1alpha1.KafkaCluster
	if err := r.Get(ctx, client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}, &cluster); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return decide.Access(reference, cluster.Spec.Access, topic.Namespace, kafkaName(topic)).Holds(), nil
}

// topicsOf wakes the Topics of a KafkaCluster.
func (r *TopicReconciler) topicsOf(ctx context.Context, cluster client.Object) []reconcile.Request {
	return r.wake(ctx, client.MatchingFields{byCluster: cluster.GetNamespace() + "/" + cluster.GetName()})
}

// rivalsOf wakes the Topics that claim the topic of another one. One that claims it by another
// KafkaCluster has not recorded the id of what is not its own, and sees at its next poll that it may.
func (r *TopicReconciler) rivalsOf(ctx context.Context, topic client.Object) []reconcile.Request {
	return r.wake(ctx, client.MatchingFields{byTopic: topicKey(topic.(*v1alpha1.Topic))})
}

func (r *TopicReconciler) wake(ctx context.Context, which client.MatchingFields) []reconcile.Request {
	var list v1alpha1.TopicList
	if err := r.List(ctx, &list, which); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list Topics to wake")
		return nil
	}
	requests := make([]reconcile.Request, len(list.Items))
	for i := range list.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&list.Items[i])
	}
	return requests
}

// clusterMatters lets through what changes how the topics of a KafkaCluster are worked on: its spec,
// whether it is ready, and what it can do about dedup windows.
func clusterMatters() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.KafkaCluster), e.ObjectNew.(*v1alpha1.KafkaCluster)
		return clusterVerdict(before) != clusterVerdict(after) ||
			verdictOf(before.Status.Conditions, v1alpha1.ConditionDedupWindowSupported) != verdictOf(after.Status.Conditions, v1alpha1.ConditionDedupWindowSupported) ||
			before.Generation != after.Generation
	}}
}

func onlyDeletions() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// windowValue reads the window from a described config.
func windowValue(entry decide.ConfigEntry) (int32, bool) {
	if entry.Name != kafka.WindowConfig {
		return 0, false
	}
	value, err := strconv.ParseInt(entry.Value, 10, 32)
	return int32(value), err == nil
}
