package kafkasim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// configType numbers the types as DescribeConfigs does.
type configType int8

const (
	typeUnknown configType = iota
	typeBoolean
	typeString
	typeInt
	typeShort
	typeLong
	typeDouble
	typeList
	typeClass
)

func (t configType) String() string {
	return [...]string{"UNKNOWN", "BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS"}[t]
}

// A value is a config value after parsing: text as Kafka prints it, number for the numeric types, items for lists.
type value struct {
	text   string
	number float64
	items  []string
}

// A check is a ConfigDef.Validator: it says what is wrong with a value, in Kafka's words.
type check func(key string, v value) error

// parse reads a value as ConfigDef.parseValue does: the type first, then the check, each in Kafka's own words.
func (k *configKey) parse(raw string) (value, error) {
	v, err := k.parseType(raw)
	if err != nil {
		return value{}, err
	}
	if k.check != nil {
		if err := k.check(k.name, v); err != nil {
			return value{}, err
		}
	}
	return v, nil
}

func (k *configKey) parseType(raw string) (value, error) {
	trimmed := strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' }) // String.trim
	notANumber := invalid(k.name, raw, "Not a number of type "+k.kind.String())
	switch k.kind {
	case typeBoolean:
		switch strings.ToLower(trimmed) {
		case "true", "false":
			return value{text: strings.ToLower(trimmed)}, nil
		}
		return value{}, invalid(k.name, raw, "Expected value to be either true or false")
	case typeInt, typeShort, typeLong:
		bits := map[configType]int{typeInt: 32, typeShort: 16, typeLong: 64}[k.kind]
		n, err := strconv.ParseInt(trimmed, 10, bits)
		if err != nil {
			return value{}, notANumber
		}
		return value{text: strconv.FormatInt(n, 10), number: float64(n)}, nil
	case typeDouble:
		f, err := strconv.ParseFloat(trimmed, 64)
		if err != nil {
			return value{}, notANumber
		}
		return value{text: javaDouble(f), number: f}, nil
	case typeList:
		// Kafka drops repeated items (since 4.1), except where it has no list of allowed ones.
		return listValue(trimmed, !strings.HasSuffix(k.name, ".throttled.replicas")), nil
	}
	return value{text: trimmed}, nil
}

func listValue(trimmed string, distinct bool) value {
	var items []string
	if trimmed != "" {
		for item := range strings.SplitSeq(trimmed, ",") {
			if item = strings.TrimSpace(item); !distinct || !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	}
	return value{text: strings.Join(items, ","), items: items}
}

// javaDouble prints a float64 as Double.toString does.
func javaDouble(f float64) string {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.Replace(strconv.FormatFloat(f, 'f', -1, 64), "Inf", "Infinity", 1)
	case abs == 0, abs >= 1e-3 && abs < 1e7:
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// A configError is what Kafka says about a config: INVALID_CONFIG from the controller, INVALID_REQUEST from the broker
// that checks a broker resource.
type configError string

func (e configError) Error() string { return string(e) }

func invalid(key, shown, why string) error {
	return configError(fmt.Sprintf("Invalid value %s for configuration %s: %s", shown, key, why))
}

func atLeast(minimum float64) check {
	return func(key string, v value) error {
		if v.number < minimum {
			return invalid(key, v.text, "Value must be at least "+strconv.FormatFloat(minimum, 'f', -1, 64))
		}
		return nil
	}
}

func between(minimum, maximum float64) check {
	return func(key string, v value) error {
		if err := atLeast(minimum)(key, v); err != nil {
			return err
		}
		if v.number > maximum {
			return invalid(key, v.text, "Value must be no more than "+strconv.FormatFloat(maximum, 'f', -1, 64))
		}
		return nil
	}
}

func gzipLevel(key string, v value) error {
	if v.number > 9 || (v.number < 1 && v.number != -1) {
		return invalid(key, v.text, "Value must be between 1 and 9 or equal to -1")
	}
	return nil
}

func oneOf(allowed ...string) check {
	return func(key string, v value) error {
		if !slices.Contains(allowed, v.text) {
			return invalid(key, v.text, "String must be one of: "+strings.Join(allowed, ", "))
		}
		return nil
	}
}

func listOf(allowed ...string) check {
	return func(key string, v value) error {
		for _, item := range v.items {
			if item == "" {
				return configError("Configuration '" + key + "' values must not be empty.")
			}
			if err := oneOf(allowed...)(key, value{text: item}); err != nil {
				return err
			}
		}
		return nil
	}
}

func throttledReplicas(key string, v value) error {
	fits := true
	for _, item := range v.items {
		partition, broker, found := strings.Cut(item, ":")
		if item != "" && !(found && digits(partition) && digits(broker)) {
			fits = false
		}
	}
	if fits || strings.Join(v.items, "") == "*" {
		return nil
	}
	return invalid(key, "["+strings.Join(v.items, ", ")+"]", key+
		" must be the literal '*' or a list of replicas in the following format: [partitionId]:[brokerId],[partitionId]:[brokerId],...")
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// validateTopicConfig checks the whole config that a topic would have: the names first, then the values in the order of
// the schema with the broker's settings below the topic's, then what must fit together. So one bad stored key makes
// every later change of its topic fail, whatever it touches (KAFKA-19851).
func validateTopicConfig(s *schema, fallback func(*configKey) string, overrides, before map[string]string) error {
	for _, name := range javaMapOrder(overrides) {
		if s.byName[name] == nil {
			return configError("Unknown topic config name: " + name)
		}
	}
	values := make(map[string]value, len(s.keys))
	for i := range s.keys {
		k := &s.keys[i]
		raw, set := overrides[k.name]
		if !set {
			if raw = fallback(k); raw == "" && k.def == nil {
				continue
			}
		}
		v, err := k.parse(raw)
		if err != nil {
			return err
		}
		values[k.name] = v
	}
	return validateTogether(values, before)
}

// validateTogether holds the rules between keys. Tiered storage is off in this cluster, as it is by default.
func validateTogether(values map[string]value, before map[string]string) error {
	least, most := values["min.compaction.lag.ms"], values["max.compaction.lag.ms"]
	if least.number > most.number {
		return configError(fmt.Sprintf("conflict topic config setting min.compaction.lag.ms (%s) > max.compaction.lag.ms (%s)",
			least.text, most.text))
	}
	if values["remote.storage.enable"].text == "true" {
		return configError("Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log storage.")
	}
	if strings.EqualFold(before["remote.storage.enable"], "true") && values["remote.log.delete.on.disable"].text != "true" {
		return configError("It is invalid to disable remote storage without deleting remote data. " +
			"If you want to keep the remote data and turn to read only, please set `remote.storage.enable=true,remote.log.copy.disable=true`. " +
			"If you want to disable remote storage and delete all remote data, please set `remote.storage.enable=false,remote.log.delete.on.disable=true`.")
	}
	return nil
}

// javaMapOrder lists keys as a java.util.HashMap does, because Kafka names the first unknown key that it meets there.
func javaMapOrder[V any](m map[string]V) []string {
	buckets := uint32(16)
	for float64(len(m)) > 0.75*float64(buckets) {
		buckets *= 2
	}
	bucket := func(s string) uint32 {
		var h uint32
		for i := range len(s) { // config names are ASCII in practice
			h = 31*h + uint32(s[i])
		}
		return (h ^ h>>16) & (buckets - 1)
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := int(bucket(a)) - int(bucket(b)); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}
