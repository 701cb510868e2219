package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KafkaCluster says how to reach a Kafka cluster and which namespaces may manage topics of it, and
// shows what the cluster is able to do. Topics refer to it with spec.clusterRef; the operator keeps
// one connection pool for each KafkaCluster. Its status follows kstatus: wait for it with
// `kubectl wait --for=condition=Ready kafkaclusters.kafka-dedup.dev/NAME`.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=kafkaclusters,shortName=kdc,categories=kafka-dedup
// +kubebuilder:printcolumn:name="Cluster-ID",type=string,JSONPath=`.status.clusterID`
// +kubebuilder:printcolumn:name="Brokers",type=integer,JSONPath=`.status.brokerCount`
// +kubebuilder:printcolumn:name="Window-Support",type=string,JSONPath=`.status.conditions[?(@.type=="DedupWindowSupported")].status`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type KafkaCluster struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says how to reach the Kafka cluster and who may use it.
	// +required
	Spec KafkaClusterSpec `json:"spec,omitzero"`

	// status is what the operator last saw of the Kafka cluster.
	// +default={"observedGeneration":-1}
	// +optional
	Status KafkaClusterStatus `json:"status,omitzero"`
}

// KafkaClusterSpec says how to reach a Kafka cluster and who may use it.
type KafkaClusterSpec struct {
	// bootstrapServers are the addresses that the operator asks first for the brokers of the
	// cluster, each "host:port", for example "kafka-0.kafka.svc:9092" or "[2001:db8::1]:9092". One
	// that answers is enough; name several, so that the operator finds the cluster while a broker is
	// down. All of them must belong to the same Kafka cluster. 1 to 16 addresses.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=261
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^([a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?|[[][0-9a-fA-F:.]+(%[a-zA-Z0-9._-]+)?[]]):([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$')",message="must be host:port without a scheme, for example kafka-0.kafka.svc:9092 or [2001:db8::1]:9092, with a port from 1 to 65535"
	BootstrapServers []string `json:"bootstrapServers,omitempty"`

	// clusterID is the id that Kafka gave the cluster when it was formatted, as `kafka-cluster.sh
	// cluster-id` prints it. When it is set, the operator refuses to work with any other cluster
	// that answers at the bootstrap servers. When it is omitted, the first id seen is remembered in
	// status.clusterID and holds from then on. After you replaced the cluster on purpose, put the new
	// id here: until then the KafkaCluster is Stalled with reason ClusterReplaced and nothing is
	// written.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_-]+$')",message="must be the id of a Kafka cluster as kafka-cluster.sh cluster-id prints it: letters, digits, '_' and '-'"
	ClusterID string `json:"clusterID,omitempty"`

	// access lists the other namespaces whose Topics may use this cluster, and for which Kafka
	// topics. Without access only Topics in the KafkaCluster's own namespace may use it. The own
	// namespace needs no rule: it may always manage every topic. A Topic is allowed when any one
	// rule names both its namespace and its Kafka topic. At most 64 rules.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Access []AccessRule `json:"access,omitempty"`

	// pollIntervalSeconds is how often the operator looks for changes in the Kafka cluster that
	// were not made by itself: a topic deleted or changed with other tools, a broker added, upgraded
	// or rolled back. A change of a Kubernetes resource is
	// acted on at once and doesn't wait for it. Default 30, from 1 to 3600.
	// +optional
	// +default=30
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	PollIntervalSeconds int32 `json:"pollIntervalSeconds,omitempty"`
}

// AccessRule lets the Topics of some namespaces manage some Kafka topics.
type AccessRule struct {
	// namespaces are the names of the namespaces that this rule is for, each written out in full.
	// 1 to 64 names.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be the name of a namespace written out in full, without wildcards: lower-case letters, digits and '-'"
	Namespaces []string `json:"namespaces,omitempty"`

	// topics are the Kafka topics that these namespaces may manage: names, or prefixes that end with
	// "*", as in Kafka's ACLs; "payments.*" allows payments.orders. Omit it to allow all topics. An
	// empty list is refused, because it could be read as "none" as well as "all". At most 64 entries.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=249
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-zA-Z0-9._-]*[*]?$')",message="must be the name of a Kafka topic, or a prefix with one '*' at its end; other wildcards are not supported"
	Topics []string `json:"topics,omitempty"`
}

// KafkaClusterStatus is what the operator last saw of a Kafka cluster.
type KafkaClusterStatus struct {
	// conditions say how the cluster is doing: Ready (it answers and may be managed),
	// DedupWindowSupported (every broker and the controller know the dedup window), and, only while
	// they are true, Reconciling and Stalled (it won't get better until you change something).
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status speaks of; −1 until the
	// operator has seen the resource for the first time.
	// +optional
	// +default=-1
	// +kubebuilder:validation:Minimum=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// clusterID is the id that Kafka gave the cluster, as last confirmed. It is pinned: a cluster with
	// another id behind the same addresses isn't touched until spec.clusterID names that id.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	ClusterID string `json:"clusterID,omitempty"`

	// brokerCount is the number of registered brokers, fenced ones included; it can be larger than the
	// number of entries in brokers, which ends at 256.
	// +optional
	// +kubebuilder:validation:Minimum=0
	BrokerCount *int32 `json:"brokerCount,omitempty"`

	// brokers are the registered brokers, fenced ones included, by id; the first 256 of them.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=256
	Brokers []BrokerStatus `json:"brokers,omitempty"`

	// controllerDedupWindow says whether the active controller accepts the topic config
	// producer.state.batches.to.retain. While it doesn't, it would refuse every topic that sets it.
	// +optional
	ControllerDedupWindow DedupWindowSupport `json:"controllerDedupWindow,omitempty"`
}

// BrokerStatus is what the operator last saw of one broker.
type BrokerStatus struct {
	// id is the broker's node.id.
	// +required
	// +kubebuilder:validation:Minimum=0
	ID int32 `json:"id"`

	// address is the "host:port" at which the broker asks clients to reach it (advertised.listeners).
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=261
	Address string `json:"address,omitempty"`

	// rack is the broker's broker.rack; absent if it has none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Rack string `json:"rack,omitempty"`

	// state is Active (it answers), Fenced (registered with the controller, but not serving: start or
	// unregister it) or Unreachable (the operator can't connect to it).
	// +optional
	State BrokerState `json:"state,omitempty"`

	// minimumProduceVersion is the lowest version of the Produce request that the broker accepts;
	// absent while it is unknown.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MinimumProduceVersion *int32 `json:"minimumProduceVersion,omitempty"`

	// maximumProduceVersion is the highest version of the Produce request that the broker accepts;
	// absent while it is unknown. The dedup window needs 14: with less, producers don't learn of it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaximumProduceVersion *int32 `json:"maximumProduceVersion,omitempty"`

	// dedupWindow says whether the broker honours a dedup window other than Kafka's fixed 5 batches
	// (KIP-1269). Unknown means that the broker couldn't be asked or may not be asked; it never
	// counts as Supported.
	// +optional
	DedupWindow DedupWindowSupport `json:"dedupWindow,omitempty"`

	// defaultBatchesToRetain is the window that the broker uses for topics that don't set one
	// (log.producer.state.batches.to.retain); absent where Kafka doesn't have it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DefaultBatchesToRetain *int32 `json:"defaultBatchesToRetain,omitempty"`
}

// BrokerState says whether a broker takes part in its cluster.
// +kubebuilder:validation:Enum=Active;Fenced;Unreachable
type BrokerState string

const (
	// BrokerActive means that the broker answers.
	BrokerActive BrokerState = "Active"
	// BrokerFenced means that the broker is registered, but that the controller keeps it out of service.
	BrokerFenced BrokerState = "Fenced"
	// BrokerUnreachable means that the broker is part of the cluster, but that the operator can't connect to it.
	BrokerUnreachable BrokerState = "Unreachable"
)

// DedupWindowSupport says whether a broker or controller has the dedup window of KIP-1269.
// +kubebuilder:validation:Enum=Supported;Unsupported;Unknown
type DedupWindowSupport string

const (
	// WindowSupported means that it knows the dedup window and honours it.
	WindowSupported DedupWindowSupport = "Supported"
	// WindowUnsupported means that it answered, and doesn't know the dedup window.
	WindowUnsupported DedupWindowSupport = "Unsupported"
	// WindowSupportUnknown means that it couldn't be asked; it never counts as supported.
	WindowSupportUnknown DedupWindowSupport = "Unknown"
)

// KafkaClusterList is a list of KafkaClusters.
//
// +kubebuilder:object:root=true
type KafkaClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KafkaCluster `json:"items"`
}
