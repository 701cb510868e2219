package protocol

import "strconv"

// ErrorCode is what a broker says about a request or a part of it; CodeNone is success.
type ErrorCode int16

// All codes of Kafka 4.4, from org.apache.kafka.common.protocol.Errors.
const (
	CodeUnknownServerError                     ErrorCode = -1
	CodeNone                                   ErrorCode = 0
	CodeOffsetOutOfRange                       ErrorCode = 1
	CodeCorruptMessage                         ErrorCode = 2
	CodeUnknownTopicOrPartition                ErrorCode = 3
	CodeInvalidFetchSize                       ErrorCode = 4
	CodeLeaderNotAvailable                     ErrorCode = 5
	CodeNotLeaderOrFollower                    ErrorCode = 6
	CodeRequestTimedOut                        ErrorCode = 7
	CodeBrokerNotAvailable                     ErrorCode = 8
	CodeReplicaNotAvailable                    ErrorCode = 9
	CodeMessageTooLarge                        ErrorCode = 10
	CodeStaleControllerEpoch                   ErrorCode = 11
	CodeOffsetMetadataTooLarge                 ErrorCode = 12
	CodeNetworkException                       ErrorCode = 13
	CodeCoordinatorLoadInProgress              ErrorCode = 14
	CodeCoordinatorNotAvailable                ErrorCode = 15
	CodeNotCoordinator                         ErrorCode = 16
	CodeInvalidTopicException                  ErrorCode = 17
	CodeRecordListTooLarge                     ErrorCode = 18
	CodeNotEnoughReplicas                      ErrorCode = 19
	CodeNotEnoughReplicasAfterAppend           ErrorCode = 20
	CodeInvalidRequiredAcks                    ErrorCode = 21
	CodeIllegalGeneration                      ErrorCode = 22
	CodeInconsistentGroupProtocol              ErrorCode = 23
	CodeInvalidGroupID                         ErrorCode = 24
	CodeUnknownMemberID                        ErrorCode = 25
	CodeInvalidSessionTimeout                  ErrorCode = 26
	CodeRebalanceInProgress                    ErrorCode = 27
	CodeInvalidCommitOffsetSize                ErrorCode = 28
	CodeTopicAuthorizationFailed               ErrorCode = 29
	CodeGroupAuthorizationFailed               ErrorCode = 30
	CodeClusterAuthorizationFailed             ErrorCode = 31
	CodeInvalidTimestamp                       ErrorCode = 32
	CodeUnsupportedSASLMechanism               ErrorCode = 33
	CodeIllegalSASLState                       ErrorCode = 34
	CodeUnsupportedVersion                     ErrorCode = 35
	CodeTopicAlreadyExists                     ErrorCode = 36
	CodeInvalidPartitions                      ErrorCode = 37
	CodeInvalidReplicationFactor               ErrorCode = 38
	CodeInvalidReplicaAssignment               ErrorCode = 39
	CodeInvalidConfig                          ErrorCode = 40
	CodeNotController                          ErrorCode = 41
	CodeInvalidRequest                         ErrorCode = 42
	CodeUnsupportedForMessageFormat            ErrorCode = 43
	CodePolicyViolation                        ErrorCode = 44
	CodeOutOfOrderSequenceNumber               ErrorCode = 45
	CodeDuplicateSequenceNumber                ErrorCode = 46
	CodeInvalidProducerEpoch                   ErrorCode = 47
	CodeInvalidTxnState                        ErrorCode = 48
	CodeInvalidProducerIDMapping               ErrorCode = 49
	CodeInvalidTransactionTimeout              ErrorCode = 50
	CodeConcurrentTransactions                 ErrorCode = 51
	CodeTransactionCoordinatorFenced           ErrorCode = 52
	CodeTransactionalIDAuthorizationFailed     ErrorCode = 53
	CodeSecurityDisabled                       ErrorCode = 54
	CodeOperationNotAttempted                  ErrorCode = 55
	CodeKafkaStorageError                      ErrorCode = 56
	CodeLogDirNotFound                         ErrorCode = 57
	CodeSASLAuthenticationFailed               ErrorCode = 58
	CodeUnknownProducerID                      ErrorCode = 59
	CodeReassignmentInProgress                 ErrorCode = 60
	CodeDelegationTokenAuthDisabled            ErrorCode = 61
	CodeDelegationTokenNotFound                ErrorCode = 62
	CodeDelegationTokenOwnerMismatch           ErrorCode = 63
	CodeDelegationTokenRequestNotAllowed       ErrorCode = 64
	CodeDelegationTokenAuthorizationFailed     ErrorCode = 65
	CodeDelegationTokenExpired                 ErrorCode = 66
	CodeInvalidPrincipalType                   ErrorCode = 67
	CodeNonEmptyGroup                          ErrorCode = 68
	CodeGroupIDNotFound                        ErrorCode = 69
	CodeFetchSessionIDNotFound                 ErrorCode = 70
	CodeInvalidFetchSessionEpoch               ErrorCode = 71
	CodeListenerNotFound                       ErrorCode = 72
	CodeTopicDeletionDisabled                  ErrorCode = 73
	CodeFencedLeaderEpoch                      ErrorCode = 74
	CodeUnknownLeaderEpoch                     ErrorCode = 75
	CodeUnsupportedCompressionType             ErrorCode = 76
	CodeStaleBrokerEpoch                       ErrorCode = 77
	CodeOffsetNotAvailable                     ErrorCode = 78
	CodeMemberIDRequired                       ErrorCode = 79
	CodePreferredLeaderNotAvailable            ErrorCode = 80
	CodeGroupMaxSizeReached                    ErrorCode = 81
	CodeFencedInstanceID                       ErrorCode = 82
	CodeEligibleLeadersNotAvailable            ErrorCode = 83
	CodeElectionNotNeeded                      ErrorCode = 84
	CodeNoReassignmentInProgress               ErrorCode = 85
	CodeGroupSubscribedToTopic                 ErrorCode = 86
	CodeInvalidRecord                          ErrorCode = 87
	CodeUnstableOffsetCommit                   ErrorCode = 88
	CodeThrottlingQuotaExceeded                ErrorCode = 89
	CodeProducerFenced                         ErrorCode = 90
	CodeResourceNotFound                       ErrorCode = 91
	CodeDuplicateResource                      ErrorCode = 92
	CodeUnacceptableCredential                 ErrorCode = 93
	CodeInconsistentVoterSet                   ErrorCode = 94
	CodeInvalidUpdateVersion                   ErrorCode = 95
	CodeFeatureUpdateFailed                    ErrorCode = 96
	CodePrincipalDeserializationFailure        ErrorCode = 97
	CodeSnapshotNotFound                       ErrorCode = 98
	CodePositionOutOfRange                     ErrorCode = 99
	CodeUnknownTopicID                         ErrorCode = 100
	CodeDuplicateBrokerRegistration            ErrorCode = 101
	CodeBrokerIDNotRegistered                  ErrorCode = 102
	CodeInconsistentTopicID                    ErrorCode = 103
	CodeInconsistentClusterID                  ErrorCode = 104
	CodeTransactionalIDNotFound                ErrorCode = 105
	CodeFetchSessionTopicIDError               ErrorCode = 106
	CodeIneligibleReplica                      ErrorCode = 107
	CodeNewLeaderElected                       ErrorCode = 108
	CodeOffsetMovedToTieredStorage             ErrorCode = 109
	CodeFencedMemberEpoch                      ErrorCode = 110
	CodeUnreleasedInstanceID                   ErrorCode = 111
	CodeUnsupportedAssignor                    ErrorCode = 112
	CodeStaleMemberEpoch                       ErrorCode = 113
	CodeMismatchedEndpointType                 ErrorCode = 114
	CodeUnsupportedEndpointType                ErrorCode = 115
	CodeUnknownControllerID                    ErrorCode = 116
	CodeUnknownSubscriptionID                  ErrorCode = 117
	CodeTelemetryTooLarge                      ErrorCode = 118
	CodeInvalidRegistration                    ErrorCode = 119
	CodeTransactionAbortable                   ErrorCode = 120
	CodeInvalidRecordState                     ErrorCode = 121
	CodeShareSessionNotFound                   ErrorCode = 122
	CodeInvalidShareSessionEpoch               ErrorCode = 123
	CodeFencedStateEpoch                       ErrorCode = 124
	CodeInvalidVoterKey                        ErrorCode = 125
	CodeDuplicateVoter                         ErrorCode = 126
	CodeVoterNotFound                          ErrorCode = 127
	CodeInvalidRegularExpression               ErrorCode = 128
	CodeRebootstrapRequired                    ErrorCode = 129
	CodeStreamsInvalidTopology                 ErrorCode = 130
	CodeStreamsInvalidTopologyEpoch            ErrorCode = 131
	CodeStreamsTopologyFenced                  ErrorCode = 132
	CodeShareSessionLimitReached               ErrorCode = 133
	CodeGroupDeletionFailed                    ErrorCode = 134
	CodeStreamsTopologyDescriptionUpdateFailed ErrorCode = 135
	CodeControllerIDNotRegistered              ErrorCode = 136
)

// String is Kafka's name for the code, such as INVALID_CONFIG, or the number of one that is newer than this package.
func (c ErrorCode) String() string {
	if name, ok := errorNames[c]; ok {
		return name
	}
	return "ERROR_CODE_" + strconv.Itoa(int(c))
}

var errorNames = map[ErrorCode]string{
	CodeUnknownServerError:                     "UNKNOWN_SERVER_ERROR",
	CodeNone:                                   "NONE",
	CodeOffsetOutOfRange:                       "OFFSET_OUT_OF_RANGE",
	CodeCorruptMessage:                         "CORRUPT_MESSAGE",
	CodeUnknownTopicOrPartition:                "UNKNOWN_TOPIC_OR_PARTITION",
	CodeInvalidFetchSize:                       "INVALID_FETCH_SIZE",
	CodeLeaderNotAvailable:                     "LEADER_NOT_AVAILABLE",
	CodeNotLeaderOrFollower:                    "NOT_LEADER_OR_FOLLOWER",
	CodeRequestTimedOut:                        "REQUEST_TIMED_OUT",
	CodeBrokerNotAvailable:                     "BROKER_NOT_AVAILABLE",
	CodeReplicaNotAvailable:                    "REPLICA_NOT_AVAILABLE",
	CodeMessageTooLarge:                        "MESSAGE_TOO_LARGE",
	CodeStaleControllerEpoch:                   "STALE_CONTROLLER_EPOCH",
	CodeOffsetMetadataTooLarge:                 "OFFSET_METADATA_TOO_LARGE",
	CodeNetworkException:                       "NETWORK_EXCEPTION",
	CodeCoordinatorLoadInProgress:              "COORDINATOR_LOAD_IN_PROGRESS",
	CodeCoordinatorNotAvailable:                "COORDINATOR_NOT_AVAILABLE",
	CodeNotCoordinator:                         "NOT_COORDINATOR",
	CodeInvalidTopicException:                  "INVALID_TOPIC_EXCEPTION",
	CodeRecordListTooLarge:                     "RECORD_LIST_TOO_LARGE",
	CodeNotEnoughReplicas:                      "NOT_ENOUGH_REPLICAS",
	CodeNotEnoughReplicasAfterAppend:           "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
	CodeInvalidRequiredAcks:                    "INVALID_REQUIRED_ACKS",
	CodeIllegalGeneration:                      "ILLEGAL_GENERATION",
	CodeInconsistentGroupProtocol:              "INCONSISTENT_GROUP_PROTOCOL",
	CodeInvalidGroupID:                         "INVALID_GROUP_ID",
	CodeUnknownMemberID:                        "UNKNOWN_MEMBER_ID",
	CodeInvalidSessionTimeout:                  "INVALID_SESSION_TIMEOUT",
	CodeRebalanceInProgress:                    "REBALANCE_IN_PROGRESS",
	CodeInvalidCommitOffsetSize:                "INVALID_COMMIT_OFFSET_SIZE",
	CodeTopicAuthorizationFailed:               "TOPIC_AUTHORIZATION_FAILED",
	CodeGroupAuthorizationFailed:               "GROUP_AUTHORIZATION_FAILED",
	CodeClusterAuthorizationFailed:             "CLUSTER_AUTHORIZATION_FAILED",
	CodeInvalidTimestamp:                       "INVALID_TIMESTAMP",
	CodeUnsupportedSASLMechanism:               "UNSUPPORTED_SASL_MECHANISM",
	CodeIllegalSASLState:                       "ILLEGAL_SASL_STATE",
	CodeUnsupportedVersion:                     "UNSUPPORTED_VERSION",
	CodeTopicAlreadyExists:                     "TOPIC_ALREADY_EXISTS",
	CodeInvalidPartitions:                      "INVALID_PARTITIONS",
	CodeInvalidReplicationFactor:               "INVALID_REPLICATION_FACTOR",
	CodeInvalidReplicaAssignment:               "INVALID_REPLICA_ASSIGNMENT",
	CodeInvalidConfig:                          "INVALID_CONFIG",
	CodeNotController:                          "NOT_CONTROLLER",
	CodeInvalidRequest:                         "INVALID_REQUEST",
	CodeUnsupportedForMessageFormat:            "UNSUPPORTED_FOR_MESSAGE_FORMAT",
	CodePolicyViolation:                        "POLICY_VIOLATION",
	CodeOutOfOrderSequenceNumber:               "OUT_OF_ORDER_SEQUENCE_NUMBER",
	CodeDuplicateSequenceNumber:                "DUPLICATE_SEQUENCE_NUMBER",
	CodeInvalidProducerEpoch:                   "INVALID_PRODUCER_EPOCH",
	CodeInvalidTxnState:                        "INVALID_TXN_STATE",
	CodeInvalidProducerIDMapping:               "INVALID_PRODUCER_ID_MAPPING",
	CodeInvalidTransactionTimeout:              "INVALID_TRANSACTION_TIMEOUT",
	CodeConcurrentTransactions:                 "CONCURRENT_TRANSACTIONS",
	CodeTransactionCoordinatorFenced:           "TRANSACTION_COORDINATOR_FENCED",
	CodeTransactionalIDAuthorizationFailed:     "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
	CodeSecurityDisabled:                       "SECURITY_DISABLED",
	CodeOperationNotAttempted:                  "OPERATION_NOT_ATTEMPTED",
	CodeKafkaStorageError:                      "KAFKA_STORAGE_ERROR",
	CodeLogDirNotFound:                         "LOG_DIR_NOT_FOUND",
	CodeSASLAuthenticationFailed:               "SASL_AUTHENTICATION_FAILED",
	CodeUnknownProducerID:                      "UNKNOWN_PRODUCER_ID",
	CodeReassignmentInProgress:                 "REASSIGNMENT_IN_PROGRESS",
	CodeDelegationTokenAuthDisabled:            "DELEGATION_TOKEN_AUTH_DISABLED",
	CodeDelegationTokenNotFound:                "DELEGATION_TOKEN_NOT_FOUND",
	CodeDelegationTokenOwnerMismatch:           "DELEGATION_TOKEN_OWNER_MISMATCH",
	CodeDelegationTokenRequestNotAllowed:       "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED",
	CodeDelegationTokenAuthorizationFailed:     "DELEGATION_TOKEN_AUTHORIZATION_FAILED",
	CodeDelegationTokenExpired:                 "DELEGATION_TOKEN_EXPIRED",
	CodeInvalidPrincipalType:                   "INVALID_PRINCIPAL_TYPE",
	CodeNonEmptyGroup:                          "NON_EMPTY_GROUP",
	CodeGroupIDNotFound:                        "GROUP_ID_NOT_FOUND",
	CodeFetchSessionIDNotFound:                 "FETCH_SESSION_ID_NOT_FOUND",
	CodeInvalidFetchSessionEpoch:               "INVALID_FETCH_SESSION_EPOCH",
	CodeListenerNotFound:                       "LISTENER_NOT_FOUND",
	CodeTopicDeletionDisabled:                  "TOPIC_DELETION_DISABLED",
	CodeFencedLeaderEpoch:                      "FENCED_LEADER_EPOCH",
	CodeUnknownLeaderEpoch:                     "UNKNOWN_LEADER_EPOCH",
	CodeUnsupportedCompressionType:             "UNSUPPORTED_COMPRESSION_TYPE",
	CodeStaleBrokerEpoch:                       "STALE_BROKER_EPOCH",
	CodeOffsetNotAvailable:                     "OFFSET_NOT_AVAILABLE",
	CodeMemberIDRequired:                       "MEMBER_ID_REQUIRED",
	CodePreferredLeaderNotAvailable:            "PREFERRED_LEADER_NOT_AVAILABLE",
	CodeGroupMaxSizeReached:                    "GROUP_MAX_SIZE_REACHED",
	CodeFencedInstanceID:                       "FENCED_INSTANCE_ID",
	CodeEligibleLeadersNotAvailable:            "ELIGIBLE_LEADERS_NOT_AVAILABLE",
	CodeElectionNotNeeded:                      "ELECTION_NOT_NEEDED",
	CodeNoReassignmentInProgress:               "NO_REASSIGNMENT_IN_PROGRESS",
	CodeGroupSubscribedToTopic:                 "GROUP_SUBSCRIBED_TO_TOPIC",
	CodeInvalidRecord:                          "INVALID_RECORD",
	CodeUnstableOffsetCommit:                   "UNSTABLE_OFFSET_COMMIT",
	CodeThrottlingQuotaExceeded:                "THROTTLING_QUOTA_EXCEEDED",
	CodeProducerFenced:                         "PRODUCER_FENCED",
	CodeResourceNotFound:                       "RESOURCE_NOT_FOUND",
	CodeDuplicateResource:                      "DUPLICATE_RESOURCE",
	CodeUnacceptableCredential:                 "UNACCEPTABLE_CREDENTIAL",
	CodeInconsistentVoterSet:                   "INCONSISTENT_VOTER_SET",
	CodeInvalidUpdateVersion:                   "INVALID_UPDATE_VERSION",
	CodeFeatureUpdateFailed:                    "FEATURE_UPDATE_FAILED",
	CodePrincipalDeserializationFailure:        "PRINCIPAL_DESERIALIZATION_FAILURE",
	CodeSnapshotNotFound:                       "SNAPSHOT_NOT_FOUND",
	CodePositionOutOfRange:                     "POSITION_OUT_OF_RANGE",
	CodeUnknownTopicID:                         "UNKNOWN_TOPIC_ID",
	CodeDuplicateBrokerRegistration:            "DUPLICATE_BROKER_REGISTRATION",
	CodeBrokerIDNotRegistered:                  "BROKER_ID_NOT_REGISTERED",
	CodeInconsistentTopicID:                    "INCONSISTENT_TOPIC_ID",
	CodeInconsistentClusterID:                  "INCONSISTENT_CLUSTER_ID",
	CodeTransactionalIDNotFound:                "TRANSACTIONAL_ID_NOT_FOUND",
	CodeFetchSessionTopicIDError:               "FETCH_SESSION_TOPIC_ID_ERROR",
	CodeIneligibleReplica:                      "INELIGIBLE_REPLICA",
	CodeNewLeaderElected:                       "NEW_LEADER_ELECTED",
	CodeOffsetMovedToTieredStorage:             "OFFSET_MOVED_TO_TIERED_STORAGE",
	CodeFencedMemberEpoch:                      "FENCED_MEMBER_EPOCH",
	CodeUnreleasedInstanceID:                   "UNRELEASED_INSTANCE_ID",
	CodeUnsupportedAssignor:                    "UNSUPPORTED_ASSIGNOR",
	CodeStaleMemberEpoch:                       "STALE_MEMBER_EPOCH",
	CodeMismatchedEndpointType:                 "MISMATCHED_ENDPOINT_TYPE",
	CodeUnsupportedEndpointType:                "UNSUPPORTED_ENDPOINT_TYPE",
	CodeUnknownControllerID:                    "UNKNOWN_CONTROLLER_ID",
	CodeUnknownSubscriptionID:                  "UNKNOWN_SUBSCRIPTION_ID",
	CodeTelemetryTooLarge:                      "TELEMETRY_TOO_LARGE",
	CodeInvalidRegistration:                    "INVALID_REGISTRATION",
	CodeTransactionAbortable:                   "TRANSACTION_ABORTABLE",
	CodeInvalidRecordState:                     "INVALID_RECORD_STATE",
	CodeShareSessionNotFound:                   "SHARE_SESSION_NOT_FOUND",
	CodeInvalidShareSessionEpoch:               "INVALID_SHARE_SESSION_EPOCH",
	CodeFencedStateEpoch:                       "FENCED_STATE_EPOCH",
	CodeInvalidVoterKey:                        "INVALID_VOTER_KEY",
	CodeDuplicateVoter:                         "DUPLICATE_VOTER",
	CodeVoterNotFound:                          "VOTER_NOT_FOUND",
	CodeInvalidRegularExpression:               "INVALID_REGULAR_EXPRESSION",
	CodeRebootstrapRequired:                    "REBOOTSTRAP_REQUIRED",
	CodeStreamsInvalidTopology:                 "STREAMS_INVALID_TOPOLOGY",
	CodeStreamsInvalidTopologyEpoch:            "STREAMS_INVALID_TOPOLOGY_EPOCH",
	CodeStreamsTopologyFenced:                  "STREAMS_TOPOLOGY_FENCED",
	CodeShareSessionLimitReached:               "SHARE_SESSION_LIMIT_REACHED",
	CodeGroupDeletionFailed:                    "GROUP_DELETION_FAILED",
	CodeStreamsTopologyDescriptionUpdateFailed: "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED",
	CodeControllerIDNotRegistered:              "CONTROLLER_ID_NOT_REGISTERED",
}
