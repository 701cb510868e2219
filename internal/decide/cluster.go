package decide

import (
	"fmt"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

// ClusterFacts are what the verdict on a Kafka cluster goes by.
type ClusterFacts struct {
	Failure *Refusal // what kept the operator from working with the cluster; nil: it answered
	Support Support
}

// ClusterVerdicts are what is said of a KafkaCluster.
type ClusterVerdicts struct {
	Ready     Verdict
	Supported Verdict // of the dedup window
}

// Cluster says how a Kafka cluster is doing and whether it can have dedup windows.
func Cluster(f ClusterFacts) ClusterVerdicts {
	if f.Failure != nil {
		return ClusterVerdicts{
			Ready:     f.Failure.Verdict(),
			Supported: Unknown(v1alpha1.ReasonSupportUnknown, "the cluster can't be asked: "+f.Failure.Message),
		}
	}
	var away []string
	for _, broker := range f.Support.Brokers {
		if broker.State != v1alpha1.BrokerActive {
			away = append(away, fmt.Sprintf("%s is %s", broker.name(), lower(broker.State)))
		}
	}
	ready := True(v1alpha1.ReasonConnected, fmt.Sprintf("all %d registered brokers answer", len(f.Support.Brokers)))
	if len(away) > 0 {
		ready = True(v1alpha1.ReasonPartlyConnected, fmt.Sprintf("%d of %d registered brokers answer: %s",
			len(f.Support.Brokers)-len(away), len(f.Support.Brokers), enumerate(away)))
	}
	return ClusterVerdicts{Ready: ready, Supported: WindowSupport(f.Support)}
}

func lower(state v1alpha1.BrokerState) string {
	switch state {
	case v1alpha1.BrokerFenced:
		return "fenced"
	case v1alpha1.BrokerUnreachable:
		return "unreachable"
	default:
		return "active"
	}
}
