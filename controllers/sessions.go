package controllers

import (
	"context"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafka"
)

// Sessions hands out the one Kafka session of each KafkaCluster, and tells the KafkaCluster controller
// when a cluster deserves a look before its next poll.
type Sessions struct {
	registry *kafka.Registry
	logger   logr.Logger
	lookAt   chan event.TypedGenericEvent[*v1alpha1.KafkaCluster]
}

func newSessions(registry *kafka.Registry, logger logr.Logger) *Sessions {
	return &Sessions{registry: registry, logger: logger, lookAt: make(chan event.TypedGenericEvent[*v1alpha1.KafkaCluster], 64)}
}

// Start keeps the sessions until the manager stops, and closes them then.
func (s *Sessions) Start(ctx context.Context) error {
	<-ctx.Done()
	s.registry.Close()
	return nil
}

// lease borrows the session of a KafkaCluster; release it after use.
func (s *Sessions) lease(cluster *v1alpha1.KafkaCluster) *kafka.Lease {
	id := cluster.Spec.ClusterID
	if id == "" {
		id = cluster.Status.ClusterID
	}
	reference := &v1alpha1.KafkaCluster{}
	reference.Namespace, reference.Name = cluster.Namespace, cluster.Name
	return s.registry.Acquire(client.ObjectKeyFromObject(cluster).String(), kafka.Config{
		BootstrapServers: cluster.Spec.BootstrapServers,
		ClusterID:        id,
		ClientID:         "kafka-dedup-operator",
		Revision:         string(cluster.UID), // one that was deleted and made anew starts afresh
		Logger:           s.logger.WithValues("cluster", client.ObjectKeyFromObject(cluster)),
		ConnectionLost:   func() { s.look(reference) },
	})
}

// forget ends the session of a KafkaCluster that is gone.
func (s *Sessions) forget(key client.ObjectKey) { s.registry.Forget(key.String()) }

// look has a KafkaCluster examined now. Where many looks are due already, one more is not needed.
func (s *Sessions) look(cluster *v1alpha1.KafkaCluster) {
	select {
	case s.lookAt <- event.TypedGenericEvent[*v1alpha1.KafkaCluster]{Object: cluster}:
	default:
	}
}
