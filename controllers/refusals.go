package controllers

import (
	"errors"
	"fmt"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
	"github.com/kafka-dedup/operator/internal/protocol"
)

// refusalOf says whether an error is Kafka's last word on a change, and if so in what terms. Any other
// error is passing: the change is looked at again later.
func refusalOf(err error, otherwise string) (decide.Refusal, bool) {
	switch kafka.ClassOf(err) {
	case kafka.UserMustAct, kafka.NotAuthorized, kafka.Bug:
	default:
		return decide.Refusal{}, false
	}
	refusal := decide.Refusal{Reason: otherwise, Message: wordsOf(err)}
	switch code, _ := kafka.CodeOf(err); {
	case kafka.ClassOf(err) == kafka.NotAuthorized:
		refusal.Reason = v1alpha1.ReasonNotAuthorized
	case code == protocol.CodePolicyViolation:
		refusal.Reason = v1alpha1.ReasonRefusedByPolicy
	case code == protocol.CodeInvalidReplicationFactor:
		refusal.Reason, refusal.Passing = v1alpha1.ReasonInsufficientBrokers, true
	case code == protocol.CodeInvalidTopicException:
		refusal.Reason = v1alpha1.ReasonInvalidTopicName
	}
	return refusal, true
}

// wordsOf is an error as a status tells it: without the broker that passed it on, which is another one
// each time, so that the same refusal reads the same.
func wordsOf(err error) string {
	var answered *kafka.Error
	if !errors.As(err, &answered) {
		return err.Error()
	}
	words := ""
	if answered.Words != "" {
		words = fmt.Sprintf(": %q", answered.Words)
	}
	return fmt.Sprintf("Kafka refused %s: %s%s (%s)", answered.Object, answered.Code, words, kafka.Remedy(answered.Code))
}

// failureOf says in what terms a Kafka cluster can't be worked with.
func failureOf(err error) decide.Refusal {
	failure := decide.Refusal{Reason: v1alpha1.ReasonBrokersUnreachable, Message: wordsOf(err), Passing: true}
	var replaced *kafka.ClusterReplacedError
	var connect *kafka.ConnectError
	var answered *kafka.Error
	switch {
	case errors.As(err, &replaced):
		failure.Reason, failure.Passing = v1alpha1.ReasonClusterReplaced, false
		failure.Message += "; correct spec.bootstrapServers or spec.clusterID, or, if the cluster was replaced on purpose, set spec.clusterID to " + replaced.Got
	case errors.As(err, &connect) && connect.Kind == kafka.Unresolvable:
		failure.Reason = v1alpha1.ReasonBootstrapUnresolvable
	case errors.As(err, &connect) && connect.Kind == kafka.NotKafka:
		failure.Reason, failure.Passing = v1alpha1.ReasonNotKafka, false
	case kafka.ClassOf(err) == kafka.NotAuthorized:
		failure.Reason, failure.Passing = v1alpha1.ReasonNotAuthorized, false
	case errors.As(err, &answered):
		failure.Reason = v1alpha1.ReasonRefusedByBroker
	}
	return failure
}
