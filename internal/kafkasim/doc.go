// Package kafkasim is a Kafka cluster inside the process: brokers on loopback sockets, one controller, real producer
// state, and the dedup window of KIP-1269 that no released broker has. Demo, tests and benchmarks run against it.
//
// It claims to answer as Apache Kafka 4.4.0 does, code for code and word for word, for the APIs that it knows;
// parity_test.go asks both and compares. Where they differ, the simulator is wrong. The behaviour of brokers with the
// KIP was read off real brokers patched at load time.
//
// It imports the codec (internal/protocol) and the standard library; no product code imports it.
package kafkasim
