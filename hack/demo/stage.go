package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// stage is where the demo plays: one namespace of the API server, seen through kubectl.
type stage struct {
	out                 io.Writer
	kubectl, kubeconfig string
	namespace           string
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(s.out, "\n── "+format+"\n", args...)
}

// run runs kubectl and returns what it prints.
func (s *stage) run(ctx context.Context, input string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, s.kubectl, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig)
	command.Stdin = strings.NewReader(input)
	var out, problem bytes.Buffer
	command.Stdout, command.Stderr = &out, &problem
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}

// tell runs kubectl for the audience.
func (s *stage) tell(ctx context.Context, args ...string) error {
	fmt.Fprintf(s.out, "\n$ kubectl %s\n", strings.Join(args, " "))
	printed, err := s.run(ctx, "", append(args, "--namespace", s.namespace)...)
	fmt.Fprint(s.out, printed)
	return err
}

func (s *stage) install(ctx context.Context, config string) error {
	for _, part := range []string{"crd", "admission"} {
		if _, err := s.run(ctx, "", "apply", "--server-side", "--kustomize", filepath.Join(config, part)); err != nil {
			return err
		}
	}
	_, err := s.run(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd/topics.kafka-dedup.dev", "crd/kafkaclusters.kafka-dedup.dev")
	return err
}

// open makes a namespace with a KafkaCluster and the topics.
func (s *stage) open(ctx context.Context, namespace, bootstrap string) error {
	s.namespace = namespace
	if _, err := s.run(ctx, "", "create", "namespace", namespace); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n$ kubectl apply -f kafkacluster.yaml -f topics.yaml --namespace %s\n", namespace)
	manifests := fmt.Sprintf(kafkaCluster, bootstrap, int(pollInterval.Seconds())) + "---\n" + topics
	printed, err := s.run(ctx, manifests, "apply", "--namespace", namespace, "-f", "-")
	fmt.Fprint(s.out, printed)
	return err
}

// expectWindow waits until topic orders has the window state and then the reason, and shows both. A
// state may have another reason at first: a broker that could not be asked yet.
func (s *stage) expectWindow(ctx context.Context, state, reason string) error {
	began := time.Now()
	for _, expected := range []string{
		"{.status.dedupWindow.state}=" + state,
		`{.status.conditions[?(@.type=="DedupWindowEffective")].reason}=` + reason,
	} {
		if err := s.wait(ctx, "--for=jsonpath="+expected, "topics.kafka-dedup.dev/orders"); err != nil {
			_ = s.tell(ctx, "get", "topics,kafkaclusters", "-o", "wide")
			return err
		}
	}
	if err := s.tell(ctx, "get", "topics"); err != nil {
		return err
	}
	seen, err := s.run(ctx, "", "get", "topics.kafka-dedup.dev/orders", "--namespace", s.namespace,
		"-o", `jsonpath={range .status.conditions[?(@.type=="DedupWindowEffective")]}{.reason}{": "}{.message}{end}`)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n(after %s) %s\n", time.Since(began).Round(100*time.Millisecond), seen)
	return nil
}

func (s *stage) wait(ctx context.Context, args ...string) error {
	_, err := s.run(ctx, "", append([]string{"wait", "--timeout", patience.String(), "--namespace", s.namespace}, args...)...)
	return err
}

// showEvents shows the events of topic orders, the drift among them.
func (s *stage) showEvents(ctx context.Context) error {
	deadline := time.Now().Add(patience)
	for {
		printed, err := s.run(ctx, "", "events", "--namespace", s.namespace, "--for", "topic.kafka-dedup.dev/orders")
		if err != nil {
			return err
		}
		if strings.Contains(printed, "Drifted") {
			return s.tell(ctx, "events", "--for", "topic.kafka-dedup.dev/orders")
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no event tells of the drift:\n%s", printed)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
