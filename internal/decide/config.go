package decide

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ConfigEntry is one config of a topic as a broker describes it.
type ConfigEntry struct {
	Name, Value string
	Override    bool   // the topic's own value, not a default of the broker
	Source      string // where the value comes from, in Kafka's words
	Type        string // Kafka's config type: BOOLEAN, STRING, INT, SHORT, LONG, DOUBLE, LIST, CLASS
}

// ConfigFacts are what a comparison of a topic's config goes by. The window is no part of it.
type ConfigFacts struct {
	Wanted  map[string]string // rendered values of the spec
	Managed []string          // keys that this resource set before
	Ignored []string          // keys and prefixes that are never touched
	Entries []ConfigEntry     // what the broker describes
}

// ConfigDiff is what keeps a topic's config from what was asked for.
type ConfigDiff struct {
	Changes []ConfigChange // sorted by name
	Foreign []string       // overrides that are neither wanted nor managed nor ignored, sorted
}

// DiffConfig compares what is wanted with what a broker describes. A key that was managed and is no
// longer wanted is reset; a foreign override is left alone.
func DiffConfig(f ConfigFacts) ConfigDiff {
	entries := make(map[string]ConfigEntry, len(f.Entries))
	for _, entry := range f.Entries {
		entries[entry.Name] = entry
	}
	var diff ConfigDiff
	for name, wanted := range f.Wanted {
		entry, known := entries[name]
		if MatchesAny(f.Ignored, name) || known && entry.Override && SameConfigValue(entry.Type, entry.Value, wanted) {
			continue
		}
		diff.Changes = append(diff.Changes, ConfigChange{Name: name, Value: wanted})
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if _, wanted := f.Wanted[name]; wanted || !entries[name].Override || MatchesAny(f.Ignored, name) {
			continue
		}
		if slices.Contains(f.Managed, name) {
			diff.Changes = append(diff.Changes, ConfigChange{Name: name, Reset: true})
		} else {
			diff.Foreign = append(diff.Foreign, name)
		}
	}
	slices.SortFunc(diff.Changes, func(a, b ConfigChange) int { return cmp.Compare(a.Name, b.Name) })
	return diff
}

// SameConfigValue reports whether two values mean the same to Kafka, which describes a parsed value and
// not the text that it was given: 1e-7 comes back as 1.0E-7, TRUE as true, "a, b" as "a,b".
func SameConfigValue(configType, have, want string) bool {
	if have == want {
		return true
	}
	have, want = strings.TrimSpace(have), strings.TrimSpace(want)
	switch configType {
	case "BOOLEAN":
		return strings.EqualFold(have, want)
	case "INT", "SHORT", "LONG":
		a, errA := strconv.ParseInt(have, 10, 64)
		b, errB := strconv.ParseInt(want, 10, 64)
		return errA == nil && errB == nil && a == b
	case "DOUBLE":
		a, errA := strconv.ParseFloat(have, 64)
		b, errB := strconv.ParseFloat(want, 64)
		return errA == nil && errB == nil && a == b
	case "LIST":
		return slices.Equal(splitList(have), splitList(want))
	default:
		return have == want
	}
}

func splitList(value string) []string {
	items := strings.Split(value, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}
