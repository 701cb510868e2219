package protocol

import (
	"encoding/base64"
	"fmt"
)

// UUID identifies a topic or a directory. The zero value means none.
type UUID [16]byte

// String is the UUID as Kafka prints it: base64 for URLs, without padding, 22 characters.
func (u UUID) String() string { return base64.RawURLEncoding.EncodeToString(u[:]) }

// ParseUUID reads what String writes.
func ParseUUID(s string) (UUID, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != len(UUID{}) {
		return UUID{}, fmt.Errorf("%q is not a Kafka UUID (22 characters of base64 for URLs)", s)
	}
	return UUID(b), nil
}
