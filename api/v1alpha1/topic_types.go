package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AcceptTopicIDAnnotation on a Topic accepts a Kafka topic that was deleted and created again outside
// of the operator: its value is the new topic's id, as the message of reason TopicReplaced names it.
const AcceptTopicIDAnnotation = "kafka-dedup.dev/accept-topic-id"

// TopicFinalizer keeps a Topic with deletionPolicy Delete until its Kafka topic is gone. A Topic with
// deletionPolicy Retain doesn't carry it.
const TopicFinalizer = "kafka-dedup.dev/topic"

// Topic asks for one topic of a Kafka cluster: its partitions, replication factor, configs, and the
// dedup window of its idempotent producers. A topic that exists already is adopted as it is. Its
// status follows kstatus: wait for it with
// `kubectl wait --for=condition=Ready topics.kafka-dedup.dev/NAME`.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=topics,shortName=kdt,categories=kafka-dedup
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.clusterRef.name`
// +kubebuilder:printcolumn:name="Topic",type=string,JSONPath=`.status.topicName`
// +kubebuilder:printcolumn:name="Partitions",type=integer,JSONPath=`.status.partitions`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.status.replicationFactor`
// +kubebuilder:printcolumn:name="Window",type=integer,JSONPath=`.status.dedupWindow.desired`
// +kubebuilder:printcolumn:name="Window-State",type=string,JSONPath=`.status.dedupWindow.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="(has(self.spec.topicName) ? self.spec.topicName : self.metadata.name) == (has(oldSelf.spec.topicName) ? oldSelf.spec.topicName : oldSelf.metadata.name)",fieldPath=".spec.topicName",message="is immutable, because Kafka can't rename a topic: create another Topic with the new name, and delete this one when its data is no longer needed"
// +kubebuilder:validation:XValidation:rule="has(self.spec.topicName) || size(self.metadata.name) <= 249",fieldPath=".spec.topicName",message="is required when metadata.name is longer than 249 characters, the longest name that Kafka allows for a topic"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.partitions) || (has(oldSelf.spec.partitions) && oldSelf.spec.partitions == self.spec.partitions) || !has(self.status) || !has(self.status.partitions) || self.spec.partitions >= self.status.partitions",fieldPath=".spec.partitions",message="can't be decreased below status.partitions, because Kafka can't remove partitions from a topic: keep the number or raise it, or create another topic and move the data"
type Topic struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the topic as it should be.
	// +required
	Spec TopicSpec `json:"spec,omitzero"`

	// status is the topic as the operator last saw it.
	// +default={"observedGeneration":-1}
	// +optional
	Status TopicStatus `json:"status,omitzero"`
}

// TopicSpec is a Kafka topic as it should be.
type TopicSpec struct {
	// clusterRef names the KafkaCluster that the topic belongs to. It can't be changed: to move to
	// another cluster, create another Topic there.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="is immutable, because a topic can't move between Kafka clusters: create another Topic for the other cluster"
	ClusterRef ClusterReference `json:"clusterRef,omitzero"`

	// topicName is the name of the topic in Kafka; metadata.name if it is omitted. Set it when the
	// name can't be that of a Kubernetes resource: Kafka allows upper-case letters and "_". 1 to 249
	// ASCII letters, digits, ".", "_" and "-", but not "." or ".."; names that begin with "__" are
	// reserved for topics that Kafka itself manages. It can't be changed.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=249
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9._-]*$')",message="must consist of ASCII letters, digits, '.', '_' and '-': Kafka allows no other characters"
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="can't be '.' or '..': choose another name, Kafka refuses these"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('__')",message="can't begin with '__': such topics belong to Kafka itself, which creates and configures them; choose another name, or set their properties on the brokers"
	TopicName string `json:"topicName,omitempty"`

	// partitions is the number of partitions. When it is omitted, a new topic gets the broker's
	// num.partitions and the number isn't compared afterwards. It can be raised, which sends records
	// with the same key to other partitions than before; it can't be decreased, because Kafka can't
	// remove partitions. From 1 to 1000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Partitions *int32 `json:"partitions,omitempty"`

	// replicationFactor is the number of replicas of each partition, used when the topic is created;
	// the broker's default.replication.factor if it is omitted. The operator doesn't move replicas of
	// a topic that exists: when its number differs, the Topic says so with reason
	// ReplicationFactorDiffers, and the remedy is a reassignment with Kafka's tools. From 1 to 32767.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32767
	ReplicationFactor *int32 `json:"replicationFactor,omitempty"`

	// config holds topic configs by their Kafka names, for example `retention.ms: 604800000`,
	// `cleanup.policy: [compact, delete]` or `min.insync.replicas: 2`. A value is a string, a number
	// (integers are exact up to 64 bits), a boolean, or a list of these, which Kafka gets separated by
	// commas. The operator sets these keys and keeps them so; a key that you remove here is reset to
	// the broker's default; keys that were never named here are not touched. Empty strings, null and
	// nested values are refused. The dedup window, producer.state.batches.to.retain, is not set here
	// but in spec.dedupWindow.batchesToRetain. At most 128 keys, of 128 characters, with values of
	// 4096 characters.
	// +optional
	Config *TopicConfig `json:"config,omitempty"`

	// ignoredConfigKeys are configs that other tools own, for example
	// `leader.replication.throttled.replicas` during a reassignment: names, or prefixes that end with
	// "*". The operator never sets them, never resets them and never reports them as drift, even when
	// config names them. At most 64 entries.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=249
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-zA-Z0-9._-]*[*]?$')",message="must be the name of a Kafka config, or a prefix with one '*' at its end; other wildcards are not supported"
	IgnoredConfigKeys []string `json:"ignoredConfigKeys,omitempty"`

	// dedupWindow asks for a dedup window other than the broker's default: how many of the most recent
	// batches of each idempotent producer a broker remembers, and so recognises as duplicates when
	// they are sent again. Omit it to leave the window to the broker; a window that this Topic had set
	// before is then taken back to the broker's default.
	// +optional
	DedupWindow *TopicDedupWindow `json:"dedupWindow,omitempty"`

	// deletionPolicy says what happens to the Kafka topic when this resource is deleted. Retain, the
	// default, leaves the topic and its data in Kafka as they are. Delete deletes the topic and all
	// its data.
	// +optional
	// +default="Retain"
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// ClusterReference names a KafkaCluster.
type ClusterReference struct {
	// name is the name of the KafkaCluster.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$')",message="must be the name of a KafkaCluster: lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit"
	Name string `json:"name,omitempty"`

	// namespace is the namespace of the KafkaCluster; the namespace of the referring resource if it is
	// omitted. The KafkaCluster's spec.access must allow the namespace of the referring resource.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$')",message="must be the name of a namespace: lower-case letters, digits and '-', beginning and ending with a letter or digit"
	Namespace string `json:"namespace,omitempty"`
}

// TopicDedupWindow asks for a dedup window.
type TopicDedupWindow struct {
	// batchesToRetain is the dedup window: how many of its most recent batches a broker remembers for
	// each idempotent producer and partition. A batch that is sent again while it is remembered is
	// answered as a duplicate; producers may keep as many batches in flight. It becomes the topic
	// config producer.state.batches.to.retain (KIP-1269). From 5 to 2147483647; when it is omitted, the
	// broker's default holds, which is 5 unless log.producer.state.batches.to.retain says otherwise.
	// Where Kafka doesn't have the config, or not yet on every broker and the controller, the window
	// is held back: status.dedupWindow.state is Held, the condition DedupWindowEffective says what
	// stands in the way, and everything else of the topic is managed all the same. Memory: each
	// remembered batch takes about 44 bytes on every broker with a replica of the partition, for every
	// producer that wrote to it in the last day (producer.id.expiration.ms). A window of 100 with 1000
	// producers that write to 12 partitions comes to some 53 MB. A window larger than what producers
	// keep in flight buys nothing.
	// +optional
	// +kubebuilder:validation:Format=int64
	// +kubebuilder:validation:XValidation:rule="self >= 5 && self <= 2147483647",message="must be from 5 to 2147483647: brokers always remember at least 5 batches, and Kafka stores the number in 32 bits; omit the field to leave the window to the broker"
	BatchesToRetain *int32 `json:"batchesToRetain,omitempty"`

	// requirement says what it means when the window can't be had. Preferred, the default, leaves the
	// Topic Ready, and the condition DedupWindowEffective tells about the window. Required makes the
	// Topic Ready=False and Stalled with reason WindowRequired until the window can be had, so that
	// whoever waits for the Topic knows; the rest of the topic is managed all the same.
	// +optional
	// +default="Preferred"
	Requirement WindowRequirement `json:"requirement,omitempty"`
}

// WindowRequirement says what it means when a dedup window can't be had.
// +kubebuilder:validation:Enum=Preferred;Required
type WindowRequirement string

const (
	// WindowPreferred leaves a Topic Ready while its dedup window can't be had.
	WindowPreferred WindowRequirement = "Preferred"
	// WindowRequired makes a Topic Ready=False and Stalled while its dedup window can't be had.
	WindowRequired WindowRequirement = "Required"
)

// DeletionPolicy says what happens to a Kafka topic when its Topic is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type DeletionPolicy string

const (
	// DeletionPolicyRetain leaves the Kafka topic and its data as they are.
	DeletionPolicyRetain DeletionPolicy = "Retain"
	// DeletionPolicyDelete deletes the Kafka topic and all its data.
	DeletionPolicyDelete DeletionPolicy = "Delete"
)

// TopicStatus is a Kafka topic as the operator last saw it.
type TopicStatus struct {
	// conditions say how the topic is doing: Ready (it is as spec asks), ConfigSynced (its configs
	// are), DedupWindowEffective (its dedup window is; absent while nobody asks for one), and, only
	// while they are true, Reconciling and Stalled (it won't get better until you change something).
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

	// topicName is the name of the topic in Kafka.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	TopicName string `json:"topicName,omitempty"`

	// topicID is the id that Kafka gave the topic when it was created. A topic of the same name with
	// another id is a different topic: it isn't touched until the annotation
	// kafka-dedup.dev/accept-topic-id names its id.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	TopicID string `json:"topicID,omitempty"`

	// partitions is the number of partitions that the topic has.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Partitions *int32 `json:"partitions,omitempty"`

	// replicationFactor is the number of replicas of each partition; the smallest, where they differ.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ReplicationFactor *int32 `json:"replicationFactor,omitempty"`

	// config shows the configs that this Topic manages, with the values that they have in Kafka.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=128
	Config []ConfigStatus `json:"config,omitempty"`

	// unmanagedConfig tells of configs that are set on the topic, but neither by this Topic nor
	// ignored by it. They are left as they are.
	// +optional
	UnmanagedConfig *UnmanagedConfig `json:"unmanagedConfig,omitempty"`

	// dedupWindow tells of the topic's dedup window; absent until it is known.
	// +optional
	DedupWindow *DedupWindowStatus `json:"dedupWindow,omitempty"`
}

// ConfigStatus is one config of a topic as it is in Kafka.
type ConfigStatus struct {
	// name is the config's name in Kafka.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Name string `json:"name,omitempty"`

	// value is the value that it has in Kafka, cut at 256 characters; absent when the broker doesn't
	// show it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value,omitempty"`

	// source is where Kafka has the value from: DynamicTopicConfig is an override of this topic, all
	// others (DynamicBrokerConfig, DynamicDefaultBrokerConfig, StaticBrokerConfig, DefaultConfig) are
	// defaults of the brokers.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Source string `json:"source,omitempty"`

	// rejection is present when the wanted value couldn't be set: the broker's own words, or what is
	// wrong with the value. The other configs are managed all the same.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Rejection string `json:"rejection,omitempty"`
}

// UnmanagedConfig tells of configs that somebody else set on a topic.
type UnmanagedConfig struct {
	// count is the number of such configs; absent when there is none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Count int32 `json:"count,omitempty"`

	// names are their names, the first 64 of them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=249
	Names []string `json:"names,omitempty"`
}

// DedupWindowStatus tells of the dedup window of a topic.
type DedupWindowStatus struct {
	// state is Default (nobody asks for a window and none is set), Held (wanted, but not allowed now:
	// the condition DedupWindowEffective names what stands in the way), Applied (set, but not yet seen
	// on every leader), Effective (every partition's leader reports exactly the desired window),
	// Degraded (set, but a broker or the controller no longer honours it) or Drifted (it was set, and
	// is gone or different).
	// +optional
	State DedupWindowState `json:"state,omitempty"`

	// requested is the window that was asked for in spec; absent while nobody asks.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Requested *int32 `json:"requested,omitempty"`

	// desired is the window that the operator works towards: the requested one; absent while nobody
	// asks.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Desired *int32 `json:"desired,omitempty"`

	// applied is the window that this operator last set on the topic; absent if it set none, or took
	// it back.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Applied *int32 `json:"applied,omitempty"`

	// effective is the smallest window that any leader of the topic's partitions reports; absent while
	// it is unknown.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Effective *int32 `json:"effective,omitempty"`

	// loweringRequestedAt is when a smaller window than the applied one was first wanted; absent when
	// the window isn't being lowered.
	// +optional
	LoweringRequestedAt *metav1.Time `json:"loweringRequestedAt,omitempty"`
}

// DedupWindowState says how far a dedup window has come.
// +kubebuilder:validation:Enum=Default;Held;Applied;Effective;Degraded;Drifted
type DedupWindowState string

const (
	// WindowDefault means that nobody asks for a window and that none is set.
	WindowDefault DedupWindowState = "Default"
	// WindowHeld means that a window is wanted, and not allowed now.
	WindowHeld DedupWindowState = "Held"
	// WindowApplied means that the window is set, and not yet seen on every leader.
	WindowApplied DedupWindowState = "Applied"
	// WindowEffective means that every partition's leader reports exactly the desired window.
	WindowEffective DedupWindowState = "Effective"
	// WindowDegraded means that the window is set, and that a broker or the controller no longer honours it.
	WindowDegraded DedupWindowState = "Degraded"
	// WindowDrifted means that the window was set, and is gone or different.
	WindowDrifted DedupWindowState = "Drifted"
)

// TopicList is a list of Topics.
//
// +kubebuilder:object:root=true
type TopicList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Topic `json:"items"`
}
