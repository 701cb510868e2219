// Package kafka is the operator's Kafka client: one [Session] for each cluster, plain calls about one object each, domain types
// at the edge and no wire types. It keeps the promises that reconcilers build on: nothing is ever sent to a cluster with another
// id, a write is never repeated unless it surely had no effect, and every error says who refused what, in their words, and has a
// class that says what to do. It may import internal/protocol, logr and the standard library, and must not know Kubernetes.
package kafka
