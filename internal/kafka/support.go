package kafka

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/kafka-dedup/operator/internal/protocol"
)

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
	var support BrokerSupport
	err := s.readAt(ctx, brokerID, func(ctx context.Context, c *connection) error {
		produce, offered := c.versions[protocol.KeyProduce]
		if !offered {
			return &UnsupportedError{API: protocol.KeyProduce.String(), Broker: brokerID, Address: c.address, Detail: "the broker does not offer it"}
		}
		entries, err := askForConfigs(ctx, c, configsOf{self: true, keys: []string{BrokerWindowConfig}})
		if err != nil {
			return err
		}
		support = BrokerSupport{ProduceMin: produce.Min, ProduceMax: produce.Max}
		for _, e := range entries {
			// A broker shows a key of its file that it does not know as null and of unknown type.
			value, err := strconv.ParseInt(e.Value, 10, 32)
			if e.Name == BrokerWindowConfig && !e.Null && e.Type == TypeInt && err == nil && value <= math.MaxInt32 {
				support.KnowsWindow, support.DefaultWindow = true, int32(value)
			}
		}
		return nil
	})
	if err != nil {
		return BrokerSupport{}, err
	}
	return support, nil
}

// ControllerSupport asks the active controller, by a validate-only CreateTopics, whether it accepts WindowConfig.
//
// nil: it does. An error for which IsWindowUnsupported holds: it does not. Any other error: unknown.
// (A validate-only change of BrokerWindowConfig would not tell: controllers accept it whether they know it or not.)
func (s *Session) ControllerSupport(ctx context.Context) error {
	probe := NewTopic{
		Name: "kafka-dedup-operator-probe-" + strings.ToLower(rand.Text()), Partitions: -1, ReplicationFactor: -1,
		Config: map[string]string{WindowConfig: strconv.Itoa(MinimumWindow)},
	}
	return s.read(ctx, theController, func(ctx context.Context, c *connection) error {
		_, err := askToCreate(ctx, c, probe, true, "a trial topic with "+WindowConfig, s.patience(ctx))
		return err
	})
}

// IsWindowUnsupported says whether err is a controller's statement that it does not know WindowConfig. A complaint about the
// value of a key is not one: who complains of its value knows the key.
func IsWindowUnsupported(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == protocol.CodeInvalidConfig &&
		strings.Contains(refused.Words, WindowConfig) && !strings.Contains(refused.Words, "Invalid value")
}
