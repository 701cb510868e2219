// The demo shows the operator at work on one machine: a topic's dedup window is held while one broker
// is too old, becomes effective when that broker is upgraded, is lost in a rollback and set again. Then
// the same manifests meet a released Kafka.
//
// The API server is a real one. The first Kafka is simulated, as no release has the dedup window; the
// second one is Apache Kafka.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/kafka-dedup/operator/controllers"
	"github.com/kafka-dedup/operator/hack/testbed"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

//go:embed topics.yaml
var topics string

const kafkaCluster = `
apiVersion: kafka-dedup.dev/v1alpha1
kind: KafkaCluster
metadata:
  name: main
spec:
  bootstrapServers: ["%s"]
  pollIntervalSeconds: %d
`

const (
	pollInterval = 5 * time.Second
	// patience bounds each wait for the operator. A machine under load may need much longer than the
	// poll interval.
	patience = 60 * time.Second
	// oldBroker is the one that lags behind in the demo.
	oldBroker = 2
)

func main() {
	config := flag.String("config", "config", "the folder with the operator's manifests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(logr.Discard())

	began := time.Now()
	switch err := show(ctx, os.Stdout, *config); {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nThe demo was interrupted, and nothing that it started is running any more.")
		os.Exit(130) // as a shell reports it
	case err != nil:
		fmt.Fprintln(os.Stderr, "\nThe demo failed:", err)
		os.Exit(1)
	}
	fmt.Printf("\nThe demo is over after %s, and nothing that it started is running any more.\n", time.Since(began).Round(time.Second))
}

func show(ctx context.Context, out io.Writer, config string) (err error) {
	fmt.Fprintln(out, "This takes about a minute. The first time it also builds a Kubernetes API server and fetches Kafka, which takes about 15 minutes.")
	plane, err := testbed.StartControlPlane(ctx, out)
	if err != nil {
		return fmt.Errorf("start an API server: %w", err)
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()
	stage := &stage{out: out, kubectl: plane.Kubectl, kubeconfig: plane.Kubeconfig}

	stage.say("A real Kubernetes API server runs. We install the operator's kinds and start the operator.")
	if err := stage.install(ctx, config); err != nil {
		return err
	}
	operator, err := startOperator(ctx, plane)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.stop()) }()

	if err := showDedupWindow(ctx, stage); err != nil {
		return err
	}
	return showReleasedKafka(ctx, stage)
}

// showDedupWindow tells the life of a dedup window, on a Kafka that has KIP-1269.
func showDedupWindow(ctx context.Context, stage *stage) error {
	cluster, err := kafkasim.Start(kafkasim.Options{
		Brokers: 3, DefaultReplicationFactor: 3,
		Racks:     map[int32]string{1: "a", 2: "b", 3: "c"},
		PerBroker: map[int32]kafkasim.Software{oldBroker: kafkasim.Kafka44},
	})
	if err != nil {
		return fmt.Errorf("start the simulated Kafka: %w", err)
	}
	defer cluster.Close()
	if err := stage.open(ctx, "simulated", cluster.BootstrapServers()[0]); err != nil {
		return err
	}

	stage.say("A Kafka with three brokers, one of which has not been upgraded yet. The window of topic orders is held, and broker %d is named:", oldBroker)
	if err := stage.expectWindow(ctx, "Held", "BrokerTooOld"); err != nil {
		return err
	}

	stage.say("We upgrade broker %d, and touch nothing else.", oldBroker)
	if err := cluster.Upgrade(oldBroker, kafkasim.KIP1269); err != nil {
		return err
	}
	if err := stage.expectWindow(ctx, "Effective", "Effective"); err != nil {
		return err
	}

	stage.say("Broker %d is rolled back and becomes the active controller, which drops the key without a word. The operator notices:", oldBroker)
	if err := cluster.Rollback(oldBroker, kafkasim.Kafka44); err != nil {
		return err
	}
	cluster.MoveController(oldBroker)
	if err := stage.expectWindow(ctx, "Drifted", "Drifted"); err != nil {
		return err
	}
	if err := stage.showEvents(ctx); err != nil {
		return err
	}

	stage.say("Broker %d is upgraded again. The window is set again as soon as that is allowed:", oldBroker)
	if err := cluster.Upgrade(oldBroker, kafkasim.KIP1269); err != nil {
		return err
	}
	return stage.expectWindow(ctx, "Effective", "Effective")
}

// showReleasedKafka applies the same manifests to a Kafka without dedup windows.
func showReleasedKafka(ctx context.Context, stage *stage) (err error) {
	stage.say("Now the same manifests on Apache Kafka %s.", testbed.DefaultKafkaVersion)
	if err := testbed.HaveJava(); err != nil {
		return err
	}
	kafka, err := testbed.StartKafka(ctx, testbed.KafkaOptions{}, stage.out)
	if err != nil {
		return fmt.Errorf("start Kafka: %w", err)
	}
	defer func() { err = errors.Join(err, kafka.Stop()) }()
	if err := stage.open(ctx, "released", kafka.BootstrapServers()[0]); err != nil {
		return err
	}
	if err := stage.expectWindow(ctx, "Held", "ControllerTooOld"); err != nil {
		return err
	}
	return stage.wait(ctx, "--for=condition=Ready", "topics.kafka-dedup.dev/orders", "topics.kafka-dedup.dev/payments")
}

// operator is the operator, run by this process.
type operator struct {
	cancel context.CancelFunc
	ended  chan error
}

func startOperator(ctx context.Context, plane *testbed.ControlPlane) (*operator, error) {
	options := controllers.DefaultOptions()
	options.MetricsAddress, options.ProbeAddress, options.LeaderElection = "0", "0", false
	manager, err := controllers.NewManager(plane.Config, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	o := &operator{cancel: cancel, ended: make(chan error, 1)}
	go func() { o.ended <- manager.Start(ctx) }()
	return o, nil
}

func (o *operator) stop() error {
	o.cancel()
	return <-o.ended
}
