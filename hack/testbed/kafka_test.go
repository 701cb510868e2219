package testbed

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMixedOptionsBecomePropertiesOfEachBroker(t *testing.T) {
	next := 20000
	brokers, err := plan(KafkaOptions{
		Version: "4.4.0", Brokers: 3,
		Versions:         map[int32]string{2: "3.9.1"},
		Properties:       map[string]string{"num.partitions": "6", "num.io.threads": "8"},
		BrokerProperties: map[int32]map[string]string{3: {"broker.rack": "c", "num.partitions": "7"}},
		JavaOptions:      map[int32][]string{1: {"-Dx=y"}},
		Listeners:        map[string]string{"CLIENT": "SASL_PLAINTEXT"},
	}, "/root", func() (int, error) { next++; return next - 1, nil })
	must(t, err)

	want := []map[string]string{
		{
			"process.roles": "broker,controller", "num.partitions": "6", "num.io.threads": "8", "broker.rack": "",
			"listeners":                        "PLAINTEXT://127.0.0.1:20000,CLIENT://127.0.0.1:20001,CONTROLLER://127.0.0.1:20006",
			"advertised.listeners":             "PLAINTEXT://127.0.0.1:20000,CLIENT://127.0.0.1:20001",
			"listener.security.protocol.map":   "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,CLIENT:SASL_PLAINTEXT",
			"offsets.topic.replication.factor": "3",
			"transaction.state.log.min.isr":    "2",
			"controller.quorum.voters":         "1@127.0.0.1:20006",
		},
		{"process.roles": "broker", "share.coordinator.state.topic.min.isr": "", "listeners": "PLAINTEXT://127.0.0.1:20002,CLIENT://127.0.0.1:20003"},
		{"process.roles": "broker", "broker.rack": "c", "num.partitions": "7", "log.dirs": "/root/broker-3/data"},
	}
	for i, b := range brokers {
		for key, value := range want[i] {
			if b.properties[key] != value {
				t.Errorf("broker %d has %s=%q, want %q", b.id, key, b.properties[key], value)
			}
		}
	}
	versions := []string{brokers[0].version, brokers[1].version, brokers[2].version}
	if !slices.Equal(versions, []string{"4.4.0", "3.9.1", "4.4.0"}) {
		t.Errorf("versions are %q", versions)
	}
	if got := release(brokers); got != "3.9" {
		t.Errorf("feature level of the mixed cluster is %q, want that of its oldest broker, 3.9", got)
	}
	if got := release(brokers[:1]); got != "" {
		t.Errorf("feature level of a cluster of one version is %q, want its default", got)
	}
	if !slices.Equal(brokers[0].options, []string{"-Dx=y"}) {
		t.Errorf("Java options of broker 1 are %q", brokers[0].options)
	}
}

func TestOptionsThatWouldBeLostAreRefused(t *testing.T) {
	for want, options := range map[string]KafkaOptions{
		"Versions names broker 2":             {Versions: map[int32]string{2: "3.9.1"}},
		"BrokerProperties names broker 0":     {BrokerProperties: map[int32]map[string]string{0: nil}},
		"JavaOptions names broker 4":          {Brokers: 3, JavaOptions: map[int32][]string{4: nil}},
		"a cluster of -1 brokers":             {Brokers: -1},
		"listener CONTROLLER is always there": {Listeners: map[string]string{"CONTROLLER": "SSL"}},
	} {
		_, err := plan(options, "/root", func() (int, error) { return 1, nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

func TestPropertiesSurviveJavasEscaping(t *testing.T) {
	if got, want := text(map[string]string{"b": `C:\x`, "a": "1\n2"}), "a=1\\n2\nb=C:\\\\x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAMissingJDKIsNamedWithWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	for _, err := range []error{HaveJava(), startError(t)} {
		if err == nil {
			t.Fatal("no error without java")
		}
		assertContains(t, err.Error(), "install a JDK of version 17 or later")
		assertContains(t, err.Error(), "apt-get install openjdk-17-jdk-headless")
	}
}

func startError(t *testing.T) error {
	_, err := StartKafka(t.Context(), KafkaOptions{}, nil)
	return err
}

func TestAJDKThatIsTooOldIsNamedWithItsVersion(t *testing.T) {
	home := fakeProgram(t, "bin/java", `echo 'openjdk version "11.0.2"' >&2`)
	t.Setenv("JAVA_HOME", home)
	err := HaveJava()
	if err == nil {
		t.Fatal("Java 11 passed")
	}
	assertContains(t, err.Error(), "is Java 11, too old")
}

func TestAMissingMavenIsNamedWithWhatToInstall(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	_, err := EnsureKafka(t.Context(), "4.4.0", nil)
	if err == nil {
		t.Fatal("no error without mvn")
	}
	assertContains(t, err.Error(), "apt-get install maven")
}

func TestAFailedFetchLeavesNothingInTheCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("PATH", filepath.Join(fakeProgram(t, "bin/mvn", "echo 'checksum differs'; exit 1"), "bin")+":"+os.Getenv("PATH"))
	folder, err := EnsureKafka(t.Context(), "4.4.0", nil)
	if err == nil {
		t.Fatal("no error although mvn failed")
	}
	assertContains(t, err.Error(), "checksum differs")
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), "*kafka-4*"))
	if !slices.Equal(left, []string{folder + ".lock"}) {
		t.Errorf("left in the cache: %q", left)
	}
}

func TestAJDKIsOptionalOnlyOutsideOfCI(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	for ci, want := range map[string]string{"": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		var got recorder
		NeedJava(&got)
		if string(got) != want {
			t.Errorf("with CI=%q the test was %q, want %s", ci, got, want)
		}
	}
}

type recorder string

func (r *recorder) Helper()      {}
func (r *recorder) Skip(...any)  { *r = "skipped" }
func (r *recorder) Fatal(...any) { *r = "failed" }

func fakeProgram(t *testing.T, path, script string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	program := filepath.Join(folder, path)
	must(t, os.MkdirAll(filepath.Dir(program), 0o755))
	must(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	return folder
}

func TestASingleBrokerOfEachVersionStartsAndRestartsOnItsPort(t *testing.T) {
	for _, version := range []string{"3.9.1", "4.4.0"} {
		t.Run(version, func(t *testing.T) {
			kafka := startKafka(t, KafkaOptions{Version: version, Properties: map[string]string{"num.partitions": "3"}})
			assertContains(t, topics(t, kafka, "--create", "--topic", "orders"), "Created topic orders.")

			before := kafka.BootstrapServers()
			must(t, kafka.KillBroker(1))
			if _, err := ask(t.Context(), before[0]); err == nil {
				t.Error("a killed broker answers")
			}
			must(t, kafka.StartBroker(t.Context(), 1))
			if after := kafka.BootstrapServers(); !slices.Equal(before, after) {
				t.Errorf("addresses changed from %q to %q", before, after)
			}
			assertContains(t, topics(t, kafka, "--describe", "--topic", "orders"), "PartitionCount: 3")
			log, err := os.ReadFile(kafka.LogFile(1))
			must(t, err)
			assertContains(t, string(log), "Kafka version: "+version)
		})
	}
}

func TestOneOfThreeBrokersIsStoppedUpgradedAndStarted(t *testing.T) {
	kafka := startKafka(t, KafkaOptions{Brokers: 3, Versions: map[int32]string{2: "3.9.1"}})
	addresses := kafka.BootstrapServers()
	assertListed(t, addresses[0], 1, 2, 3)

	must(t, kafka.StopBroker(t.Context(), 2))
	assertListed(t, addresses[0], 1, 3)
	if err := kafka.StopBroker(t.Context(), 2); err == nil {
		t.Error("a broker was stopped twice")
	}

	must(t, kafka.SetVersion(t.Context(), 2, "4.4.0"))
	must(t, kafka.StartBroker(t.Context(), 2))
	assertListed(t, addresses[1], 1, 2, 3)
	log, err := os.ReadFile(kafka.LogFile(2))
	must(t, err)
	assertContains(t, string(log), "Kafka version: 3.9.1")
	assertContains(t, string(log), "Kafka version: 4.4.0")

	must(t, kafka.Stop())
	assertNothingLeft(t, kafka.root)
}

func TestABrokerThatCanNotStartIsAnErrorWithTheEndOfItsLog(t *testing.T) {
	NeedJava(t)
	_, err := StartKafka(t.Context(), KafkaOptions{Properties: map[string]string{"num.io.threads": "0"}}, os.Stderr)
	if err == nil {
		t.Fatal("a broker without threads started")
	}
	assertContains(t, err.Error(), "num.io.threads")
}

func startKafka(t *testing.T, options KafkaOptions) *Kafka {
	t.Helper()
	NeedJava(t)
	kafka, err := StartKafka(t.Context(), options, os.Stderr)
	must(t, err)
	t.Cleanup(func() { must(t, kafka.Stop()) })
	return kafka
}

// topics runs kafka-topics.sh.
func topics(t *testing.T, kafka *Kafka, args ...string) string {
	t.Helper()
	args = append([]string{"--bootstrap-server", strings.Join(kafka.BootstrapServers(), ",")}, args...)
	output, err := kafka.Tool(t.Context(), "org.apache.kafka.tools.TopicCommand", args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return output
}

func assertListed(t *testing.T, address string, want ...int32) {
	t.Helper()
	listed, err := ask(t.Context(), address)
	must(t, err)
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, want) {
		t.Errorf("%s lists brokers %v, want %v", address, got, want)
	}
}
