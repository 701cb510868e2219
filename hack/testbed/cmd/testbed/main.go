// Command testbed starts the test bed by hand, or fills its caches; see docs/testbed.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kafka-dedup/operator/hack/testbed"
)

const usage = `usage: go run ./hack/testbed/cmd/testbed COMMAND

  kubernetes                                    run an API server until Ctrl-C
  kafka [--version V] [--brokers N]             run a Kafka cluster until Ctrl-C
        [--broker-version ID=V]… [--property KEY=VALUE]…
  assets [KAFKA-VERSION…]                       only fill the caches; without versions, all that the tests use
  assets-download                               fill the cache for Kubernetes with setup-envtest instead of building
`

// kafkaVersions are those that the tests use.
var kafkaVersions = []string{"3.9.1", "4.4.0"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	go func() { untilParentIsGone(); cancel() }()
	if err := run(ctx, os.Args[1:]); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// untilParentIsGone also ends us where only `go run`, make or a script in front of us was ended.
func untilParentIsGone() {
	for parent := os.Getppid(); os.Getppid() == parent; time.Sleep(200 * time.Millisecond) {
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch args[0] {
	case "kubernetes":
		return kubernetes(ctx, args[1:])
	case "kafka":
		return kafka(ctx, args[1:])
	case "assets":
		return assets(ctx, args[1:])
	case "assets-download":
		folder, err := testbed.DownloadKubernetes(ctx, os.Stderr)
		if err == nil {
			fmt.Println(folder)
		}
		return err
	}
	return fmt.Errorf("no command %q\n%s", args[0], usage)
}

func kubernetes(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return errors.New("kubernetes takes no arguments\n" + usage)
	}
	plane, err := testbed.StartControlPlane(ctx, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Printf("export KUBECONFIG=%s\nexport PATH=%s:$PATH\n", plane.Kubeconfig, filepath.Dir(plane.Kubectl))
	return untilInterrupted(ctx, plane.Stop)
}

func kafka(ctx context.Context, args []string) error {
	options := testbed.KafkaOptions{Versions: map[int32]string{}, Properties: map[string]string{}}
	flags := flag.NewFlagSet("kafka", flag.ExitOnError)
	flags.StringVar(&options.Version, "version", testbed.DefaultKafkaVersion, "Kafka release")
	flags.IntVar(&options.Brokers, "brokers", 1, "number of brokers; the first one is also the controller")
	flags.Func("broker-version", "`ID=VERSION` of a single broker, repeatable", func(s string) error {
		var id int32
		_, err := fmt.Sscanf(s, "%d=", &id)
		_, version, _ := strings.Cut(s, "=")
		options.Versions[id] = version
		return err
	})
	flags.Func("property", "`KEY=VALUE` of all brokers, repeatable", func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("give KEY=VALUE")
		}
		options.Properties[key] = value
		return nil
	})
	_ = flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("kafka takes no argument %q\n%s", flags.Arg(0), usage)
	}
	cluster, err := testbed.StartKafka(ctx, options, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Printf("export BOOTSTRAP_SERVERS=%s\nexport CLUSTER_ID=%s\n", strings.Join(cluster.BootstrapServers(), ","), cluster.ClusterID())
	return untilInterrupted(ctx, cluster.Stop)
}

func untilInterrupted(ctx context.Context, stop func() error) error {
	fmt.Fprintln(os.Stderr, "running until Ctrl-C")
	<-ctx.Done()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return nil
}

func assets(ctx context.Context, versions []string) error {
	folder, err := testbed.EnsureKubernetes(ctx, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Println(folder)
	if len(versions) == 0 {
		versions = kafkaVersions
	}
	for _, version := range versions {
		folder, err := testbed.EnsureKafka(ctx, version, os.Stderr)
		if err != nil {
			return err
		}
		fmt.Println(folder)
	}
	return nil
}
