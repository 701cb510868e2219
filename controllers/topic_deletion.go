package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
)

// finish ends a Topic that is being deleted: its topic is deleted or kept, as its policy says, and the
// resource is let go.
func (r *TopicReconciler) finish(ctx context.Context, topic *v1alpha1.Topic) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(topic, v1alpha1.TopicFinalizer) {
		return ctrl.Result{}, nil
	}
	ending, err := r.openEnding(ctx, topic)
	if err != nil {
		return ctrl.Result{}, err
	}
	defer ending.close()

	plan, err := r.driveEnding(ctx, ending)
	if err != nil {
		return ctrl.Result{}, err
	}
	if plan.Release {
		return ctrl.Result{}, r.release(ctx, ending, plan)
	}
	before := topic.DeepCopy()
	topic.Status.ObservedGeneration = topic.Generation
	setReady(&topic.Status.Conditions, topic.Generation, plan.Verdict)
	if err := r.write(ctx, before, topic); err != nil {
		return ctrl.Result{}, err
	}
	r.tellReady(before, topic, plan.Verdict)
	return ctrl.Result{RequeueAfter: plan.RetryAfter}, nil
}

// ending is a scope with the facts about how it ends.
type ending struct {
	*topicScope
	facts decide.DeletionFacts
}

// openEnding gathers what is known without Kafka, and borrows the session if there is need to ask it.
func (r *TopicReconciler) openEnding(ctx context.Context, topic *v1alpha1.Topic) (*ending, error) {
	e := &ending{topicScope: &topicScope{topic: topic, name: kafkaName(topic)}, facts: decide.DeletionFacts{
		Name: kafkaName(topic), Policy: topic.Spec.DeletionPolicy, RecordedID: topic.Status.TopicID,
		Requested: topic.DeletionTimestamp.Time, Now: r.Now(),
	}}
	var err error
	if e.facts.Owner, err = r.heir(ctx, topic); err != nil {
		return nil, err
	}
	if e.facts.Owner == nil {
		if e.facts.Owner, err = r.owner(ctx, topic, topic.Status.TopicID); err != nil {
			return nil, err
		}
	}
	scope, held, err := r.open(ctx, topic)
	if err != nil {
		return nil, err
	}
	e.topicScope = scope
	if held != nil {
		e.facts.Blocked = &decide.Refusal{Reason: held.Reason, Message: held.Message}
	}
	return e, nil
}

// driveEnding asks Kafka, deletes the topic where the plan says so, and waits a moment until it is gone.
func (r *TopicReconciler) driveEnding(ctx context.Context, e *ending) (decide.DeletionPlan, error) {
	if e.session == nil {
		return decide.Deletion(e.facts), nil
	}
	ctx, cancel := context.WithTimeout(ctx, topicWork)
	defer cancel()
	for patience := propagation; ; patience -= endingLook {
		e.look(ctx)
		plan := decide.Deletion(e.facts)
		if plan.DeleteID != "" {
			if err := r.deleteTopic(ctx, e, plan.DeleteID); err != nil {
				return plan, err
			}
			continue
		}
		if plan.Release || e.facts.Blocked != nil || patience <= 0 {
			return plan, nil
		}
		if err := sleep(ctx, endingLook); err != nil {
			return plan, nil
		}
	}
}

// endingLook is the pause between two looks whether a deleted topic is gone.
const endingLook = 50 * time.Millisecond

// look reads the topic as it is now.
func (e *ending) look(ctx context.Context) {
	described, err := e.session.DescribeTopic(ctx, e.name)
	switch {
	case err == nil:
		e.facts.Topic = observed(described)
	case kafka.IsTopicNotFound(err):
		e.facts.Topic = nil
	default:
		e.facts.Blocked = &decide.Refusal{Reason: failureOf(err).Reason, Message: wordsOf(err)}
	}
}

// deleteTopic deletes the topic with the id after a live look that the resource is still the one that
// is being deleted, as it was when this was decided.
func (r *TopicReconciler) deleteTopic(ctx context.Context, e *ending, id string) error {
	var live v1alpha1.Topic
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(e.topic), &live); err != nil {
		return err
	}
	if live.UID != e.topic.UID || live.Generation != e.topic.Generation || live.DeletionTimestamp.IsZero() {
		return fmt.Errorf("Topic %s/%s changed while its topic was about to be deleted; nothing is deleted before it is looked at anew", e.topic.Namespace, e.topic.Name)
	}
	topicID, err := kafka.ParseTopicID(id)
	if err != nil {
		return fmt.Errorf("topic id %q in the status of Topic %s/%s: %w", id, e.topic.Namespace, e.topic.Name, err)
	}
	err = e.session.DeleteTopic(ctx, topicID)
	switch kafka.ClassOf(err) {
	case "", kafka.OutcomeUnknown:
		e.facts.Accepted = true
	default:
		if kafka.IsTopicNotFound(err) {
			e.facts.Accepted = true
			return nil
		}
		e.facts.Blocked = &decide.Refusal{Reason: v1alpha1.ReasonDeletionBlocked, Message: wordsOf(err)}
	}
	return nil
}

// release lets the resource go. That a topic was orphaned is told on the KafkaCluster as well, for the
// Topic is gone in a moment, and in a namespace that is ending no event can be made.
func (r *TopicReconciler) release(ctx context.Context, e *ending, plan decide.DeletionPlan) error {
	before := e.topic.DeepCopy()
	controllerutil.RemoveFinalizer(e.topic, v1alpha1.TopicFinalizer)
	err := r.Patch(ctx, e.topic, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	ctrl.LoggerFrom(ctx).Info("released", "topic", e.name, "why", plan.Verdict.Message)
	if plan.Orphaned {
		var about runtime.Object = e.topic
		if e.cluster != nil {
			about = e.cluster
		}
		r.Events.Eventf(about, nil, corev1.EventTypeWarning, v1alpha1.ReasonTopicOrphaned, "DeleteTopic", "%s", shortNote(plan.Verdict.Message))
	}
	return nil
}
