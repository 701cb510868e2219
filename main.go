// The kafka-dedup-operator manages Kafka topics, their dedup window and stuck transactions from
// Kubernetes resources.
package main

import (
	"flag"
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/kafka-dedup/operator/controllers"
)

func main() {
	options := controllers.DefaultOptions()
	flag.StringVar(&options.MetricsAddress, "metrics-bind-address", options.MetricsAddress, "where metrics are served; 0 turns them off")
	flag.StringVar(&options.ProbeAddress, "health-probe-bind-address", options.ProbeAddress, "where /healthz and /readyz are served; 0 turns them off")
	flag.BoolVar(&options.LeaderElection, "leader-elect", options.LeaderElection, "let one of several operators work and the others stand by")
	flag.StringVar(&options.LeaderElectionNamespace, "leader-election-namespace", options.LeaderElectionNamespace, "namespace of the lease; by default that of the operator's pod")
	flag.DurationVar(&options.OutageGrace, "outage-grace", options.OutageGrace, "how long a verified topic keeps its status while its Kafka cluster can't be reached")
	flag.IntVar(&options.ConcurrentTopics, "concurrent-topics", options.ConcurrentTopics, "how many Topics are worked on at once")
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))

	if err := run(options); err != nil {
		fmt.Fprintln(os.Stderr, "kafka-dedup-operator:", err)
		os.Exit(1)
	}
}

func run(options controllers.Options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	manager, err := controllers.NewManager(config, options)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
