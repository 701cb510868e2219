package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

// Access says whether a Topic of one namespace may use a KafkaCluster, and for that topic name. The
// cluster's own namespace always may; another one needs a rule. The message never tells whether a
// KafkaCluster of another namespace exists.
func Access(cluster v1alpha1.ClusterReference, rules []v1alpha1.AccessRule, topicNamespace, topicName string) Verdict {
	if cluster.Namespace == topicNamespace {
		return True(v1alpha1.ReasonSynced, "")
	}
	admitted := false
	for _, rule := range rules {
		if !slices.Contains(rule.Namespaces, topicNamespace) {
			continue
		}
		admitted = true
		if len(rule.Topics) == 0 || MatchesAny(rule.Topics, topicName) {
			return True(v1alpha1.ReasonSynced, "")
		}
	}
	if admitted {
		return Stalled(v1alpha1.ReasonTopicNotAllowed, fmt.Sprintf(
			"KafkaCluster %s/%s does not allow topic %q to namespace %s; ask its owner for an access rule that covers it",
			cluster.Namespace, cluster.Name, topicName, topicNamespace))
	}
	return Stalled(v1alpha1.ReasonNamespaceNotAllowed, fmt.Sprintf(
		"no KafkaCluster %s/%s that serves namespace %s; ask the owner of namespace %s for an access rule, or create a KafkaCluster in %s",
		cluster.Namespace, cluster.Name, topicNamespace, cluster.Namespace, topicNamespace))
}

// MatchesAny reports whether a name is one of the patterns: literal, or a prefix with a trailing *, as
// in Kafka's ACLs.
func MatchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return name == pattern
	})
}
