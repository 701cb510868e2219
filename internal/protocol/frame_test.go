package protocol

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadFrame(t *testing.T) {
	large := append([]byte{0, 3, 0, 0}, bytes.Repeat([]byte{7}, 3<<16)...)
	for _, test := range []struct {
		name     string
		in       []byte
		size     int
		expected string
	}{
		{name: "a frame", in: []byte{0, 0, 0, 2, 8, 9, 1, 1}, size: 2},
		{name: "an empty frame", in: []byte{0, 0, 0, 0}, size: 0},
		{name: "a frame of the size of the limit, in pieces", in: large, size: 3 << 16},
		{name: "a frame beyond the limit", in: []byte{0, 3, 0, 1}, expected: "frame size 196609 is outside of 0–196608"},
		{name: "a negative size", in: []byte{0xff, 0xff, 0xff, 0xff}, expected: "frame size -1 is outside"},
		{name: "HTTP", in: []byte("HTTP/1.1 400"), expected: "frame size 1213486160 is outside"},
		{name: "nothing", expected: "EOF"},
		{name: "half a size", in: []byte{0, 0}, expected: "unexpected EOF"},
		{name: "a size and nothing else", in: []byte{0, 0, 0, 1}, expected: "unexpected EOF"},
		{name: "half a frame", in: []byte{0, 0, 0, 2, 1}, expected: "unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			frame, err := ReadFrame(iotest.HalfReader(bytes.NewReader(test.in)), 3<<16)
			if test.expected != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.expected) {
					t.Fatal(err)
				}
				return
			}
			if err != nil || !bytes.Equal(frame, test.in[4:4+test.size]) {
				t.Errorf("read %d bytes: %v", len(frame), err)
			}
		})
	}
}

func TestASizeThatLiesAllocatesLittle(t *testing.T) {
	in := append([]byte{0x3f, 0xff, 0xff, 0xff}, make([]byte, 1000)...)
	within(t, 0, func() {
		if _, err := ReadFrame(bytes.NewReader(in), 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	})
}

func TestARequestOfAnUnknownVersionCanBeAnswered(t *testing.T) {
	frame := []byte{0, 18, 0, 99, 0, 0, 0, 5, 0, 2, 'm', 'e', 0, 'w', 'h', 'o', ' ', 'k', 'n', 'o', 'w', 's'}
	_, _, err := DecodeRequest(frame)
	var unsupported *UnsupportedRequestError
	if !errors.As(err, &unsupported) {
		t.Fatal(err)
	}
	want := RequestHeader{Key: KeyApiVersions, Version: 99, CorrelationID: 5, ClientID: StringOf("me")}
	if unsupported.Header != want {
		t.Errorf("header is %+v", unsupported.Header)
	}
	if want := "ApiVersions v99 is outside of the supported versions 0–5"; err.Error() != want {
		t.Error(err)
	}

	frame[1] = 77
	if _, _, err := DecodeRequest(frame); !errors.As(err, &unsupported) || err.Error() != "API 77 is not supported" {
		t.Error(err)
	}
	if _, _, err := DecodeRequest(frame[:6]); errors.As(err, &unsupported) || err == nil {
		t.Error(err)
	}
}

func TestApiVersionsResponsesHaveTheOldestHeader(t *testing.T) {
	frame, err := AppendResponse(nil, 3, 7, NewApiVersionsResponse())
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{0, 0, 0, 12, 0, 0, 0, 7, 0, 0, 1, 0, 0, 0, 0, 0}
	if !bytes.Equal(frame, want) {
		t.Errorf("wrote %x, not %x", frame, want)
	}
	if id, err := ResponseCorrelationID(frame[4:]); id != 7 || err != nil {
		t.Error(id, err)
	}
	if id, err := ResponseCorrelationID(frame[4:8]); id != 7 || err != nil {
		t.Error(id, err)
	}
	if _, err := ResponseCorrelationID(frame[:3]); err == nil {
		t.Error("read from three bytes")
	}
}

func TestTheHeaderKeepsItsTagsAndItsNullClient(t *testing.T) {
	h := RequestHeader{Version: 12, CorrelationID: 9, UnknownTags: UnknownTags{"\x00\x02hi"}}
	frame, err := AppendRequest([]byte("before"), h, NewMetadataRequest())
	if err != nil {
		t.Fatal(err)
	}
	got, m, err := DecodeRequest(frame[len("before")+4:])
	h.Key = KeyMetadata
	if err != nil || got != h {
		t.Errorf("read %+v: %v", got, err)
	}
	if m.(*MetadataRequest).Topics != nil {
		t.Error("null became empty")
	}
}

func TestNothingIsAppendedOnError(t *testing.T) {
	dst := append(make([]byte, 0, 100), "before"...)
	for _, write := range []func() ([]byte, error){
		func() ([]byte, error) { return AppendRequest(dst, RequestHeader{Version: 3}, &MetadataRequest{}) },
		func() ([]byte, error) { return AppendRequest(dst, RequestHeader{Version: 99}, &MetadataRequest{}) },
		func() ([]byte, error) { return AppendResponse(dst, 13, 1, produced(20)) },
		func() ([]byte, error) { return AppendResponse(dst, -1, 1, produced(20)) },
	} {
		if got, err := write(); err == nil || string(got) != "before" {
			t.Errorf("%q: %v", got, err)
		}
	}
}

func TestUUIDsAreWrittenAsKafkaDoes(t *testing.T) {
	for text, want := range map[string]UUID{
		"AAAAAAAAAAAAAAAAAAAAAA": {},
		"AAAAAAAAAAAAAAAAAAAAAQ": {15: 1},
		"-_8AAAAAAAAAAAAAAAAAAA": {0xfb, 0xff},
	} {
		got, err := ParseUUID(text)
		if err != nil || got != want || want.String() != text {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "AAAA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAAA==", "+/8AAAAAAAAAAAAAAAAAAA"} {
		if got, err := ParseUUID(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestErrorCodesHaveKafkasNames(t *testing.T) {
	for code, want := range map[ErrorCode]string{
		-1: "UNKNOWN_SERVER_ERROR", CodeNone: "NONE", CodeInvalidConfig: "INVALID_CONFIG",
		CodeRebootstrapRequired: "REBOOTSTRAP_REQUIRED", 136: "CONTROLLER_ID_NOT_REGISTERED", 137: "ERROR_CODE_137",
	} {
		if code.String() != want {
			t.Errorf("%d is %s", code, code)
		}
	}
	for code := ErrorCode(-1); code <= 136; code++ {
		if _, ok := errorNames[code]; !ok {
			t.Errorf("%d has no name", code)
		}
	}
}
