package decide

import (
	"fmt"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

const (
	// WindowKey is the topic config that holds the dedup window (KIP-1269).
	WindowKey = "producer.state.batches.to.retain"
	// BrokerWindowKey is the broker config that is the window's default.
	BrokerWindowKey = "log." + WindowKey
	// MinimumWindow is the smallest window that Kafka accepts, and the fixed one of a Kafka without KIP-1269.
	MinimumWindow = 5
	// windowProduceVersion is the first Produce version that carries the window to producers.
	windowProduceVersion = 14
	// newestWithoutWindow is the newest Apache Kafka release that is known not to have KIP-1269.
	newestWithoutWindow = "4.4"
)

// Answer is what one broker or controller said when asked for KIP-1269. Not allowed to ask and not
// reachable are Unsure: never support, and never the lack of it.
type Answer = v1alpha1.DedupWindowSupport

// The answers, as a person gives them.
const (
	Yes    = v1alpha1.WindowSupported
	No     = v1alpha1.WindowUnsupported
	Unsure = v1alpha1.WindowSupportUnknown
)

// Support is what a Kafka cluster said of KIP-1269: its active controller, and each registered broker.
type Support struct {
	Controller Answer
	Problem    string // why the controller's answer is unknown
	Brokers    []BrokerSupport
}

// BrokerSupport is what one registered broker said.
type BrokerSupport struct {
	ID      int32
	Rack    string
	State   v1alpha1.BrokerState
	Produce *int32 // the highest version it speaks; nil: unknown
	Window  Answer // whether it shows the broker default as its own config
}

// WindowSupport says whether a window above the default may be set: only when the active controller
// accepts the key and every registered broker both speaks Produce v14 and knows the default (design §3).
// A certain no is named before what is merely unknown.
func WindowSupport(s Support) Verdict {
	var old, unsure []string
	for _, b := range s.Brokers {
		switch {
		case b.Produce != nil && *b.Produce < windowProduceVersion:
			old = append(old, fmt.Sprintf("%s speaks Produce up to v%d", b.name(), *b.Produce))
		case b.Window == No:
			old = append(old, fmt.Sprintf("%s does not know the config %s", b.name(), BrokerWindowKey))
		case b.State == v1alpha1.BrokerFenced:
			unsure = append(unsure, b.name()+" is registered but fenced (start it or unregister it)")
		case b.State == v1alpha1.BrokerUnreachable:
			unsure = append(unsure, b.name()+" can't be reached (start it, open the way to it or unregister it)")
		case b.Produce == nil || b.Window != Yes:
			unsure = append(unsure, b.name()+" did not say whether it knows the window (allow DescribeConfigs on the cluster)")
		}
	}
	switch {
	case s.Controller == No:
		message := fmt.Sprintf("the active controller of this Kafka does not know the topic config %s, and no Apache Kafka release up to %s does; "+
			"upgrade the controllers and every broker to a release that has KIP-1269", WindowKey, newestWithoutWindow)
		if len(old) > 0 {
			message += " (" + enumerate(old) + ")"
		}
		return Stalled(v1alpha1.ReasonControllerTooOld, message)
	case len(old) > 0:
		return Stalled(v1alpha1.ReasonBrokerTooOld,
			fmt.Sprintf("%s; upgrade to a release that has KIP-1269 (Produce v%d)", enumerate(old), windowProduceVersion))
	case s.Controller != Yes:
		return Unknown(v1alpha1.ReasonSupportUnknown,
			fmt.Sprintf("the active controller did not say whether it knows %s: %s", WindowKey, s.Problem))
	case len(s.Brokers) == 0:
		return Unknown(v1alpha1.ReasonSupportUnknown, "no broker has been asked yet")
	case len(unsure) > 0:
		return Unknown(v1alpha1.ReasonSupportUnknown, enumerate(unsure))
	default:
		return True(v1alpha1.ReasonSupported,
			fmt.Sprintf("the controller and all %d registered brokers know %s", len(s.Brokers), WindowKey))
	}
}

// name is how a person finds the broker.
func (b BrokerSupport) name() string {
	if b.Rack != "" {
		return fmt.Sprintf("broker %d (rack %s)", b.ID, b.Rack)
	}
	return fmt.Sprintf("broker %d", b.ID)
}
