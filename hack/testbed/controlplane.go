package testbed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// startTries bounds how often a control plane is started anew, should another program have taken one of its ports.
	startTries = 3
	// startPatience bounds the start of etcd and of kube-apiserver, each; usual are 1 and 4 seconds.
	startPatience = 60 * time.Second
	// stopGrace is short: what they still had to write is thrown away anyway.
	stopGrace = time.Second
)

// ControlPlane is a real etcd and kube-apiserver on 127.0.0.1, with RBAC and ValidatingAdmissionPolicy. It has no
// controllers: a deleted namespace stays Terminating and nothing is garbage collected.
type ControlPlane struct {
	Config     *rest.Config // user "admin" of system:masters, without client-side rate limit
	Kubeconfig string       // path of a file for the same user
	Kubectl    string       // path of a kubectl of the same version
	LogFile    string       // what kube-apiserver says

	plane *envtest.ControlPlane
	audit auditLog
	ports ports
	root  string
}

// StartControlPlane starts a control plane of its own, in about 5 seconds once EnsureKubernetes has what it needs.
// It ends with Stop, and in any case with this process.
func StartControlPlane(ctx context.Context, progress io.Writer) (*ControlPlane, error) {
	assets, err := EnsureKubernetes(ctx, progress)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		plane, err := startControlPlane(ctx, assets)
		if err == nil {
			return plane, nil
		}
		if try == startTries || ctx.Err() != nil {
			return nil, err
		}
	}
}

func startControlPlane(ctx context.Context, assets string) (_ *ControlPlane, err error) {
	leash, err := newLeash(ctx)
	if err != nil {
		return nil, err
	}
	p := &ControlPlane{
		root:       leash.root,
		Kubeconfig: filepath.Join(leash.root, "kubeconfig"),
		Kubectl:    filepath.Join(assets, "kubectl"),
		LogFile:    filepath.Join(leash.root, "kube-apiserver.log"),
		audit:      auditLog{path: filepath.Join(leash.root, "audit.log")},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Stop())
		}
	}()
	logs, err := p.configure(leash, assets)
	if err != nil {
		return nil, err
	}
	defer logs.Close()

	if err := p.start(ctx); err != nil {
		return nil, fmt.Errorf("starting kube-apiserver: %w; the end of its log:\n%s", err, tail(p.LogFile, 20))
	}
	if err := p.connect(); err != nil {
		return nil, err
	}
	return p, p.waitForDefaultNamespace(ctx)
}

// configure describes both programs to envtest, which then runs `leash … etcd` and `leash … kube-apiserver`.
func (p *ControlPlane) configure(leash leash, assets string) (logs logFiles, err error) {
	etcdURL, err := p.reserveURL()
	if err != nil {
		return nil, err
	}
	peerURL, err := p.reserveURL()
	if err != nil {
		return nil, err
	}
	apiURL, err := p.reserveURL()
	if err != nil {
		return nil, err
	}
	etcdLog, err := logs.create(filepath.Join(p.root, "etcd.log"))
	if err != nil {
		return nil, err
	}
	apiLog, err := logs.create(p.LogFile)
	if err != nil {
		return nil, err
	}
	etcd := &envtest.Etcd{
		URL: etcdURL, DataDir: filepath.Join(p.root, "etcd-data"),
		Out: etcdLog, Err: etcdLog, StartTimeout: startPatience,
	}
	etcd.Configure().Set("listen-peer-urls", peerURL.String()).Set("unsafe-no-fsync", "true")
	api := &envtest.APIServer{
		CertDir: filepath.Join(p.root, "certificates"),
		Out:     apiLog, Err: apiLog, StartTimeout: startPatience,
	}
	api.SecureServing.Address, api.SecureServing.Port = apiURL.Hostname(), apiURL.Port()
	policy := filepath.Join(p.root, "audit-policy.yaml")
	api.Configure().
		Set("audit-policy-file", policy).
		Set("audit-log-path", p.audit.path).
		Set("audit-log-mode", "blocking").
		Set("audit-log-maxsize", "1000000") // megabytes: one file, never rotated

	for _, folder := range []string{etcd.DataDir, api.CertDir} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
	}
	for path, content := range map[string]string{policy: auditPolicy, p.audit.path: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	if etcd.Path, err = leash.script(filepath.Join(assets, "etcd")); err != nil {
		return nil, err
	}
	if api.Path, err = leash.script(filepath.Join(assets, "kube-apiserver")); err != nil {
		return nil, err
	}
	p.plane = &envtest.ControlPlane{Etcd: etcd, APIServer: api, KubectlPath: p.Kubectl}
	return logs, nil
}

func (p *ControlPlane) reserveURL() (*url.URL, error) {
	port, err := p.ports.reserve()
	return &url.URL{Scheme: "http", Host: loopback(port)}, err
}

// script writes an executable that runs a program on the leash, for a starter that wants to be given one.
func (l leash) script(program string) (string, error) {
	var words []string
	for _, word := range append([]string{l.command}, l.arguments(stopGrace, program)...) {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	path := filepath.Join(l.root, filepath.Base(program))
	// A process forked meanwhile would hold the file open for writing, and then the kernel refuses to run it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return path, os.WriteFile(path, []byte("#!/bin/sh\nexec "+strings.Join(words, " ")+` "$@"`+"\n"), 0o700)
}

// start waits for envtest, which knows no context, in the background; when ctx ends first the scripts are taken away,
// so that what it has not started yet fails at once.
func (p *ControlPlane) start(ctx context.Context) error {
	started := make(chan error, 1)
	go func() { started <- p.plane.Start() }()
	select {
	case err := <-started:
		return err
	case <-ctx.Done():
		_ = os.Remove(p.plane.Etcd.Path)
		_ = os.Remove(p.plane.APIServer.Path)
		<-started //nolint:errcheck // it is ended, whatever it says
		return ctx.Err()
	}
}

// connect makes the administrator, whose kubeconfig is also for people and for kubectl.
func (p *ControlPlane) connect() error {
	admin, err := p.addUser("admin", "system:masters")
	if err != nil {
		return err
	}
	p.Config = admin.Config()
	kubeconfig, err := admin.KubeConfig()
	if err != nil {
		return err
	}
	return os.WriteFile(p.Kubeconfig, kubeconfig, 0o600)
}

// waitForDefaultNamespace ends the start: the API server makes it only after it says that it is healthy.
func (p *ControlPlane) waitForDefaultNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	api, err := client.New(p.Config, client.Options{})
	if err != nil {
		return err
	}
	for {
		err := api.Get(ctx, client.ObjectKey{Name: "default"}, &corev1.Namespace{})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the default namespace did not appear: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// AddUser makes a user known by a client certificate, so that RBAC can be tried and writes told apart by user.
func (p *ControlPlane) AddUser(name string, groups ...string) (*rest.Config, error) {
	user, err := p.addUser(name, groups...)
	if err != nil {
		return nil, err
	}
	return user.Config(), nil
}

func (p *ControlPlane) addUser(name string, groups ...string) (*envtest.AuthenticatedUser, error) {
	user, err := p.plane.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{QPS: -1})
	if err != nil {
		return nil, fmt.Errorf("adding user %s: %w", name, err)
	}
	return user, nil
}

// Writes returns every mutating request since the start in the order of arrival: create, update, patch and delete,
// of status and of events too, refused ones as well. Left out are those of the API server itself and access reviews.
// A write whose effect or answer anybody has seen is in it; those in progress are waited for, at most 10 seconds.
func (p *ControlPlane) Writes(ctx context.Context) ([]Write, error) { return p.audit.since(ctx, 0) }

// WritesSince is Writes without the first n, for n = len of an earlier Writes.
func (p *ControlPlane) WritesSince(ctx context.Context, n int) ([]Write, error) {
	return p.audit.since(ctx, n)
}

// Stop ends both programs within seconds and removes all their data. It may be called twice.
func (p *ControlPlane) Stop() error {
	var err error
	if p.plane != nil {
		err = p.plane.Stop()
	}
	p.ports.release()
	return errors.Join(err, os.RemoveAll(p.root))
}

// logFiles are open while programs are started that write to them.
type logFiles []*os.File

func (l *logFiles) create(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	*l = append(*l, file)
	return file, err
}

func (l logFiles) Close() {
	for _, file := range l {
		file.Close()
	}
}
