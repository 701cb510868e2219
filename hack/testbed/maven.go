package testbed

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// DefaultKafkaVersion is what StartKafka runs unless told otherwise.
const DefaultKafkaVersion = "4.4.0"

// pom asks for a broker with its tools, and for the one SLF4J binding that fits every version from 3.7 on.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.kafka-dedup</groupId>
  <artifactId>testbed-kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>VERSION</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>VERSION</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`

// copyDependencies is pinned: an unpinned plugin is another one on another day.
const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

const installMaven = "install Apache Maven 3.6 or later (Debian and Ubuntu: apt-get install maven; macOS: brew install maven)"

var kafkaVersion = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// EnsureKafka returns a folder with the jars of an Apache Kafka release (3.7 or later): from the user's cache, filled
// first by Maven, which checks their checksums. That takes half a minute, once for each version.
func EnsureKafka(ctx context.Context, version string, progress io.Writer) (string, error) {
	if !kafkaVersion.MatchString(version) {
		return "", fmt.Errorf("%q is no version of Kafka: give one such as %s", version, DefaultKafkaVersion)
	}
	folder, err := cacheFolder("kafka-" + version)
	if err != nil || exists(folder) {
		return folder, err
	}
	return folder, locked(ctx, folder, progress, func() error {
		if exists(folder) {
			return nil
		}
		return during(progress, "fetching Apache Kafka "+version+" with Maven, about 30 seconds, once", func() error {
			return fetchKafka(ctx, version, folder)
		})
	})
}

// fetchKafka fills a folder beside the wanted one and renames it when it is complete.
func fetchKafka(ctx context.Context, version, folder string) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("fetching Apache Kafka %s needs mvn: %w; %s", version, err, installMaven)
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), "."+filepath.Base(folder)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)
	project, jars := filepath.Join(partial, "pom.xml"), filepath.Join(partial, "jars")
	if err := os.WriteFile(project, []byte(strings.ReplaceAll(pom, "VERSION", version)), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, maven, "--batch-mode", "--quiet", "--strict-checksums", "--file", project,
		copyDependencies, "-DincludeScope=runtime", "-DoutputDirectory="+jars)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching Apache Kafka %s: mvn: %w (is there such a version, and does mvn reach a Maven repository?)\n%s",
			version, err, output)
	}
	return os.Rename(jars, folder)
}
