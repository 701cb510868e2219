package controllers

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafka"
)

// Options are what a person chooses when starting the operator.
type Options struct {
	MetricsAddress string // "0": no metrics
	ProbeAddress   string // "0": no probes
	LeaderElection bool
	// LeaderElectionNamespace holds the lease; "" is the namespace of the operator's pod.
	LeaderElectionNamespace string
	// OutageGrace is how long a topic that is verified keeps its status while its cluster can't be
	// reached.
	OutageGrace time.Duration
	// ConcurrentTopics is how many Topics are worked on at once. They wait for Kafka most of the time.
	ConcurrentTopics int
}

// DefaultOptions are the options of an operator that is started without flags.
func DefaultOptions() Options {
	return Options{
		MetricsAddress:   ":8080",
		ProbeAddress:     ":8081",
		LeaderElection:   true,
		OutageGrace:      120 * time.Second,
		ConcurrentTopics: 16,
	}
}

// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// NewManager makes a manager that runs the operator against one API server.
func NewManager(server *rest.Config, options Options) (ctrl.Manager, error) {
	server = rest.CopyConfig(server)
	server.QPS = -1 // the API server's priority and fairness does this better
	mgr, err := ctrl.NewManager(server, ctrl.Options{
		Scheme:  newScheme(),
		Metrics: metricsserver.Options{BindAddress: options.MetricsAddress},
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		// A read that follows a write of this process sees it, so that no change is made twice.
		Client:                        client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}, FieldOwner: "kafka-dedup-operator"},
		Controller:                    config.Controller{SkipNameValidation: ptr.To(true)}, // a process may run several operators
		HealthProbeBindAddress:        options.ProbeAddress,
		LeaderElection:                options.LeaderElection,
		LeaderElectionID:              "kafka-dedup-operator",
		LeaderElectionNamespace:       options.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, setup(mgr, options)
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
}

func setup(mgr ctrl.Manager, options Options) error {
	if err := indexTopics(mgr); err != nil {
		return fmt.Errorf("index Topics: %w", err)
	}
	sessions := newSessions(kafka.NewRegistry(kafka.NewSession), mgr.GetLogger().WithName("kafka"))
	if err := mgr.Add(sessions); err != nil {
		return err
	}
	clusters := &KafkaClusterReconciler{
		Client:   mgr.GetClient(),
		Sessions: sessions,
		Events:   mgr.GetEventRecorder("kafka-dedup-operator"),
		Now:      time.Now,
	}
	if err := clusters.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("set up the KafkaCluster controller: %w", err)
	}
	topics := &TopicReconciler{
		Client:      mgr.GetClient(),
		Live:        mgr.GetAPIReader(),
		Sessions:    sessions,
		Events:      mgr.GetEventRecorder("kafka-dedup-operator"),
		OutageGrace: options.OutageGrace,
		Now:         time.Now,
	}
	if err := topics.SetupWithManager(mgr, options.ConcurrentTopics); err != nil {
		return fmt.Errorf("set up the Topic controller: %w", err)
	}
	return nil
}
