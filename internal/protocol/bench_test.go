package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// topicConfigs is what a broker says about 100 topics with 35 configs each, some 250 KB.
func topicConfigs() *DescribeConfigsResponse {
	resp := new(DescribeConfigsResponse)
	for i := range 100 {
		result := DescribeConfigsResult{ResourceType: ResourceTopic, ResourceName: fmt.Sprintf("topic-%03d", i)}
		for j := range 35 {
			config := NewDescribeConfigsResourceResult()
			config.Name = fmt.Sprintf("some.config.key.of.%02d", j)
			config.Value = StringOf("9223372036854775807")
			config.ConfigSource, config.ConfigType = ConfigSourceDefault, ConfigTypeLong
			config.Synonyms = []DescribeConfigsSynonym{{Name: "log." + config.Name, Value: config.Value, Source: ConfigSourceDefault}}
			result.Configs = append(result.Configs, config)
		}
		resp.Results = append(resp.Results, result)
	}
	return resp
}

func BenchmarkDescribeConfigs(b *testing.B) {
	for _, version := range []int16{3, 4} {
		resp := topicConfigs()
		frame, err := AppendResponse(nil, version, 1, resp)
		if err != nil {
			b.Fatal(err)
		}
		frame = frame[4:]
		b.Run(fmt.Sprintf("read v%d", version), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeResponse(frame, version, new(DescribeConfigsResponse)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("read v%d by kmsg", version), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			body := frame[4:]
			if Flexible(KeyDescribeConfigs, version) {
				body = body[1:]
			}
			for b.Loop() {
				m := kmsg.NewDescribeConfigsResponse()
				m.SetVersion(version)
				if err := m.ReadFrom(body); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("write v%d", version), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			buffer := make([]byte, 0, len(frame)+4)
			for b.Loop() {
				if _, err := AppendResponse(buffer, version, 1, resp); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestReadingAllocatesForArraysOnly(t *testing.T) {
	frame, err := AppendResponse(nil, 4, 1, topicConfigs())
	if err != nil {
		t.Fatal(err)
	}
	const arrays = 1 + 100 + 100*35
	if allocs := testing.AllocsPerRun(5, func() {
		if _, err := DecodeResponse(frame[4:], 4, new(DescribeConfigsResponse)); err != nil {
			t.Fatal(err)
		}
	}); allocs > arrays+10 {
		t.Errorf("%v allocations for %d arrays", allocs, arrays)
	}
	if len(frame) < 200_000 || strings.Count(string(frame), "topic-") != 100 {
		t.Errorf("%d bytes are not what was to be read", len(frame))
	}
}
