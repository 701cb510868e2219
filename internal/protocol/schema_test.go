package protocol

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kafka-dedup/operator/hack/testbed"
)

// Kafka's schemas are in the kafka-clients jar, of which nothing is copied here. A second implementation, which knows nothing
// but how to read a schema, writes random values of our structs: the bytes have to be ours.
func TestEveryMessageIsWrittenAsItsSchemaSays(t *testing.T) {
	schemas := loadSchemas(t)
	everyKind(t, func(t *testing.T, k kind) {
		s := schemas.of(k)
		for i := range 50 {
			w := schemaWriter{
				api: k.key.String(), version: k.version, flexible: s.FlexibleVersions.contains(k.version),
				r: rand.New(rand.NewPCG(uint64(i), uint64(k.version))),
			}
			m := k.empty()
			w.fill(t, reflect.ValueOf(m).Elem(), s.Fields)

			frame := mustEncode(t, k, m)
			if !k.response {
				h := RequestHeader{Key: k.key, Version: k.version, CorrelationID: testCorrelationID, ClientID: StringOf("test")}
				c := &Codec{mode: writing, flexible: w.flexible}
				h.fields(c)
				w.out = c.out
			} else {
				w.out = k.header()
			}
			w.write(reflect.ValueOf(m).Elem(), s.Fields)
			if !bytes.Equal(frame, w.out) {
				t.Fatalf("wrote  %x\nschema %x\nof %+v", frame, w.out, m)
			}
			read, err := k.decode(frame)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(read, m) {
				t.Fatalf("read  %+v\nwrote %+v", read, m)
			}
			for _, a := range w.absent {
				a.assertRefused(t, k, m)
			}
		}
	})
}

func TestVersionsAreThoseOfTheSchemas(t *testing.T) {
	schemas := loadSchemas(t)
	everyKind(t, func(t *testing.T, k kind) {
		s := schemas.of(k)
		ours, _ := Supported(k.key)
		if ours.Max != s.ValidVersions.last || ours.Min > s.ValidVersions.first {
			t.Errorf("we speak %s, the schema has %+v", ours, s.ValidVersions)
		}
		if Flexible(k.key, k.version) != s.FlexibleVersions.contains(k.version) {
			t.Errorf("flexible according to the schema from %+v", s.FlexibleVersions)
		}
	})
}

// constructed is what our constructors make of the types whose defaults aren't zero.
var constructed = map[string]any{
	"ApiVersionsRequest":                       *NewApiVersionsRequest(),
	"ApiVersionsResponse":                      *NewApiVersionsResponse(),
	"MetadataRequest":                          *NewMetadataRequest(),
	"MetadataResponse":                         *NewMetadataResponse(),
	"MetadataResponseTopic":                    NewMetadataResponseTopic(),
	"MetadataResponsePartition":                NewMetadataResponsePartition(),
	"DescribeClusterRequest":                   *NewDescribeClusterRequest(),
	"DescribeClusterResponse":                  *NewDescribeClusterResponse(),
	"CreateTopicsRequest":                      *NewCreateTopicsRequest(),
	"CreatableTopicResult":                     NewCreatableTopicResult(),
	"CreatableTopicConfigs":                    NewCreatableTopicConfigs(),
	"DescribeConfigsResourceResult":            NewDescribeConfigsResourceResult(),
	"InitProducerIdRequest":                    *NewInitProducerIdRequest(),
	"InitProducerIdResponse":                   *NewInitProducerIdResponse(),
	"PartitionProduceResponse":                 NewPartitionProduceResponse(),
	"LeaderIdAndEpoch":                         NewLeaderIdAndEpoch(),
	"ListTransactionsRequest":                  *NewListTransactionsRequest(),
	"ProducerState":                            NewProducerState(),
	"EndTxnResponse":                           *NewEndTxnResponse(),
	"TxnOffsetCommitRequest":                   *NewTxnOffsetCommitRequest(),
	"TxnOffsetCommitRequestPartition":          NewTxnOffsetCommitRequestPartition(),
	"ListOffsetsPartition":                     NewListOffsetsPartition(),
	"ListOffsetsPartitionResponse":             NewListOffsetsPartitionResponse(),
	"FetchRequest":                             *NewFetchRequest(),
	"FetchReplicaState":                        NewFetchReplicaState(),
	"FetchPartition":                           NewFetchPartition(),
	"FetchPartitionData":                       NewFetchPartitionData(),
	"EpochEndOffset":                           NewEpochEndOffset(),
	"FetchSnapshotId":                          NewFetchSnapshotId(),
	"OffsetFetchRequestGroup":                  NewOffsetFetchRequestGroup(),
	"OffsetFetchResponsePartition":             NewOffsetFetchResponsePartition(),
	"OffsetFetchResponsePartitions":            NewOffsetFetchResponsePartitions(),
	"DescribeTopicPartitionsRequest":           *NewDescribeTopicPartitionsRequest(),
	"DescribeTopicPartitionsResponseTopic":     NewDescribeTopicPartitionsResponseTopic(),
	"DescribeTopicPartitionsResponsePartition": NewDescribeTopicPartitionsResponsePartition(),
	"UpdateFeaturesRequest":                    *NewUpdateFeaturesRequest(),
	"FeatureUpdateKey":                         NewFeatureUpdateKey(),
	"AlterPartitionReassignmentsRequest":       *NewAlterPartitionReassignmentsRequest(),
	"AlterPartitionReassignmentsResponse":      *NewAlterPartitionReassignmentsResponse(),
	"ListPartitionReassignmentsRequest":        *NewListPartitionReassignmentsRequest(),
	"ElectLeadersRequest":                      *NewElectLeadersRequest(),
	"DescribeAclsRequest":                      *NewDescribeAclsRequest(),
	"DescribeAclsResource":                     NewDescribeAclsResource(),
	"AclCreation":                              NewAclCreation(),
	"DeleteAclsFilter":                         NewDeleteAclsFilter(),
	"DeleteAclsMatchingAcl":                    NewDeleteAclsMatchingAcl(),
	"DescribeLogDirsResult":                    NewDescribeLogDirsResult(),
}

func TestDefaultsAreThoseOfTheSchemas(t *testing.T) {
	schemas := loadSchemas(t)
	var check func(v reflect.Value, fields []schemaField)
	check = func(v reflect.Value, fields []schemaField) {
		if c, ok := constructed[v.Type().Name()]; ok {
			v.Set(reflect.ValueOf(c))
		}
		for _, f := range fields {
			field := v.FieldByName(f.goName())
			switch {
			case len(f.Fields) == 0:
				want := reflect.New(field.Type()).Elem()
				f.setDefault(want)
				if !reflect.DeepEqual(field.Interface(), want.Interface()) {
					t.Errorf("%s.%s is %v without being set, not %v", v.Type().Name(), f.Name, field, want)
				}
			case field.Kind() == reflect.Slice || field.Kind() == reflect.Pointer:
				if !field.IsNil() {
					t.Errorf("%s.%s is %v without being set", v.Type().Name(), f.Name, field)
				}
				check(reflect.New(field.Type().Elem()).Elem(), f.Fields)
			default:
				want := reflect.New(field.Type()).Elem()
				f.setDefault(want)
				if !reflect.DeepEqual(field.Interface(), want.Interface()) {
					t.Errorf("%s.%s is %v without being set, not %v", v.Type().Name(), f.Name, field, want)
				}
				check(want, f.Fields)
			}
		}
	}
	everyKind(t, func(t *testing.T, k kind) {
		check(reflect.ValueOf(k.empty()).Elem(), schemas.of(k).Fields)
	})
}

type schema struct {
	ValidVersions    schemaVersions
	FlexibleVersions schemaVersions
	Fields           []schemaField
	CommonStructs    []schemaField // structs that several fields have as their type
}

// resolve gives the fields whose type is a common struct the fields of that.
func (s *schema) resolve(fields []schemaField) {
	for i := range fields {
		f := &fields[i]
		for _, common := range s.CommonStructs {
			if common.Name == strings.TrimPrefix(f.Type, "[]") {
				f.Fields = slices.Clone(common.Fields)
			}
		}
		s.resolve(f.Fields)
	}
}

type schemaField struct {
	Name             string
	Type             string
	Versions         schemaVersions
	NullableVersions schemaVersions
	TaggedVersions   schemaVersions
	Tag              uint64
	Default          any
	Ignorable        bool
	Fields           []schemaField
}

// goName is our name of the field: Kafka's, with Go's initialisms.
func (f schemaField) goName() string {
	name := strings.ToUpper(f.Name[:1]) + f.Name[1:]
	for from, to := range map[string]string{"Id": "ID", "Ids": "IDs", "Api": "API", "Isr": "ISR"} {
		for i := strings.Index(name, from); i >= 0; i = -1 {
			end := i + len(from)
			if end == len(name) || name[end] >= 'A' && name[end] <= 'Z' {
				name = name[:i] + to + name[end:]
			}
		}
	}
	return name
}

// schemaVersions is "3+", "8-10", "0" or "none".
type schemaVersions struct{ first, last int16 }

func (v *schemaVersions) UnmarshalJSON(data []byte) error {
	text, err := strconv.Unquote(string(data))
	if err != nil {
		return err
	}
	first, last, bounded := strings.Cut(text, "-")
	if text == "none" {
		*v = schemaVersions{0, -1}
		return nil
	}
	if since, ok := strings.CutSuffix(text, "+"); ok {
		first, last = since, "32767"
	} else if !bounded {
		last = first
	}
	_, err = fmt.Sscan(first+" "+last, &v.first, &v.last)
	return err
}

func (v schemaVersions) contains(version int16) bool { return v.first <= version && version <= v.last }

type schemas map[string]schema

func (s schemas) of(k kind) schema {
	if k.response {
		return s[k.key.String()+"Response"]
	}
	return s[k.key.String()+"Request"]
}

// loadSchemas reads the schemas of Kafka 4.4 and adds KIP-1269, which no release has.
func loadSchemas(t *testing.T) schemas {
	t.Helper()
	testbed.NeedJava(t) // Maven, which brings the jar, runs on it
	libraries, err := testbed.EnsureKafka(t.Context(), "4.4.0", os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := zip.OpenReader(filepath.Join(libraries, "kafka-clients-4.4.0.jar"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = jar.Close() }()
	all := schemas{}
	for _, f := range jar.File {
		name, ok := strings.CutSuffix(strings.TrimPrefix(f.Name, "common/message/"), ".json")
		if !ok || name == f.Name || strings.Contains(name, "/") {
			continue
		}
		s, err := readSchema(f)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		all[name] = s
	}
	for name, old := range oldFields {
		s := all[name]
		s.Fields = old(s.Fields)
		all[name] = s
	}
	for _, name := range []string{"ProduceRequest", "ProduceResponse"} {
		s := all[name]
		s.ValidVersions.last = 14
		all[name] = s
	}
	return all
}

func readSchema(f *zip.File) (s schema, err error) {
	r, err := f.Open()
	if err != nil {
		return s, err
	}
	defer func() { _ = r.Close() }()
	text, err := io.ReadAll(r)
	if err != nil {
		return s, err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			lines = append(lines, line)
		}
	}
	err = json.Unmarshal([]byte(strings.Join(lines, "")), &s)
	s.resolve(s.Fields)
	return s, err
}

// oldFields adds to the schemas what 4.4 no longer or not yet has, and renames what Go can't name so.
var oldFields = map[string]func([]schemaField) []schemaField{
	"DescribeConfigsResponse": func(fields []schemaField) []schemaField { // version 0, up to Kafka 3.9
		configs := &fields[1].Fields[4]
		isDefault := schemaField{Name: "IsDefault", Type: "bool", Versions: schemaVersions{0, 0}}
		configs.Fields = append(configs.Fields[:3:3], append([]schemaField{isDefault}, configs.Fields[3:]...)...)
		return fields
	},
	"FindCoordinatorRequest": func(fields []schemaField) []schemaField {
		fields[0].Name = "CoordinatorKey" // Key is a method of every message
		return fields
	},
	"ProduceResponse": func(fields []schemaField) []schemaField { // KIP-1269
		partitions := &fields[0].Fields[2]
		partitions.Fields = append(partitions.Fields, schemaField{
			Name: "ProducerStateBatchesToRetain", Type: "int32", Default: "5", Tag: 1,
			Versions: schemaVersions{14, 32767}, TaggedVersions: schemaVersions{14, 32767},
		})
		return fields
	},
}

// schemaWriter fills structs with random values that a version carries, and writes them.
type schemaWriter struct {
	api      string
	version  int16
	flexible bool
	r        *rand.Rand
	out      []byte
	absent   []absentField
}

// absentField is a field of a message that its version doesn't carry.
type absentField struct {
	path  string
	value reflect.Value
	field schemaField
}

// assertRefused sets the field and sees that this can't be written unless the schema calls the field ignorable.
func (a absentField) assertRefused(t *testing.T, k kind, m message) {
	t.Helper()
	before := reflect.ValueOf(a.value.Interface())
	defer a.value.Set(before)
	switch a.value.Kind() {
	case reflect.Slice:
		a.value.Set(reflect.MakeSlice(a.value.Type(), 1, 1))
	case reflect.String:
		a.value.SetString("set")
	case reflect.Bool:
		a.value.SetBool(!a.value.Bool())
	case reflect.Struct:
		if a.value.Type() != reflect.TypeFor[NullString]() {
			a.value.Field(0).SetInt(7)
			break
		}
		a.value.Set(reflect.ValueOf(StringOf("set")))
	case reflect.Array:
		a.value.Index(0).SetUint(1)
	default:
		a.value.SetInt(a.value.Int() + 1)
	}
	if _, err := k.encode(m); (err == nil) != a.field.Ignorable {
		t.Errorf("%s is set, and ignorable is %v, but the error is %v", a.path, a.field.Ignorable, err)
	}
}

func (w *schemaWriter) fill(t *testing.T, v reflect.Value, fields []schemaField) {
	t.Helper()
	if v.NumField() != len(fields)+1 {
		t.Fatalf("%s has %d fields, the schema %d", v.Type(), v.NumField()-1, len(fields))
	}
	for i, f := range fields {
		if got := v.Type().Field(i).Name; got != f.goName() {
			t.Fatalf("field %d of %s is %s, in the schema %s", i, v.Type(), got, f.goName())
		}
		if structName := strings.TrimPrefix(f.Type, "[]"); len(f.Fields) > 0 {
			got := v.Field(i).Type()
			if got.Kind() == reflect.Slice || got.Kind() == reflect.Pointer {
				got = got.Elem()
			}
			// A struct has the schema's name, behind the API's where that says too little on its own.
			if got.Name() != structName && got.Name() != w.api+structName {
				t.Errorf("%s.%s has type %s, in the schema %s", v.Type(), f.Name, got.Name(), structName)
			}
		}
		if !f.Versions.contains(w.version) {
			f.setDefault(v.Field(i))
			w.absent = append(w.absent, absentField{v.Type().Name() + "." + f.Name, v.Field(i), f})
			continue
		}
		w.fillValue(t, v.Field(i), f, strings.TrimPrefix(f.Type, "[]") != f.Type)
	}
}

func (w *schemaWriter) fillValue(t *testing.T, v reflect.Value, f schemaField, array bool) {
	t.Helper()
	nullable := f.NullableVersions.contains(w.version) && f.NullableVersions != schemaVersions{}
	tagged := f.TaggedVersions.contains(w.version) && f.TaggedVersions != schemaVersions{}
	switch {
	case tagged && w.r.IntN(3) == 0:
		f.setDefault(v)
	case array:
		if nullable && w.r.IntN(4) == 0 {
			return
		}
		n := w.r.IntN(4)
		if tagged && n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		f.NullableVersions = schemaVersions{}
		for i := range n {
			w.fillValue(t, v.Index(i), f, false)
		}
	case v.Kind() == reflect.Pointer:
		if w.r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			w.fill(t, v.Elem(), f.Fields)
		}
	case len(f.Fields) > 0:
		w.fill(t, v, f.Fields)
	case v.Type() == reflect.TypeFor[NullString]():
		if !nullable || w.r.IntN(4) > 0 {
			v.Set(reflect.ValueOf(StringOf(strings.Repeat("x", w.r.IntN(200)))))
		}
	case v.Kind() == reflect.Slice: // bytes or records
		if !nullable || w.r.IntN(4) > 0 {
			v.SetBytes(randomBytes(w.r, 300))
		}
	default:
		fillValue(v, w.r)
	}
}

// setDefault sets what the schema says a field is if nobody set it. What may be null and has no default is null here, but empty
// in Kafka's generated classes.
func (f schemaField) setDefault(v reflect.Value) {
	text := ""
	if f.Default != nil {
		text = fmt.Sprint(f.Default)
	}
	switch {
	case len(f.Fields) > 0 && v.Kind() == reflect.Struct:
		for i, inner := range f.Fields {
			inner.setDefault(v.Field(i))
		}
	case text == "" || text == "null" || text == "false":
		v.SetZero()
	case text == "true":
		v.SetBool(true)
	default:
		n, err := strconv.ParseInt(strings.TrimSuffix(text, ".0"), 0, 64)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", f.Name, err))
		}
		v.SetInt(n)
	}
}

func (w *schemaWriter) write(v reflect.Value, fields []schemaField) {
	var tagged []schemaField
	for _, f := range fields {
		switch field := v.FieldByName(f.goName()); {
		case !f.Versions.contains(w.version):
		case f.TaggedVersions.contains(w.version) && f.TaggedVersions != schemaVersions{}:
			unset := reflect.New(field.Type()).Elem()
			f.setDefault(unset)
			if !reflect.DeepEqual(field.Interface(), unset.Interface()) {
				tagged = append(tagged, f)
			}
		default:
			w.writeValue(field, f, strings.HasPrefix(f.Type, "[]"))
		}
	}
	if !w.flexible {
		return
	}
	w.uvarint(len(tagged)) // the schemas at hand list tagged fields in ascending order
	for _, f := range tagged {
		inner := *w
		inner.out = nil
		inner.writeValue(v.FieldByName(f.goName()), f, strings.HasPrefix(f.Type, "[]"))
		w.uvarint(int(f.Tag))
		w.uvarint(len(inner.out))
		w.out = append(w.out, inner.out...)
	}
}

func (w *schemaWriter) writeValue(v reflect.Value, f schemaField, array bool) {
	nullable := f.NullableVersions.contains(w.version) && f.NullableVersions != schemaVersions{}
	kind := strings.TrimPrefix(f.Type, "[]")
	switch {
	case array:
		if v.IsNil() && nullable {
			w.length(4, -1)
			return
		}
		w.length(4, v.Len())
		f.NullableVersions = schemaVersions{}
		for i := range v.Len() {
			w.writeValue(v.Index(i), f, false)
		}
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			w.out = append(w.out, 0xff)
			return
		}
		w.out = append(w.out, 1)
		w.write(v.Elem(), f.Fields)
	case len(f.Fields) > 0:
		w.write(v, f.Fields)
	case kind == "string":
		if s, ok := reflect.TypeAssert[NullString](v); ok {
			if !s.Valid {
				w.length(2, -1)
				return
			}
			v = v.Field(0)
		}
		w.length(2, v.Len())
		w.out = append(w.out, v.String()...)
	case kind == "bytes" || kind == "records":
		if v.IsNil() {
			w.length(4, -1)
			return
		}
		w.length(4, v.Len())
		w.out = append(w.out, v.Bytes()...)
	case kind == "uuid":
		u := v.Interface().(UUID)
		w.out = append(w.out, u[:]...)
	case kind == "bool":
		w.out = append(w.out, map[bool]byte{true: 1}[v.Bool()])
	default:
		bits, err := strconv.Atoi(strings.TrimPrefix(kind, "int"))
		if err != nil {
			panic("type " + kind)
		}
		number := binary.BigEndian.AppendUint64(nil, uint64(v.Int()))
		w.out = append(w.out, number[8-bits/8:]...)
	}
}

func (w *schemaWriter) length(size, n int) {
	if w.flexible {
		w.uvarint(n + 1)
		return
	}
	number := binary.BigEndian.AppendUint64(nil, uint64(n))
	w.out = append(w.out, number[8-size:]...)
}

func (w *schemaWriter) uvarint(n int) {
	for ; n >= 0x80; n >>= 7 {
		w.out = append(w.out, byte(n)|0x80)
	}
	w.out = append(w.out, byte(n))
}
