// Package protocol is Kafka's wire format: one file per API, one struct per schema, bytes in and bytes out.
//
// It does no I/O beyond [ReadFrame], knows no connections and imports the standard library only. Each struct has one
// method, fields, which walks its fields in wire order over a [Codec]; the same walk writes and reads, so the two can't
// disagree, and the file reads like the schema in Kafka's common/message directory.
//
// # What a caller has to know
//
// Names are Kafka's, with Go's initialisms in fields: TopicId is TopicID. Of arrays and byte strings that may be null,
// nil is null and empty is empty; where null isn't allowed, nil is written as empty. Strings that may be null are a
// [NullString].
//
// Defaults are Kafka's, which are not always Go's zero. Reading sets a field that the version doesn't carry to Kafka's
// default; an array is nil then. A string that may be null, and for which the schema names no default, is null, where Kafka's
// Java classes make it empty. A type with other defaults than zero has a constructor (NewMetadataRequest), and whoever
// builds one should start from it: writing fails if a field that the version can't carry has another value than the
// default, unless the schema calls the field ignorable. A filter is never dropped in silence.
//
// Strings of a decoded message share one copy of the frame, and byte strings (records) share the frame itself: clone
// what is kept for long.
//
// # What is accepted
//
// Only canonical input, so that for all that is accepted, encoding what was decoded gives the same bytes: booleans are 0 or
// 1, lengths are the shortest form, −1 is the only null, null comes only where the version allows it, tags ascend,
// and nothing is left over. Tagged fields that this package doesn't know are kept and written back. Two deviations are
// legal and don't survive: a known tagged field that was sent although it has its default value, and tags in the header
// of a response (no version of Kafka has any).
//
// Input is hostile until proven otherwise. Nothing is allocated for a length before at least the smallest encoding of
// that many elements is known to be there, and a message has at most [maxElements] elements that take more memory than bytes.
package protocol
