package main

// nothingToDo stands beside a reason that is no problem.
const nothingToDo = "Nothing."

// remedies say what to do about each reason, in Markdown. A reason without one fails the tests.
var remedies = map[string]string{
	// Of a KafkaCluster.
	"Connected":             nothingToDo,
	"PartlyConnected":       "Start the brokers that the message names, open the way to them, or unregister those that are gone for good. Until then, new dedup windows are held.",
	"BrokersUnreachable":    "Look whether the brokers run, whether the operator's pod may reach them (network policies), and whether `spec.bootstrapServers` is right. It ends by itself when a broker answers.",
	"BootstrapUnresolvable": "Correct the host names in `spec.bootstrapServers`. When they are right, see why the operator's pod can't resolve them.",
	"NotKafka":              "Correct host and port in `spec.bootstrapServers`. When the listener expects TLS, name a PLAINTEXT listener.",
	"ClusterReplaced":       "Correct `spec.bootstrapServers`, if they should lead to the old cluster. Set `spec.clusterID` to the id in the message, if you replaced the cluster on purpose.",
	"NotAuthorized":         "Grant the operator's principal the right that the message speaks of; see the permissions in [KafkaCluster](kafkacluster.md#permissions-in-kafka).",

	// Of the support of dedup windows.
	"Supported":        nothingToDo,
	"BrokerTooOld":     "Upgrade the brokers that the message names to a Kafka that has KIP-1269. No release up to 4.4 has it.",
	"ControllerTooOld": "Upgrade the controllers and every broker to a Kafka that has KIP-1269. No release up to 4.4 has it: use the topic without the window until then.",
	"SupportUnknown":   "Do what the message says: start or unregister the broker that it names, or grant the right to ask. If the right is there, see whether a `create.topic.policy` refuses the [trial topic](kafkacluster.md#permissions-in-kafka).",

	// Of a topic's dedup window.
	"Effective":       nothingToDo,
	"Applied":         "Wait. If it stays, start the brokers that the message names, or bring back the leaders of the partitions.",
	"Degraded":        "Upgrade the brokers or controllers that the message names, as in `BrokerTooOld`. Until then, let producers keep at most 5 batches in flight.",
	"Drifted":         "Read the rest of the message: it says what keeps the window from being set again. Remove that. If somebody else changes the window, stop them or change `spec.dedupWindow`.",
	"LoweringHeld":    "Restart the producers with at most as many requests in flight as the smaller window has, before the time in the message. Raise `spec.dedupWindow.batchesToRetain` again to call it off.",
	"Lowered":         nothingToDo,
	"RefusedByPolicy": "Ask for what the policy allows, or ask the administrators of the Kafka cluster to change it.",
	"WindowRefused":   "Correct `spec.dedupWindow.batchesToRetain` as the message says.",

	// Of a Topic.
	"Synced":                   nothingToDo,
	"Progressing":              "Wait some seconds. If it stays, see whether the brokers follow their controller.",
	"ClusterNotFound":          "Create the KafkaCluster. Or delete the Topic and create it with the right `spec.clusterRef`, which can't be changed.",
	"ClusterNotReady":          "Wait some seconds. If it stays, see the KafkaCluster's conditions, and whether the operator runs.",
	"NamespaceNotAllowed":      "Ask the owner of the KafkaCluster for a rule in its `spec.access` that names your namespace. Or create a KafkaCluster in your namespace. Check the name in `spec.clusterRef`, too: the same is said when there is no such KafkaCluster.",
	"TopicNotAllowed":          "Ask the owner of the KafkaCluster for a rule that covers the topic's name, or create a Topic with a name that is covered.",
	"ConfigRejected":           "Correct or remove each key that the message names. When the broker's words are about authorization, grant AlterConfigs on the topic instead.",
	"PartitionDecreaseRefused": "Set `spec.partitions` to at least `status.partitions`, or remove it.",
	"ReplicationFactorDiffers": "Reassign the partitions with `kafka-reassign-partitions.sh`, or set `spec.replicationFactor` to what the topic has, or remove it.",
	"InsufficientBrokers":      "Start brokers, or lower `spec.replicationFactor`. The topic is created as soon as there are enough brokers.",
	"OwnedByAnotherTopic":      "Delete one of the two Topics. When the older one goes, this one takes over.",
	"InvalidTopicName":         "Delete the Topic and create one whose name Kafka allows, and which differs from all other topics in more than `.` and `_`.",
	"TopicReplaced":            "Find out who did it. To have the new topic managed, set the annotation that the message names. To keep away from it, delete the Topic.",
	"TopicVanished":            "Find out who deleted it. To have the topic again, empty, delete the Topic and apply it anew. If others create it again, the reason becomes `TopicReplaced`.",
	"RefusedByBroker":          "Do what the message says.",
	"DeletionBlocked":          "Remove what stands in the way before the time in the message, after which the topic is kept. To keep it at once, set `spec.deletionPolicy` to `Retain`.",
	"WindowRequired":           "See `DedupWindowEffective` and the remedy of its reason. Or set `spec.dedupWindow.requirement` to `Preferred`.",
	"Deleting":                 "Wait some seconds.",
	"TopicOrphaned":            "Delete the topic with `kafka-topics.sh`, or create a Topic for it again, which adopts it.",
}
