// Package api tries the kinds of kafka-dedup.dev on a real API server: what it refuses and with which
// words, what it stores and gives back, and how kubectl shows it. No operator runs.
//
// It may import the API package, the test bed, and client libraries of Kubernetes.
package api
