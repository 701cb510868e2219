package testbed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// cacheFolder is where what was built or fetched once is kept, outside any checkout: …/kafka-dedup-operator/<name>.
func cacheFolder(name string) (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder for the test bed: %w (set HOME or XDG_CACHE_HOME)", err)
	}
	folder := filepath.Join(user, "kafka-dedup-operator", name)
	return folder, os.MkdirAll(filepath.Dir(folder), 0o755)
}

// locked runs fill while no other process of this user fills the same part of the cache. Who has to wait says so.
func locked(ctx context.Context, path string, progress io.Writer, fill func() error) error {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close() // which also unlocks, as the end of the process does
	if tryLock(lock) {
		return fill()
	}
	err = during(progress, "waiting for another process that fills "+path, func() error {
		for !tryLock(lock) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return fill()
}

func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkout is the folder of our module's sources, which hold the nested modules that the binaries are built from.
func checkout() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; folder = filepath.Dir(folder) {
		if exists(filepath.Join(folder, "hack", "testbed", "kubernetes", "go.mod")) {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("the sources of the test bed were not found: " +
				"run from within a checkout of kafka-dedup-operator, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl")
		}
	}
}
