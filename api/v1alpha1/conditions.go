package v1alpha1

// Types of conditions. Ready, ConfigSynced and DedupWindowSupported are there from the first status
// on; Reconciling and Stalled only while they are true, as kstatus wants it.
const (
	// ConditionReady says whether the resource is what its spec asks for, as verified for its observedGeneration.
	ConditionReady = "Ready"
	// ConditionReconciling is true while the operator works towards the spec and expects to get there by itself.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is true while nothing will get better until somebody changes something; reason and message say what.
	ConditionStalled = "Stalled"
	// ConditionConfigSynced says whether the topic's configs in Kafka are those of spec.config.
	ConditionConfigSynced = "ConfigSynced"
	// ConditionDedupWindowEffective says whether every leader of the topic reports the desired dedup window; it is absent while nobody asks for one.
	ConditionDedupWindowEffective = "DedupWindowEffective"
	// ConditionDedupWindowSupported says whether every broker and the active controller of the Kafka cluster have the dedup window of KIP-1269.
	ConditionDedupWindowSupported = "DedupWindowSupported"
)

// Reasons of a KafkaCluster's Ready, Reconciling and Stalled, and of those of its Topics while it can't be worked with.
const (
	// ReasonConnected means that every broker answers.
	ReasonConnected = "Connected"
	// ReasonPartlyConnected means that the cluster can be managed, but that some of its brokers can't be reached; the message names them.
	ReasonPartlyConnected = "PartlyConnected"
	// ReasonBrokersUnreachable means that no broker answers at all; the operator keeps trying.
	ReasonBrokersUnreachable = "BrokersUnreachable"
	// ReasonBootstrapUnresolvable means that the names in spec.bootstrapServers have no address; correct them, or wait for DNS.
	ReasonBootstrapUnresolvable = "BootstrapUnresolvable"
	// ReasonNotKafka means that what answers at the bootstrap servers doesn't speak Kafka's protocol, or expects TLS; correct host and port.
	ReasonNotKafka = "NotKafka"
	// ReasonClusterReplaced means that another cluster id than the pinned one answers at the bootstrap servers; nothing is written until spec.clusterID names the new id.
	ReasonClusterReplaced = "ClusterReplaced"
	// ReasonNotAuthorized means that Kafka doesn't allow the operator what it needs; the message says for which object.
	ReasonNotAuthorized = "NotAuthorized"
)

// Reasons of a KafkaCluster's DedupWindowSupported, and of a Topic's DedupWindowEffective while its window is held for lack of support.
const (
	// ReasonSupported means that every registered broker and the active controller have the dedup window.
	ReasonSupported = "Supported"
	// ReasonBrokerTooOld means that at least one registered broker doesn't have the dedup window; the message names each and the remedy.
	ReasonBrokerTooOld = "BrokerTooOld"
	// ReasonControllerTooOld means that the active controller doesn't have the dedup window and would refuse topics that set it.
	ReasonControllerTooOld = "ControllerTooOld"
	// ReasonSupportUnknown means that a broker or the controller couldn't be asked, which never counts as support; the message says which and why.
	ReasonSupportUnknown = "SupportUnknown"
)

// Reasons of a Topic's DedupWindowEffective.
const (
	// ReasonEffective means that every partition's leader reports exactly the desired window.
	ReasonEffective = "Effective"
	// ReasonApplied means that the window is set, but not yet seen on every partition's leader.
	ReasonApplied = "Applied"
	// ReasonDegraded means that the window is set, but that a broker or the controller no longer honours it; the message names it.
	ReasonDegraded = "Degraded"
	// ReasonDrifted means that the window was set and is gone or different; it is set again as soon as the gate allows it.
	ReasonDrifted = "Drifted"
	// ReasonLoweringHeld means that the window is to become smaller, and that this waits until no producer can be exposed to it.
	ReasonLoweringHeld = "LoweringHeld"
	// ReasonLowered means that the window was made smaller, after the wait for it was over; it is the reason of an event only.
	ReasonLowered = "Lowered"
	// ReasonRefusedByPolicy means that an alter.config.policy or create.topic.policy of the Kafka cluster refuses the window; the message has its words.
	ReasonRefusedByPolicy = "RefusedByPolicy"
	// ReasonWindowRefused means that the broker refuses the window for another reason; the message has its words.
	ReasonWindowRefused = "WindowRefused"
)

// Reasons of a Topic's Ready, ConfigSynced, Reconciling and Stalled.
const (
	// ReasonSynced means that the topic in Kafka is what the spec asks for.
	ReasonSynced = "Synced"
	// ReasonProgressing means that the operator is working on it.
	ReasonProgressing = "Progressing"
	// ReasonClusterNotFound means that spec.clusterRef names a KafkaCluster that doesn't exist; create it, or create the Topic with the right reference.
	ReasonClusterNotFound = "ClusterNotFound"
	// ReasonClusterNotReady means that the operator has not looked at the KafkaCluster yet, or not since it was changed. For any other problem of its KafkaCluster a Topic has the KafkaCluster's reason.
	ReasonClusterNotReady = "ClusterNotReady"
	// ReasonNamespaceNotAllowed means that no access rule of the KafkaCluster names the Topic's namespace; ask its owner to add one.
	ReasonNamespaceNotAllowed = "NamespaceNotAllowed"
	// ReasonTopicNotAllowed means that the KafkaCluster's access rules allow the namespace, but not this Kafka topic.
	ReasonTopicNotAllowed = "TopicNotAllowed"
	// ReasonConfigRejected means that at least one config was refused; status.config has the broker's words for each, and all others were applied.
	ReasonConfigRejected = "ConfigRejected"
	// ReasonPartitionDecreaseRefused means that the topic has more partitions than spec.partitions, which Kafka can't undo; raise or remove the field.
	ReasonPartitionDecreaseRefused = "PartitionDecreaseRefused"
	// ReasonReplicationFactorDiffers means that the topic has another replication factor than spec; reassign it with Kafka's tools, or correct the field.
	ReasonReplicationFactorDiffers = "ReplicationFactorDiffers"
	// ReasonInsufficientBrokers means that there are fewer active brokers than spec.replicationFactor; lower it, or add brokers.
	ReasonInsufficientBrokers = "InsufficientBrokers"
	// ReasonOwnedByAnotherTopic means that an older Topic manages the same Kafka topic; this one touches nothing, delete one of the two.
	ReasonOwnedByAnotherTopic = "OwnedByAnotherTopic"
	// ReasonInvalidTopicName means that Kafka doesn't allow the name, or reserves it for itself; create a Topic with another name.
	ReasonInvalidTopicName = "InvalidTopicName"
	// ReasonTopicReplaced means that the Kafka topic was deleted and created again by others; nothing is written until the annotation kafka-dedup.dev/accept-topic-id names the new id.
	ReasonTopicReplaced = "TopicReplaced"
	// ReasonTopicVanished means that the Kafka topic was deleted by others; it isn't created again by itself, because its data is lost.
	ReasonTopicVanished = "TopicVanished"
	// ReasonRefusedByBroker means that Kafka refuses the topic or a change of it; the message has its words.
	ReasonRefusedByBroker = "RefusedByBroker"
	// ReasonDeletionBlocked means that the Kafka topic can't be deleted now; the message says what stands in the way.
	ReasonDeletionBlocked = "DeletionBlocked"
	// ReasonWindowRequired means that spec.dedupWindow.requirement is Required and that the window can't be had; DedupWindowEffective says why.
	ReasonWindowRequired = "WindowRequired"
	// ReasonDeleting means that the Kafka topic is being deleted, as spec.deletionPolicy asks.
	ReasonDeleting = "Deleting"
	// ReasonTopicOrphaned means that the Topic was released without deleting its Kafka topic, which the operator couldn't reach or may not touch; delete it with Kafka's tools.
	ReasonTopicOrphaned = "TopicOrphaned"
)
