package testbed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// oldestJava is what brokers from 4.0 on need.
const oldestJava = 17

const installJava = "install a JDK of version 17 or later " +
	"(Debian and Ubuntu: apt-get install openjdk-17-jdk-headless; macOS: brew install openjdk@17) or let JAVA_HOME name one"

// HaveJava says what to install if no Java is here that can run a broker.
func HaveJava() error {
	_, err := findJava()
	return err
}

// TB is the part of testing.TB, and of ginkgo's GinkgoTB, that NeedJava needs.
type TB interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}

// NeedJava skips a test where no Java is, and fails it where CI is set: there, a skipped test is one that nobody runs.
func NeedJava(t TB) {
	t.Helper()
	err := HaveJava()
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

var javaVersion = regexp.MustCompile(`version "(\d+)`)

// findJava returns the java of JAVA_HOME, else of PATH.
func findJava() (string, error) {
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	path, err := exec.LookPath(java)
	if err != nil {
		return "", fmt.Errorf("real Kafka needs java: %w; %s", err, installJava)
	}
	// macOS has a java that only says where to get one.
	output, err := exec.Command(path, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("real Kafka needs java, and %s fails: %w; %s\n%s", path, err, installJava, output)
	}
	match := javaVersion.FindSubmatch(output)
	if match == nil {
		return path, nil // not a version that we can read, so it is not for us to refuse it
	}
	if version, _ := strconv.Atoi(string(match[1])); version < oldestJava {
		return "", fmt.Errorf("%s is Java %d, too old for Kafka 4: %s", path, version, installJava)
	}
	return path, nil
}
