package kafka

import "context"

const (
	// WindowConfig is the topic config of KIP-1269: how many batches of each idempotent producer a broker remembers.
	WindowConfig = "producer.state.batches.to.retain"
	// BrokerWindowConfig is its default for the topics of a broker.
	BrokerWindowConfig = "log." + WindowConfig
	// MinimumWindow is the smallest window, and what every broker without the KIP has.
	MinimumWindow = 5
)

// BrokerSupport is what one broker can do about the dedup window.
type BrokerSupport struct {
	ProduceMin, ProduceMax int16 // the versions of Produce that the running broker process advertises; 14 carries the window
	KnowsWindow            bool  // it has BrokerWindowConfig as a non-null INT, which an unknown key in its file is not
	DefaultWindow          int32 // its value of BrokerWindowConfig; meaningless unless KnowsWindow
}

// BrokerSupport asks one broker itself. An error means that its support is unknown, never that it has none.
func (s *Session) BrokerSupport(ctx context.Context, brokerID int32) (BrokerSupport, error) {
	return BrokerSupport{}, errNotYet
}

// ControllerSupport asks the active controller, by a validate-only CreateTopics, whether it accepts WindowConfig.
//
// nil: it does. An error for which IsWindowUnsupported holds: it does not. Any other error: unknown.
func (s *Session) ControllerSupport(ctx context.Context) error {
	return errNotYet
}

// IsWindowUnsupported says whether err is a controller's statement that it does not know WindowConfig.
func IsWindowUnsupported(err error) bool {
	return false
}
