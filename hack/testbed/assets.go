package testbed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// setupEnvtest is the tool of controller-runtime that downloads prebuilt Kubernetes binaries.
const setupEnvtest = "sigs.k8s.io/controller-runtime/tools/setup-envtest@v0.25.1"

// DownloadKubernetes puts prebuilt binaries into the cache that EnsureKubernetes would otherwise build: for those who
// have the internet at hand and are in a hurry. Nothing calls it by itself. It may bring another patch release.
func DownloadKubernetes(ctx context.Context, progress io.Writer) (string, error) {
	folder, err := cacheFolder("kubernetes-" + KubernetesVersion)
	if err != nil {
		return "", err
	}
	return folder, locked(ctx, folder, progress, func() error {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		return during(progress, "downloading Kubernetes with setup-envtest", func() error {
			return downloadKubernetes(ctx, folder)
		})
	})
}

func downloadKubernetes(ctx context.Context, folder string) error {
	minor := KubernetesVersion[:strings.LastIndexByte(KubernetesVersion, '.')]
	partial, err := os.MkdirTemp(folder, ".download-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	cmd := exec.CommandContext(ctx, "go", "run", setupEnvtest, "use", minor+".x", "--bin-dir", partial, "-p", "path")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	downloaded, err := cmd.Output()
	// What it downloads is read-only, its folders too.
	defer func() { _ = exec.Command("chmod", "-R", "u+w", partial).Run() }()
	if err != nil {
		return fmt.Errorf("setup-envtest: %w (without access to its downloads, let the binaries be built from Go modules instead)\n%s",
			err, complaint.Bytes())
	}
	for _, p := range kubernetesPrograms {
		if err := os.Rename(filepath.Join(strings.TrimSpace(string(downloaded)), p.name), filepath.Join(folder, p.name)); err != nil {
			return err
		}
	}
	return nil
}
