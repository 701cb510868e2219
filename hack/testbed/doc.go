// Package testbed starts what our tests and the demo stand on: a real Kubernetes API server and real Kafka brokers.
//
// It needs Go, for Kafka also a JDK and Maven, and no network but a Go module proxy and a Maven repository, each only
// once: what is built or fetched is kept in the user's cache folder. Nothing that it starts outlives the program that
// started it, however that program ends (see the leash folder).
//
// It may import client libraries of Kubernetes, and nothing of the product: a test bed that shares code with what it
// tests shares its mistakes.
package testbed
