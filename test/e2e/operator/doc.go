// Package operator tries the operator as a whole: a real API server, the operator with the rights that
// it is installed with, and Kafka, simulated where a spec needs a Kafka that no release is, and real
// where it matters what Kafka itself does.
package operator
