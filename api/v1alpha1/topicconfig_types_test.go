package v1alpha1

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestTopicConfigKeepsEveryByte(t *testing.T) {
	for _, text := range []string{
		`{}`,
		`{"retention.ms":2592000000}`,
		`{"a":9007199254740993,"b":9223372036854775807,"c":-9223372036854775808}`,
		`{"a":0.005,"b":1e-7,"c":1.50,"d":1E+9,"e":-0}`,
		`{"cleanup.policy":["compact","delete"],"preallocate":true,"unclean.leader.election.enable":false}`,
		`{"a":"","b":null,"c":{"d":[1,{"e":null}]},"f":[[]],"g":[]}`,
		`{"":"no name","a":"<&>\u2028","b":"ä\u0000\"\\"}`,
		`{"producer.state.batches.to.retain":20}`,
		`{"a":"1","producer.state.batches.to.retain":"20","z":"2"}`,
		`{"producer.state.batches.to.retain":null}`,
		`{"producer.state.batches.to.retain":{"x":1}}`,
		`{"producer.state.batches.to.retain":2147483648}`,
		`{"producer.state.batches.to.retain":5.5}`,
	} {
		t.Run(text, func(t *testing.T) {
			config := decodeConfig(t, text)
			for name, c := range map[string]*TopicConfig{"itself": config, "its copy": config.DeepCopy()} {
				back, err := c.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(text, string(back)); diff != "" {
					t.Errorf("%s came back different (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestTopicConfigSurvivesAWholeTopic(t *testing.T) {
	const text = `{"spec":{"clusterRef":{"name":"main"},"config":{"a":9007199254740993,"b":[1,"x"]}}}`
	var topic Topic
	if err := json.Unmarshal([]byte(text), &topic); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(topic.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(back), `"config":{"a":9007199254740993,"b":[1,"x"]}`) {
		t.Errorf("config came back different: %s", back)
	}
}

func TestTopicConfigIsWrittenInAlphabeticalOrder(t *testing.T) {
	window := intstr.FromInt32(20)
	config := TopicConfig{Window: &window, Values: map[string]json.RawMessage{"z": []byte(`1`), "a": []byte(`2`)}}
	for range 20 {
		text, err := json.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"a":2,"producer.state.batches.to.retain":20,"z":1}`; string(text) != want {
			t.Fatalf("got %s, want %s", text, want)
		}
	}
}

func TestTopicConfigCopiesShareNothing(t *testing.T) {
	original := decodeConfig(t, `{"a":"1","producer.state.batches.to.retain":20}`)
	copied := original.DeepCopy()
	copied.Values["a"][1] = '2'
	copied.Values["b"] = json.RawMessage(`3`)
	copied.Window.IntVal = 30

	back, err := json.Marshal(original)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"1","producer.state.batches.to.retain":20}`; string(back) != want {
		t.Errorf("a change of the copy reached the original: %s", back)
	}
}

func TestTopicConfigRefusesWhatIsNoObject(t *testing.T) {
	for _, text := range []string{`[]`, `"x"`, `5`, `{`} {
		if err := json.Unmarshal([]byte(text), &TopicConfig{}); err == nil {
			t.Errorf("%s was taken for a config", text)
		}
	}
}

func TestTopicConfigStrings(t *testing.T) {
	long := strings.Repeat("x", MaxConfigValueLength)
	longKey := strings.Repeat("k", MaxConfigKeyLength)

	for _, test := range []struct {
		name    string
		config  string
		want    map[string]string
		refused []string // key and problem
	}{
		{name: "sends strings as they are",
			config: `{"a":"compact","b":" padded ","c":"ä <&> \u2028 \"","d":"1e9","e":"null"}`,
			want:   map[string]string{"a": "compact", "b": " padded ", "c": "ä <&> \u2028 \"", "d": "1e9", "e": "null"}},
		{name: "sends numbers by their digits",
			config: `{"a":2592000000,"b":9007199254740993,"c":9223372036854775807,"d":0.005,"e":1e-7,"f":-1,"g":0}`,
			want: map[string]string{"a": "2592000000", "b": "9007199254740993", "c": "9223372036854775807",
				"d": "0.005", "e": "1e-7", "f": "-1", "g": "0"}},
		{name: "sends booleans as words",
			config: `{"a":true,"b":false}`,
			want:   map[string]string{"a": "true", "b": "false"}},
		{name: "joins lists with commas",
			config: `{"a":["compact","delete"],"b":["one"],"c":[ 1, 9007199254740993 ,true,"x"]}`,
			want:   map[string]string{"a": "compact,delete", "b": "one", "c": "1,9007199254740993,true,x"}},
		{name: "refuses what is empty, and that alone",
			config:  `{"a":"","b":"  ","c":null,"d":[],"good":"1"}`,
			want:    map[string]string{"good": "1"},
			refused: []string{"a is empty", "b is empty", "c is null", "d is empty"}},
		{name: "refuses what is nested",
			config:  `{"a":{},"b":[["x"]],"c":[{}],"d":[null],"e":["x",""],"good":["1"]}`,
			want:    map[string]string{"good": "1"},
			refused: []string{"a is an object", "b is a list with a list, an object or null in it", "c is a list with a list, an object or null in it", "d is a list with a list, an object or null in it", "e is a list with an empty string in it"}},
		{name: "refuses the window key as an integer",
			config:  `{"a":"1","producer.state.batches.to.retain":20,"z":""}`,
			want:    map[string]string{"a": "1"},
			refused: []string{"producer.state.batches.to.retain can't be set in spec.config", "z is empty"}},
		{name: "refuses the window key as a string",
			config:  `{"producer.state.batches.to.retain":"20"}`,
			want:    map[string]string{},
			refused: []string{"producer.state.batches.to.retain can't be set in spec.config"}},
		{name: "refuses the window key whatever it holds",
			config:  `{"producer.state.batches.to.retain":[20]}`,
			want:    map[string]string{},
			refused: []string{"producer.state.batches.to.retain can't be set in spec.config"}},
		{name: "allows the longest key and value",
			config: fmt.Sprintf(`{%q:%q}`, longKey, long),
			want:   map[string]string{longKey: long}},
		{name: "refuses longer ones, and none at all",
			config:  fmt.Sprintf(`{%q:"1","a":%q,"":"1"}`, longKey+"k", long+"x"),
			want:    map[string]string{},
			refused: []string{" is an empty name", "a is longer than 4096 characters", longKey + "k is longer than 128 characters"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, refused := decodeConfig(t, test.config).Strings()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("wrong values (-want +got):\n%s", diff)
			}
			var problems []string
			for _, refusal := range refused {
				problems = append(problems, refusal.Key+" "+refusal.Problem)
				if refusal.Remedy == "" {
					t.Errorf("%v names no remedy", refusal)
				}
			}
			if diff := cmp.Diff(test.refused, problems); diff != "" {
				t.Errorf("wrong refusals (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTopicConfigStringsRefusesKeysBeyondTheBound(t *testing.T) {
	config := &TopicConfig{Values: map[string]json.RawMessage{}}
	for i := range MaxConfigKeys + 2 {
		config.Values[fmt.Sprintf("key.%03d", i)] = json.RawMessage(`1`)
	}
	got, refused := config.Strings()
	if len(got) != MaxConfigKeys || len(refused) != 2 || refused[0].Key != "key.128" || refused[1].Key != "key.129" {
		t.Errorf("got %d values and refusals %v", len(got), refused)
	}
}

func TestTopicConfigStringsOfNothing(t *testing.T) {
	for name, config := range map[string]*TopicConfig{"nil": nil, "zero": {}, "empty": {Values: map[string]json.RawMessage{}}} {
		if got, refused := config.Strings(); len(got) != 0 || len(refused) != 0 {
			t.Errorf("%s: got %v and %v", name, got, refused)
		}
	}
}

func TestTopicConfigStringsRefusesWhatIsNoJSON(t *testing.T) {
	config := &TopicConfig{Values: map[string]json.RawMessage{"a": nil, "b": []byte(`[1`), "c": []byte(`x`), "d": []byte(`1`)}}
	got, refused := config.Strings()
	if diff := cmp.Diff(map[string]string{"d": "1"}, got); diff != "" {
		t.Errorf("wrong values (-want +got):\n%s", diff)
	}
	if len(refused) != 3 {
		t.Errorf("want three refusals, got %v", refused)
	}
}

func TestConfigValueErrorReadsLikeASentence(t *testing.T) {
	_, refused := decodeConfig(t, `{"retention.ms":""}`).Strings()
	want := `config "retention.ms" is empty (remove the key to get the broker's default, or write a value)`
	if len(refused) != 1 || refused[0].Error() != want {
		t.Errorf("got %v, want %s", refused, want)
	}
}

// FuzzTopicConfig checks that every JSON object comes back with the same meaning and that each of its
// keys is either rendered or refused.
func FuzzTopicConfig(f *testing.F) {
	f.Add(`{"a":1,"b":"x","c":[1,true],"d":null,"producer.state.batches.to.retain":20}`)
	f.Add(`{"a":{"b":[]},"":"","c":1e400}`)
	f.Fuzz(func(t *testing.T, text string) {
		var config TopicConfig
		if json.Unmarshal([]byte(text), &config) != nil {
			return
		}
		first, err := json.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(decodeConfig(t, string(first)))
		if err != nil || string(first) != string(second) {
			t.Fatalf("%s became %s (%v)", first, second, err)
		}
		keys := len(config.Values)
		if config.Window != nil {
			keys++
		}
		if values, refused := config.Strings(); len(values)+len(refused) != keys {
			t.Fatalf("%d keys gave values %v and refusals %v", keys, values, refused)
		}
	})
}

func decodeConfig(t *testing.T, text string) *TopicConfig {
	t.Helper()
	var config TopicConfig
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	return &config
}
