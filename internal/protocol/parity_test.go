package protocol

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// kmsg is franz-go's codec: written by others, from the same schemas. What it writes we read, to the same values, and write
// to the same bytes.
func TestWhatKmsgWritesIsReadAndWrittenAlike(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		oracle := k.oracle()
		if oracle == nil {
			t.Skip("kmsg doesn't know this version")
		}
		r := rand.New(rand.NewPCG(uint64(k.key), uint64(k.version)))
		for range 100 {
			fillRandomly(oracle, r)
			frame := k.oracleFrame(oracle)

			m, err := k.decode(frame)
			if err != nil {
				t.Fatalf("%v\nof %x", err, frame)
			}
			if again := mustEncode(t, k, m); !bytes.Equal(again, frame) {
				t.Fatalf("wrote %x\nkmsg  %x", again, frame)
			}
			// Read back by kmsg too, so that a field that the version doesn't carry has its default on both sides.
			read := k.oracle()
			if err := read.ReadFrom(oracle.AppendTo(nil)); err != nil {
				t.Fatal(err)
			}
			asInKafka(read, k.version)
			if diff := difference(reflect.ValueOf(m).Elem(), reflect.ValueOf(read).Elem()); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// asInKafka undoes where kmsg deviates from Kafka's schemas: a tag that it knows, it knows in all versions with tags, and some
// defaults are its own.
func asInKafka(m kmsgMessage, version int16) {
	switch m := m.(type) {
	case *kmsg.MetadataRequest:
		if version < 4 {
			m.AllowAutoTopicCreation = true
		}
	case *kmsg.UpdateFeaturesRequest:
		if version < 1 {
			for i := range m.FeatureUpdates {
				m.FeatureUpdates[i].UpgradeType = UpgradeOnly
			}
		}
	case *kmsg.ListOffsetsRequest:
		if version < 10 {
			m.TimeoutMillis = 0
		}
	case *kmsg.FetchRequest:
		if version < 15 {
			m.ReplicaState.Default()
		}
		for i := range m.Topics {
			for j := range m.Topics[i].Partitions {
				p := &m.Topics[i].Partitions[j]
				if version < 17 {
					p.ReplicaDirectoryID = [16]byte{}
				}
				if version < 18 {
					p.HighWatermark = math.MaxInt64
				}
			}
		}
	case *kmsg.FetchResponse:
		if version < 16 {
			m.Brokers = nil
		}
	case *kmsg.ProduceResponse:
		if version == 9 { // the first with tags, but without known ones
			m.Brokers = nil
			for i := range m.Topics {
				for j := range m.Topics[i].Partitions {
					m.Topics[i].Partitions[j].CurrentLeader.Default()
				}
			}
		}
	}
}

func TestFlexibleVersionsAreThoseOfKmsg(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		if oracle := k.oracle(); oracle != nil && oracle.IsFlexible() != Flexible(k.key, k.version) {
			t.Errorf("kmsg says flexible: %v", oracle.IsFlexible())
		}
	})
}

// fillRandomly sets all fields of a message of kmsg. One in ten messages is as small as can be.
func fillRandomly(m kmsgMessage, r *rand.Rand) {
	v := reflect.ValueOf(m).Elem()
	version := v.FieldByName("Version").Int()
	v.SetZero()
	if r.IntN(10) > 0 {
		fillValue(v, r)
	}
	v.FieldByName("Version").SetInt(version)
}

func fillValue(v reflect.Value, r *rand.Rand) {
	if tags, ok := reflect.TypeAssert[*kmsg.Tags](v.Addr()); ok {
		*tags = kmsg.Tags{}
		for r.IntN(4) == 0 {
			tags.Set(100+r.Uint32N(1000), randomBytes(r, 200))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillValue(field, r)
		}
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillValue(v.Elem(), r)
		}
	case reflect.Slice:
		switch n := r.IntN(5); {
		case n == 0: // nil
		case v.Type().Elem().Kind() == reflect.Uint8:
			v.SetBytes(randomBytes(r, 300))
		default:
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
			for i := range v.Len() {
				fillValue(v.Index(i), r)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(r.Uint32N(256)))
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("%x", randomBytes(r, 80)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	default:
		v.SetInt(r.Int64() >> r.IntN(64)) // cut to the field's size
		if r.IntN(2) == 0 {
			v.SetInt(-v.Int())
		}
	}
}

func randomBytes(r *rand.Rand, most int) []byte {
	b := make([]byte, r.IntN(most))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// difference compares our value with kmsg's, field by field: those of the same name, else those at the same place, since
// kmsg names some in its own way.
func difference(ours, theirs reflect.Value) string {
	if ours.Type() == reflect.TypeFor[NullString]() {
		s := ours.Interface().(NullString)
		if theirs.Kind() == reflect.String {
			theirs = theirs.Addr()
		}
		if s.Valid == theirs.IsNil() || s.Valid && s.S != theirs.Elem().String() {
			return fmt.Sprintf("%+v is not kmsg's %+v", s, theirs)
		}
		return ""
	}
	switch ours.Kind() {
	case reflect.Pointer:
		if ours.IsNil() != theirs.IsNil() {
			return fmt.Sprintf("%v is not kmsg's %v", ours, theirs)
		}
		if !ours.IsNil() {
			return difference(ours.Elem(), theirs.Elem())
		}
	case reflect.Struct:
		first := 0
		if theirs.Type().Field(0).Name == "Version" {
			first = 1
		}
		for i := range ours.NumField() {
			name := ours.Type().Field(i).Name
			field := theirs.FieldByNameFunc(func(theirs string) bool { return strings.EqualFold(name, theirs) })
			switch {
			case slices.Contains(unknownToKmsg, name):
				continue
			case inKmsg[name] != "":
				field = theirs.FieldByName(inKmsg[name])
			case !field.IsValid():
				field = theirs.Field(first + i)
			}
			if diff := difference(ours.Field(i), field); diff != "" {
				return fmt.Sprintf("%s.%s: %s", ours.Type(), name, diff)
			}
		}
	case reflect.Slice:
		if ours.IsNil() != theirs.IsNil() && ours.Len()+theirs.Len() > 0 || ours.Len() != theirs.Len() {
			return fmt.Sprintf("%v is not kmsg's %v", ours, theirs)
		}
		for i := range ours.Len() {
			if diff := difference(ours.Index(i), theirs.Index(i)); diff != "" {
				return fmt.Sprintf("[%d]: %s", i, diff)
			}
		}
	default:
		if theirs.Kind() == reflect.Pointer {
			theirs = theirs.Elem()
		}
		if !ours.Equal(theirs.Convert(ours.Type())) {
			return fmt.Sprintf("%v is not kmsg's %v", ours, theirs)
		}
	}
	return ""
}

// inKmsg are fields that kmsg has at another place and under another name.
var inKmsg = map[string]string{
	"V3AndBelowTransactionalID": "TransactionalID",
	"V3AndBelowProducerID":      "ProducerID",
	"V3AndBelowProducerEpoch":   "ProducerEpoch",
	"V3AndBelowTopics":          "Topics",
	"ResultsByTopicV3AndBelow":  "Topics",
}

// unknownToKmsg are fields of versions that kmsg doesn't speak, and the tags, which the bytes have compared already.
var unknownToKmsg = []string{
	"UnknownTags", "ProducerStateBatchesToRetain",
	"Enable2Pc", "KeepPreparedTxn", "OngoingTxnProducerID", "OngoingTxnProducerEpoch",
}
