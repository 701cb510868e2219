package operator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/controllers"
	"github.com/kafka-dedup/operator/hack/testbed"
)

// operatorUser is who the operator is when it is installed: its rights are those of config/rbac.
const operatorUser = "system:serviceaccount:kafka-dedup-operator:manager"

var (
	plane        *testbed.ControlPlane
	api          client.Client // of an administrator, without a cache
	stopOperator func()        // ends the operator that runs now
)

func TestOperator(t *testing.T) {
	RegisterFailHandler(Fail)
	suite, reporter := GinkgoConfiguration()
	if os.Getenv("CI") != "" {
		// On a machine that is shared, a broker may take longer than any patience. Such a spec is tried once
		// more, and the report says that it was.
		suite.FlakeAttempts = 2
	}
	RunSpecs(t, "Operator", suite, reporter)
}

var _ = BeforeSuite(func(ctx SpecContext) {
	SetDefaultEventuallyTimeout(20 * time.Second)
	EnforceDefaultTimeoutsWhenUsingContexts() // else Eventually with a context waits for ever
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyDuration(2 * time.Second)
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))

	var err error
	plane, err = testbed.StartControlPlane(ctx, os.Stderr)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(plane.Stop()).To(Succeed()) })
	Expect(v1alpha1.AddToScheme(scheme.Scheme)).To(Succeed())
	api, err = client.New(plane.Config, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())

	kubectl(ctx, "apply", "--server-side", "--kustomize", filepath.Join("..", "..", "..", "config", "default"))
	kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd/topics.kafka-dedup.dev", "crd/kafkaclusters.kafka-dedup.dev")
	stopOperator = startOperator(controllers.DefaultOptions())
	DeferCleanup(func() { stopOperator() })
}, NodeTimeout(30*time.Minute)) // the first time the API server is built

// replaceOperator runs an operator with other options in place of the suite's until the spec ends.
func replaceOperator(how func(*controllers.Options)) {
	GinkgoHelper()
	stopOperator()
	options := controllers.DefaultOptions()
	how(&options)
	stopOperator = startOperator(options)
	DeferCleanup(func() {
		stopOperator()
		stopOperator = startOperator(controllers.DefaultOptions())
	})
}

// startOperator runs an operator; the function that it returns ends it, and may be called again.
func startOperator(options controllers.Options) (stop func()) {
	GinkgoHelper()
	user, err := plane.AddUser(operatorUser, "system:serviceaccounts", "system:serviceaccounts:kafka-dedup-operator")
	Expect(err).NotTo(HaveOccurred())
	options.MetricsAddress, options.ProbeAddress, options.LeaderElection = "0", "0", false
	manager, err := controllers.NewManager(user, options)
	Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	Expect(manager.GetCache().WaitForCacheSync(ctx)).To(BeTrue())
	return sync.OnceFunc(func() {
		cancel()
		Eventually(ended).Should(Receive(BeNil()))
	})
}

func kubectl(ctx context.Context, args ...string) string {
	GinkgoHelper()
	command := exec.CommandContext(ctx, plane.Kubectl, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig)
	out, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), fmt.Sprintf("kubectl %v: %s", args, out))
	return string(out)
}
