package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

const (
	shownValueLength     = 256
	shownRejectionLength = 1024
)

// configStatus shows each key that the resource manages: those it asks for, those whose reset is still
// under way, and those it was refused, as far as a status may hold them. Whoever bypasses the admission
// policy has names and numbers of keys that it may not; the message on them stays.
func configStatus(wanted, refused map[string]string, changes []ConfigChange, entries []ConfigEntry) []v1alpha1.ConfigStatus {
	managed := map[string]bool{}
	show := func(name string) {
		length := utf8.RuneCountInString(name)
		if length > 0 && length <= v1alpha1.MaxConfigKeyLength && len(managed) < v1alpha1.MaxConfigKeys {
			managed[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		show(name)
	}
	for _, change := range changes {
		show(change.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		show(name)
	}
	shown := make([]v1alpha1.ConfigStatus, 0, len(managed))
	for _, name := range slices.Sorted(maps.Keys(managed)) {
		config := v1alpha1.ConfigStatus{Name: name, Rejection: cut(refused[name], shownRejectionLength)}
		if i := slices.IndexFunc(entries, func(entry ConfigEntry) bool { return entry.Name == name }); i >= 0 {
			config.Value, config.Source = cut(entries[i].Value, shownValueLength), entries[i].Source
		}
		shown = append(shown, config)
	}
	return shown
}

// refusalMessage names the keys that were refused, with the words of who refused them, and what to do.
func refusalMessage(topic string, refused map[string]string, applied int) string {
	var told []string
	blamed, remedies := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		told = append(told, fmt.Sprintf("%q: %s", cut(name, v1alpha1.MaxConfigKeyLength), strings.Join(strings.Fields(refused[name]), " ")))
		if name != WindowKey && strings.Contains(refused[name], WindowKey) {
			blamed++
		}
	}
	if blamed < len(refused) {
		remedies = append(remedies, "correct or remove each of these keys")
	}
	if blamed > 0 {
		// KAFKA-19851: a controller that finds a stored key that it doesn't know refuses every change of the topic.
		remedies = append(remedies, fmt.Sprintf("the active controller does not know the dedup window that is set on the topic, and refuses every change for it: "+
			"upgrade the controllers to a release that has KIP-1269, or delete %s from the topic with Kafka's tools", WindowKey))
	}
	if applied > 0 {
		remedies = append(remedies, fmt.Sprintf("the other %d were applied", applied))
	} else {
		remedies = append(remedies, "no other key is set here")
	}
	return fmt.Sprintf("config of topic %s refused for %s (%s)", topic, enumerate(told), strings.Join(remedies, "; "))
}

// cut shortens a text to at most length characters, and says so by an ellipsis.
func cut(text string, length int) string {
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) <= length {
		return string(runes)
	}
	return string(runes[:length-1]) + "…"
}
