package v1alpha1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// WindowConfigKey is the topic config that holds the dedup window (KIP-1269).
const WindowConfigKey = "producer.state.batches.to.retain"

// What a TopicConfig may hold; config/admission has the same numbers.
const (
	MaxConfigKeys        = 128
	MaxConfigKeyLength   = 128
	MaxConfigValueLength = 4096
)

// TopicConfig holds topic configs by their Kafka names.
//
// It is an open object, so that a value keeps the type and the digits that the user wrote: a schema
// of strings would refuse 604800000 and one of numbers would round 9223372036854775807. Only the
// dedup window's key is declared, in order to be refused with the name of the right field.
//
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:validation:XValidation:rule="!has(self.producer__dot__state__dot__batches__dot__to__dot__retain)",reason=FieldValueForbidden,message="set spec.dedupWindow.batchesToRetain instead of the config key producer.state.batches.to.retain"
type TopicConfig struct {
	// Refused here: set spec.dedupWindow.batchesToRetain, which waits until every broker can honour it.
	// +optional
	Window *intstr.IntOrString `json:"producer.state.batches.to.retain,omitempty"`

	// Values are the configs as JSON, exactly as the API server stores them.
	Values map[string]json.RawMessage `json:"-"`
}

// ConfigValueError says what is wrong with one key of a TopicConfig, and what to do about it. The
// other keys are good.
type ConfigValueError struct {
	Key     string // as the user wrote it
	Problem string // follows the key: "is empty"
	Remedy  string // what to do, as an imperative: "remove the key …"
}

func (e ConfigValueError) Error() string {
	return fmt.Sprintf("config %q %s (%s)", e.Key, e.Problem, e.Remedy)
}

// Strings renders the configs as Kafka gets them: strings as they are, numbers by their literal
// text, lists joined with commas. A key that can't be rendered is left out and has an error of its
// own; errors are sorted by key.
func (c *TopicConfig) Strings() (map[string]string, []ConfigValueError) {
	if c == nil {
		return nil, nil
	}
	var refused []ConfigValueError
	refuse := func(key string, err error) {
		var refusal ConfigValueError
		if !errors.As(err, &refusal) {
			refusal = ConfigValueError{Problem: "is no JSON value: " + err.Error(), Remedy: "correct it"}
		}
		refusal.Key = key
		refused = append(refused, refusal)
	}

	if _, inValues := c.Values[WindowConfigKey]; c.Window != nil && !inValues {
		refuse(WindowConfigKey, errWindowKey)
	}
	rendered := make(map[string]string, len(c.Values))
	for _, key := range slices.Sorted(maps.Keys(c.Values)) {
		value, err := renderConfig(key, c.Values[key])
		if err == nil && len(rendered) == MaxConfigKeys {
			err = errTooManyKeys
		}
		if err != nil {
			refuse(key, err)
			continue
		}
		rendered[key] = value
	}
	slices.SortStableFunc(refused, func(a, b ConfigValueError) int { return strings.Compare(a.Key, b.Key) })
	return rendered, refused
}

var (
	errWindowKey = ConfigValueError{
		Problem: "can't be set in spec.config",
		Remedy:  "set spec.dedupWindow.batchesToRetain instead, which waits until every broker can honour it"}
	errNoKey = ConfigValueError{
		Problem: "is an empty name",
		Remedy:  "write the name of a Kafka config"}
	errKeyTooLong = ConfigValueError{
		Problem: fmt.Sprintf("is longer than %d characters", MaxConfigKeyLength),
		Remedy:  "correct the name: no Kafka config is that long"}
	errTooManyKeys = ConfigValueError{
		Problem: fmt.Sprintf("is one more than the %d keys that a Topic may set", MaxConfigKeys),
		Remedy:  "remove keys that only repeat the broker's defaults"}
	errEmpty = ConfigValueError{
		Problem: "is empty",
		Remedy:  "remove the key to get the broker's default, or write a value"}
	errNull = ConfigValueError{
		Problem: "is null",
		Remedy:  "remove the key to get the broker's default, or write a value"}
	errObject = ConfigValueError{
		Problem: "is an object",
		Remedy:  "write a string, number, boolean or list; put quotes around JSON that Kafka should get as text"}
	errNestedList = ConfigValueError{
		Problem: "is a list with a list, an object or null in it",
		Remedy:  "write a flat list of strings, numbers or booleans"}
	errEmptyItem = ConfigValueError{
		Problem: "is a list with an empty string in it",
		Remedy:  "remove the empty item"}
	errTooLong = ConfigValueError{
		Problem: fmt.Sprintf("is longer than %d characters", MaxConfigValueLength),
		Remedy:  "shorten the value"}
)

func renderConfig(key string, raw json.RawMessage) (string, error) {
	switch {
	case key == WindowConfigKey:
		return "", errWindowKey
	case key == "":
		return "", errNoKey
	case utf8.RuneCountInString(key) > MaxConfigKeyLength:
		return "", errKeyTooLong
	}
	value, err := renderValue(raw)
	if err == nil && utf8.RuneCountInString(value) > MaxConfigValueLength {
		err = errTooLong
	}
	return value, err
}

func renderValue(raw json.RawMessage) (string, error) {
	switch kindOf(raw) {
	case 'n':
		return "", errNull
	case '{':
		return "", errObject
	case '[':
		return renderList(raw)
	}
	value, err := renderScalar(raw)
	if err == nil && strings.TrimSpace(value) == "" {
		err = errEmpty // Kafka trims values
	}
	return value, err
}

func renderList(raw json.RawMessage) (string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", errEmpty
	}
	items := make([]string, len(list))
	for i, raw := range list {
		switch kindOf(raw) {
		case 'n', '{', '[':
			return "", errNestedList
		}
		item, err := renderScalar(raw)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(item) == "" {
			return "", errEmptyItem
		}
		items[i] = item
	}
	return strings.Join(items, ","), nil
}

// renderScalar takes numbers and booleans by their text, so that no digit is lost.
func renderScalar(raw json.RawMessage) (string, error) {
	var scalar any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&scalar); err != nil {
		return "", err
	}
	if text, isString := scalar.(string); isString {
		return text, nil
	}
	return string(bytes.TrimSpace(raw)), nil
}

// kindOf returns the first byte of a JSON value, which tells its kind; 0 if there is none.
func kindOf(raw json.RawMessage) byte {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 {
		return trimmed[0]
	}
	return 0
}

// MarshalJSON writes the keys in alphabetical order and the values as they are.
func (c TopicConfig) MarshalJSON() ([]byte, error) {
	values := c.Values
	if c.Window != nil {
		window, err := json.Marshal(c.Window)
		if err != nil {
			return nil, err
		}
		values = make(map[string]json.RawMessage, len(c.Values)+1)
		maps.Copy(values, c.Values)
		values[WindowConfigKey] = window
	}
	if values == nil {
		return []byte("{}"), nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(values); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON keeps the values as they are.
func (c *TopicConfig) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*c = TopicConfig{Values: values}

	// A value that its declared type can't hold stays among the others, for Strings to refuse.
	if raw, ok := values[WindowConfigKey]; ok && kindOf(raw) != 'n' {
		var window intstr.IntOrString
		if json.Unmarshal(raw, &window) == nil {
			c.Window = &window
			delete(values, WindowConfigKey)
		}
	}
	return nil
}
