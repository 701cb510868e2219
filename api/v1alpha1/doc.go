// Package v1alpha1 holds the kinds of the group kafka-dedup.dev: KafkaCluster says how to reach a
// Kafka cluster and who may use it, Topic asks for one topic of it.
//
// What a user can get wrong is refused here by schema and CEL, with the remedy in the message; what
// CEL can't see is refused by the ValidatingAdmissionPolicy in config/admission and, for whoever
// bypasses both, by the controllers. The package imports apimachinery and nothing of this module.
//
// +kubebuilder:object:generate=true
// +groupName=kafka-dedup.dev
package v1alpha1
