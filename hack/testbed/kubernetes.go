package testbed

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// KubernetesVersion is the Kubernetes that suites and demo run on; the go.mod in the kubernetes folder pins it.
	KubernetesVersion = "1.37.2"
	etcdVersion       = "3.7.3"
	// assetsVariable names a folder that is used instead of the cache, as for every project that uses envtest.
	assetsVariable = "KUBEBUILDER_ASSETS"
)

// kubernetesPrograms are all that a control plane needs here. The modules' go.mod files list the same packages as
// tools, so that go.sum covers them; kube-controller-manager is listed there already.
var kubernetesPrograms = []program{
	{name: "etcd", version: "v" + etcdVersion, module: "etcd", pkg: "go.etcd.io/etcd/server/v3", takes: "75 seconds"},
	kubernetesProgram("kube-apiserver", "10 minutes"),
	kubernetesProgram("kubectl", "1 minute"),
}

func kubernetesProgram(name, takes string) program {
	return program{name: name, version: "v" + KubernetesVersion, module: "kubernetes",
		pkg: "k8s.io/kubernetes/cmd/" + name, ldflags: versionFlags(), takes: takes}
}

// versionFlags tell a Kubernetes program its version: built from modules it would call itself "v0.0.0-master+$Format:%H$",
// which `kubectl version` can't parse.
func versionFlags() string {
	major, rest, _ := strings.Cut(KubernetesVersion, ".")
	minor, _, _ := strings.Cut(rest, ".")
	var flags []string
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, v := range []string{"gitVersion=v" + KubernetesVersion, "gitMajor=" + major, "gitMinor=" + minor,
			"gitCommit=unknown", "gitTreeState=archive"} {
			flags = append(flags, "-X "+pkg+"."+v)
		}
	}
	return strings.Join(flags, " ")
}

// EnsureKubernetes returns a folder with etcd, kube-apiserver and kubectl: that of KUBEBUILDER_ASSETS if it is set, else
// the user's cache, filled first where it lacks one. That takes about 12 minutes on 2 cores, once; afterwards nothing.
// Two processes never build at the same time, and none ever sees half a binary.
func EnsureKubernetes(ctx context.Context, progress io.Writer) (string, error) {
	if folder := os.Getenv(assetsVariable); folder != "" {
		if absent := missing(folder); len(absent) > 0 {
			return "", fmt.Errorf("%s=%s lacks %s: add it, or unset %s to have it built from Go modules",
				assetsVariable, folder, absent[0].name, assetsVariable)
		}
		return folder, nil
	}
	folder, err := cacheFolder("kubernetes-" + KubernetesVersion)
	if err != nil {
		return "", err
	}
	if len(missing(folder)) == 0 {
		return folder, nil
	}
	return folder, locked(ctx, folder, progress, func() error {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for _, p := range missing(folder) {
			if err := p.build(ctx, folder, progress); err != nil {
				return err
			}
		}
		return nil
	})
}

func missing(folder string) (absent []program) {
	for _, p := range kubernetesPrograms {
		if !exists(filepath.Join(folder, p.name)) {
			absent = append(absent, p)
		}
	}
	return absent
}
