package controllers

import (
	"context"
	"errors"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/decide"
	"github.com/kafka-dedup/operator/internal/kafka"
	"github.com/kafka-dedup/operator/internal/protocol"
)

// validatedAtOnce bounds how many configs of one topic are validated at the same time.
const validatedAtOnce = 16

// act takes the steps of a plan and notes what came of each. An error is one that concerns no step in
// particular, such as a cluster that went away.
func act(ctx context.Context, scope *topicScope, steps []decide.Step, attempts *decide.Attempts) error {
	for _, step := range steps {
		var err error
		switch step := step.(type) {
		case decide.CreateTopic:
			err = createTopic(ctx, scope, step, attempts)
		case decide.AddPartitions:
			err = addPartitions(ctx, scope, step, attempts)
		case decide.AlterConfig:
			err = alterConfig(ctx, scope, step, attempts)
		case decide.SetWindow:
			err = setWindow(ctx, scope, step, attempts)
		case decide.ResetWindow:
			err = resetWindow(ctx, scope, step, attempts)
		}
		if kafka.ClassOf(err) == kafka.OutcomeUnknown {
			continue // the next look tells
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func createTopic(ctx context.Context, scope *topicScope, step decide.CreateTopic, attempts *decide.Attempts) error {
	topic := kafka.NewTopic{Name: scope.name, Partitions: step.Partitions, ReplicationFactor: step.ReplicationFactor, Config: step.Config}
	err := rehearsed(step.Doubtful, func(validateOnly bool) error {
		_, err := scope.session.CreateTopic(ctx, topic, validateOnly)
		return err
	})
	code, _ := kafka.CodeOf(err)
	switch {
	case err == nil:
		attempts.Created = true
		for name := range step.Config {
			done(attempts, name)
		}
		scope.changes = append(scope.changes, step)
		return nil
	case code == protocol.CodeTopicAlreadyExists: // somebody was faster, or an earlier attempt arrived after all
		attempts.Created = true
		return nil
	case code == protocol.CodeInvalidConfig && len(step.Config) > 0:
		attempts.CreateBare = true
		return nil
	}
	return refused(err, v1alpha1.ReasonRefusedByBroker, &attempts.CreateRefused)
}

func addPartitions(ctx context.Context, scope *topicScope, step decide.AddPartitions, attempts *decide.Attempts) error {
	err := rehearsed(step.Doubtful, func(validateOnly bool) error {
		return scope.session.CreatePartitions(ctx, scope.name, step.Total, validateOnly)
	})
	code, _ := kafka.CodeOf(err)
	switch {
	case err == nil:
		attempts.PartitionsAdded = true
		scope.changes = append(scope.changes, step)
		return nil
	case code == protocol.CodeInvalidPartitions: // it has them already, and brokers don't know yet
		attempts.PartitionsAdded = true
		return nil
	}
	return refused(err, v1alpha1.ReasonRefusedByBroker, &attempts.PartitionsRefused)
}

// rehearsed makes a change, after it was validated if that is to be doubted.
func rehearsed(doubtful bool, change func(validateOnly bool) error) error {
	if doubtful {
		if err := change(true); err != nil {
			return err
		}
	}
	return change(false)
}

// alterConfig changes all keys at once. Kafka refuses all for one bad key: then each is validated
// alone, and what passes is changed.
func alterConfig(ctx context.Context, scope *topicScope, step decide.AlterConfig, attempts *decide.Attempts) error {
	changes := configChanges(step.Changes)
	if !step.Doubtful {
		err := scope.session.AlterTopicConfig(ctx, scope.name, changes, false)
		if err == nil {
			scope.noteConfig(changes, step, attempts)
		}
		if !isRefusal(err) {
			return err
		}
	}
	good, err := validConfig(ctx, scope, changes, attempts)
	if err != nil || len(good) == 0 {
		return err
	}
	err = scope.session.AlterTopicConfig(ctx, scope.name, good, false)
	if err == nil {
		scope.noteConfig(good, step, attempts)
	}
	if !isRefusal(err) {
		return err
	}
	return alterConfigSingly(ctx, scope, step, good, attempts)
}

// validConfig finds the changes that the controller would take, each by itself, and notes its words on
// the others.
func validConfig(ctx context.Context, scope *topicScope, changes []kafka.ConfigChange, attempts *decide.Attempts) (good []kafka.ConfigChange, failure error) {
	verdicts := make([]error, len(changes))
	var asked errgroup.Group
	asked.SetLimit(validatedAtOnce)
	for i, change := range changes {
		asked.Go(func() error {
			verdicts[i] = scope.session.AlterTopicConfig(ctx, scope.name, []kafka.ConfigChange{change}, true)
			return nil
		})
	}
	_ = asked.Wait() // each has a verdict of its own
	for i, change := range changes {
		switch {
		case verdicts[i] == nil:
			good = append(good, change)
		case isRefusal(verdicts[i]):
			refuse(attempts, change.Name, verdicts[i])
		default:
			failure = verdicts[i]
		}
	}
	return good, failure
}

// alterConfigSingly changes one key after the other: each is good by itself, and some contradict each
// other, as a min.compaction.lag.ms above max.compaction.lag.ms does. Who comes first by name is set,
// and the broker's words on the other one name both.
func alterConfigSingly(ctx context.Context, scope *topicScope, step decide.AlterConfig, changes []kafka.ConfigChange, attempts *decide.Attempts) error {
	var made []kafka.ConfigChange
	defer func() { scope.noteConfig(made, step, attempts) }()
	for _, change := range changes {
		switch err := scope.session.AlterTopicConfig(ctx, scope.name, []kafka.ConfigChange{change}, false); {
		case err == nil:
			made = append(made, change)
		case isRefusal(err):
			refuse(attempts, change.Name, err)
		default:
			return err
		}
	}
	return nil
}

func (s *topicScope) noteConfig(changes []kafka.ConfigChange, step decide.AlterConfig, attempts *decide.Attempts) {
	if len(changes) == 0 {
		return
	}
	made := decide.AlterConfig{Drift: step.Drift}
	for _, change := range changes {
		done(attempts, change.Name)
		made.Changes = append(made.Changes, decide.ConfigChange{Name: change.Name, Reset: change.Delete, Value: change.Value})
	}
	s.changes = append(s.changes, made)
}

func configChanges(changes []decide.ConfigChange) []kafka.ConfigChange {
	converted := make([]kafka.ConfigChange, len(changes))
	for i, change := range changes {
		converted[i] = kafka.ConfigChange{Name: change.Name, Delete: change.Reset, Value: change.Value}
	}
	return converted
}

// setWindow confirms with the controller that it takes the window before it sets it.
func setWindow(ctx context.Context, scope *topicScope, step decide.SetWindow, attempts *decide.Attempts) error {
	change := []kafka.ConfigChange{{Name: kafka.WindowConfig, Value: strconv.Itoa(int(step.Value))}}
	err := rehearsed(true, func(validateOnly bool) error {
		return scope.session.AlterTopicConfig(ctx, scope.name, change, validateOnly)
	})
	if kafka.IsWindowUnsupported(err) {
		attempts.Window.Refused = &decide.Refusal{Reason: v1alpha1.ReasonControllerTooOld, Message: wordsOf(err)}
		return nil
	}
	if err != nil {
		return refused(err, v1alpha1.ReasonWindowRefused, &attempts.Window.Refused)
	}
	attempts.Window.Set = &step.Value
	scope.changes = append(scope.changes, step)
	return nil
}

func resetWindow(ctx context.Context, scope *topicScope, step decide.ResetWindow, attempts *decide.Attempts) error {
	err := scope.session.AlterTopicConfig(ctx, scope.name, []kafka.ConfigChange{{Name: kafka.WindowConfig, Delete: true}}, false)
	if err != nil {
		return refused(err, v1alpha1.ReasonWindowRefused, &attempts.Window.Refused)
	}
	attempts.Window.Reset = true
	scope.changes = append(scope.changes, step)
	return nil
}

// refused notes a refusal. An error that is none goes back to the caller.
func refused(err error, otherwise string, note **decide.Refusal) error {
	refusal, ok := refusalOf(err, otherwise)
	if !ok {
		return err
	}
	*note = &refusal
	return nil
}

func isRefusal(err error) bool {
	_, ok := refusalOf(err, "")
	return ok
}

func done(attempts *decide.Attempts, name string) {
	if attempts.ConfigDone == nil {
		attempts.ConfigDone = map[string]bool{}
	}
	attempts.ConfigDone[name] = true
}

// refuse keeps the broker's own words for a key, or what stands in their place. Who may not change one
// key may not change any, and that is not the key's fault.
func refuse(attempts *decide.Attempts, name string, err error) {
	if kafka.ClassOf(err) == kafka.NotAuthorized {
		attempts.ConfigForbidden = &decide.Refusal{Reason: v1alpha1.ReasonNotAuthorized, Message: wordsOf(err)}
		return
	}
	if attempts.ConfigRefused == nil {
		attempts.ConfigRefused = map[string]string{}
	}
	words := wordsOf(err)
	var broker *kafka.Error
	if errors.As(err, &broker) && broker.Words != "" {
		words = broker.Words
	}
	attempts.ConfigRefused[name] = words
}
