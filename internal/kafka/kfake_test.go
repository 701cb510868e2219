package kafka

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// kfake is a broker that others wrote. It takes any config key, so that support can't be told from it.
func fake(t *testing.T, options ...kfake.Opt) (*kfake.Cluster, *Session) {
	t.Helper()
	cluster, err := kfake.NewCluster(append(options, kfake.NumBrokers(3), kfake.ClusterID("fake"))...)
	must(t, err)
	t.Cleanup(cluster.Close)
	return cluster, session(t, Config{BootstrapServers: cluster.ListenAddrs()})
}

func TestATopicsLifeOnABrokerThatOthersWrote(t *testing.T) {
	for name, options := range map[string][]kfake.Opt{
		"newest":    nil,
		"Kafka 3.7": {kfake.MaxVersions(kversion.V3_7_0())},
		"Kafka 2.8": {kfake.MaxVersions(kversion.V2_8_0())},
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			_, s := fake(t, options...)
			ctx := t.Context()
			cluster, err := s.DescribeCluster(ctx)
			if err != nil || cluster.ID != "fake" || len(cluster.Brokers) != 3 {
				t.Fatal(cluster, err)
			}
			if _, err := s.DescribeTopic(ctx, "orders"); !IsTopicNotFound(err) {
				t.Errorf("before: %v", err)
			}
			created, err := s.CreateTopic(ctx, NewTopic{
				Name: "orders", Partitions: 2, ReplicationFactor: 3, Config: map[string]string{"retention.ms": "1000"},
			}, false)
			must(t, err)
			if _, err := s.CreateTopic(ctx, NewTopic{Name: "orders", Partitions: 2, ReplicationFactor: 3}, false); !IsTopicExists(err) {
				t.Errorf("again: %v", err)
			}
			must(t, s.CreatePartitions(ctx, "orders", 4, false))
			must(t, s.AlterTopicConfig(ctx, "orders", []ConfigChange{{Name: "retention.ms", Value: "2000"}}, false))
			topic, err := s.DescribeTopic(ctx, "orders")
			if err != nil || topic.ID != created.ID || topic.ID.IsZero() || len(topic.Partitions) != 4 || len(topic.Partitions[0].Replicas) != 3 {
				t.Errorf("described %+v, %v", topic, err)
			}
			entries, err := s.DescribeTopicConfig(ctx, "orders", "retention.ms")
			if err != nil || len(entries) != 1 || entries[0].Value != "2000" || entries[0].Source != SourceTopic {
				t.Errorf("config %+v, %v", entries, err)
			}
			if _, err := s.DescribeTopicConfigAt(ctx, topic.Partitions[0].Leader, "orders", "retention.ms"); err != nil {
				t.Errorf("config at the leader: %v", err)
			}
			support, err := s.BrokerSupport(ctx, cluster.Brokers[0].ID)
			if err != nil || support.ProduceMax < 9 || support.ProduceMax > 13 {
				t.Errorf("support %+v, %v", support, err)
			}
			must(t, s.DeleteTopic(ctx, topic.ID))
			if err := s.DeleteTopic(ctx, topic.ID); !IsTopicNotFound(err) {
				t.Errorf("deleted twice: %v", err)
			}
		})
	}
}

func TestABrokerThatCannotDeleteByIDDeletesNothing(t *testing.T) {
	_, s := fake(t, kfake.MaxVersions(kversion.V2_7_0()))
	var unable *UnsupportedError
	if err := s.DeleteTopic(t.Context(), TopicID{1}); !errors.As(err, &unable) || unable.API != "DeleteTopics" {
		t.Errorf("got %v", err)
	}
}

func TestAnUnknownWindowIsToldFromOtherRefusals(t *testing.T) {
	cluster, s := fake(t)
	refuse := func(code int16, words string) {
		cluster.ControlKey(int16(protocol.KeyCreateTopics), func(request kmsg.Request) (kmsg.Response, error, bool) {
			create := request.(*kmsg.CreateTopicsRequest)
			if !create.ValidateOnly {
				t.Error("a topic was to be created")
			}
			response := create.ResponseKind().(*kmsg.CreateTopicsResponse)
			topic := kmsg.NewCreateTopicsResponseTopic()
			topic.Topic, topic.ErrorCode, topic.ErrorMessage = create.Topics[0].Topic, code, &words
			response.Topics = append(response.Topics, topic)
			return response, nil, true
		})
	}
	refuse(kerr.InvalidConfig.Code, "Unknown topic config name: "+WindowConfig)
	if err := s.ControllerSupport(t.Context()); !IsWindowUnsupported(err) {
		t.Errorf("unknown key: %v", err)
	}
	refuse(kerr.PolicyViolation.Code, "not here")
	if err := s.ControllerSupport(t.Context()); err == nil || IsWindowUnsupported(err) {
		t.Errorf("policy: %v", err)
	}
	if err := s.ControllerSupport(t.Context()); err != nil {
		t.Errorf("a broker that takes any key: %v", err)
	}
}

func TestAWriteThatABrokerDidAndReportedAsTimedOutIsUnknown(t *testing.T) {
	cluster, s := fake(t)
	cluster.ControlKey(int16(protocol.KeyCreateTopics), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errors.New("close the connection"), true
	})
	_, err := s.CreateTopic(t.Context(), NewTopic{Name: "a", Partitions: 1, ReplicationFactor: 1}, false)
	if ClassOf(err) != OutcomeUnknown {
		t.Errorf("got %v", err)
	}
	if _, err := s.DescribeTopic(t.Context(), "a"); !IsTopicNotFound(err) {
		t.Errorf("it was sent again: %v", err)
	}
}
