package kafka

import p "github.com/kafka-dedup/operator/internal/protocol"

// judgement is what one error code asks of whoever meets it.
type judgement struct {
	class  Class
	remedy string
}

// Sentences that several codes share.
const (
	again         = "try again in a moment"
	findLeader    = "look up the partition's leader again and retry"
	findAgain     = "look up the coordinator again and retry"
	report        = "this should not happen: please report it, with the broker's log of that time"
	groups        = "this client does not take part in groups: please report it"
	fetching      = "this client does not fetch records: please report it"
	tokens        = "this client does not use delegation tokens: please report it"
	quorum        = "this is between controllers: see their logs"
	grantTopic    = "grant the operator's principal the right on this topic"
	credentials   = "correct the credentials of the KafkaCluster"
	startProducer = "start the producer's sequence anew with a fresh producer id"
	fencedWriter  = "another producer with the same transactional id has taken over; look at the transaction again"
	look          = "look whether it has happened before trying again"
)

// judgements has every code that Kafka 4.4 knows. A code is judged here and nowhere else.
var judgements = map[p.ErrorCode]judgement{
	p.CodeNone:               {"", "nothing to do"},
	p.CodeUnknownServerError: {Retry, "see the broker's log: it failed inside"},

	// Topics, partitions and their leaders.
	p.CodeUnknownTopicOrPartition:      {Refresh, "the topic does not exist, or the broker has not heard of it yet: check its name"},
	p.CodeUnknownTopicID:               {Refresh, "no topic has this id (any more), or the broker has not heard of it yet"},
	p.CodeInconsistentTopicID:          {Refresh, "the topic was deleted and created again: look at it again"},
	p.CodeLeaderNotAvailable:           {Refresh, "wait for the partition to get a leader: see whether its replicas' brokers run"},
	p.CodeNotLeaderOrFollower:          {Refresh, findLeader},
	p.CodeFencedLeaderEpoch:            {Refresh, findLeader},
	p.CodeUnknownLeaderEpoch:           {Refresh, findLeader},
	p.CodeNewLeaderElected:             {Refresh, findLeader},
	p.CodeReplicaNotAvailable:          {Refresh, findLeader},
	p.CodeOffsetNotAvailable:           {Retry, again},
	p.CodeListenerNotFound:             {Wait, "the leader lacks the listener that was used: give every broker the same listeners"},
	p.CodeNotEnoughReplicas:            {Wait, "fewer replicas are in sync than min.insync.replicas asks for: bring their brokers back"},
	p.CodeNotEnoughReplicasAfterAppend: {OutcomeUnknown, "written, but on fewer replicas than min.insync.replicas asks for: bring their brokers back"},
	p.CodeKafkaStorageError:            {Refresh, "a disk of the broker failed: see its log"},
	p.CodeLogDirNotFound:               {UserMustAct, "name a log directory that the broker has"},
	p.CodePreferredLeaderNotAvailable:  {Wait, "bring the preferred leader back"},
	p.CodeEligibleLeadersNotAvailable:  {Wait, "bring a replica that was in sync back"},
	p.CodeElectionNotNeeded:            {Wait, "nothing to do: the leader is the right one already"},
	p.CodeReassignmentInProgress:       {Wait, "wait until the partition's reassignment is over"},
	p.CodeNoReassignmentInProgress:     {Wait, "nothing to do: the reassignment is over"},
	p.CodeIneligibleReplica:            {Wait, "wait until the replica's broker is live"},
	p.CodeInvalidTopicException:        {UserMustAct, "use a legal topic name: at most 249 letters, digits, dots, underscores and dashes, not \".\" or \"..\", and none that differs from another topic in dots and underscores only"},
	p.CodeTopicAlreadyExists:           {UserMustAct, "adopt the existing topic, or use another name"},
	p.CodeInvalidPartitions:            {UserMustAct, "use a number of partitions of at least 1 that is higher than the present one: partitions can't be taken away"},
	p.CodeInvalidReplicationFactor:     {UserMustAct, "use a replication factor of at least 1 and at most the number of live brokers"},
	p.CodeInvalidReplicaAssignment:     {UserMustAct, "assign replicas to distinct brokers that exist"},
	p.CodeInvalidConfig:                {UserMustAct, "correct or remove the config that is named"},
	p.CodePolicyViolation:              {UserMustAct, "a policy of the cluster forbids it: follow it, or ask the cluster's administrators"},
	p.CodeTopicDeletionDisabled:        {UserMustAct, "set delete.topic.enable on the brokers, or keep the topic"},
	p.CodeInvalidTimestamp:             {UserMustAct, "send records whose timestamps the topic accepts"},
	p.CodeInvalidRecord:                {UserMustAct, "send records that the topic accepts: compacted ones need keys"},
	p.CodeMessageTooLarge:              {UserMustAct, "send smaller batches, or raise max.message.bytes of the topic"},
	p.CodeRecordListTooLarge:           {UserMustAct, "send smaller batches, or raise segment.bytes of the topic"},
	p.CodeUnsupportedCompressionType:   {UserMustAct, "use a compression that the broker knows"},
	p.CodeUnsupportedForMessageFormat:  {UserMustAct, "raise the topic's message format"},
	p.CodeCorruptMessage:               {Retry, "it was damaged on its way: " + again},
	p.CodeOffsetOutOfRange:             {Refresh, "look up the partition's offsets again"},
	p.CodeOffsetMovedToTieredStorage:   {Refresh, "look up the partition's offsets again"},
	p.CodeInvalidRequiredAcks:          {Bug, report},
	p.CodeInvalidFetchSize:             {Bug, fetching},
	p.CodeFetchSessionIDNotFound:       {Bug, fetching},
	p.CodeInvalidFetchSessionEpoch:     {Bug, fetching},
	p.CodeFetchSessionTopicIDError:     {Bug, fetching},
	p.CodeSnapshotNotFound:             {Bug, quorum},
	p.CodePositionOutOfRange:           {Bug, quorum},
	p.CodeResourceNotFound:             {UserMustAct, "name something that exists"},
	p.CodeDuplicateResource:            {Bug, "one thing was named twice in a request: please report it"},
	p.CodeOperationNotAttempted:        {Retry, "another part of the same request failed: correct that one"},

	// The broker, the controller and the request as such.
	p.CodeRequestTimedOut:             {OutcomeUnknown, look},
	p.CodeNetworkException:            {OutcomeUnknown, look},
	p.CodeBrokerNotAvailable:          {Wait, "wait for the broker, or start it"},
	p.CodeBrokerIDNotRegistered:       {Wait, "start the broker: none with this id is registered"},
	p.CodeNotController:               {Refresh, "find the controller again and retry"},
	p.CodeStaleControllerEpoch:        {Retry, again},
	p.CodeStaleBrokerEpoch:            {Retry, again},
	p.CodeThrottlingQuotaExceeded:     {Wait, "wait for the client's quota of controller mutations, or raise it"},
	p.CodeInvalidRequest:              {Bug, report},
	p.CodeUnsupportedVersion:          {UserMustAct, "upgrade the broker: it does not speak a version of this request that is needed"},
	p.CodeMismatchedEndpointType:      {UserMustAct, "name the brokers' listener as bootstrap server, not the controllers'"},
	p.CodeUnsupportedEndpointType:     {UserMustAct, "name the brokers' listener as bootstrap server, not the controllers'"},
	p.CodeInconsistentClusterID:       {UserMustAct, "another cluster answers there: correct the bootstrap servers, or name the new cluster's id"},
	p.CodeRebootstrapRequired:         {Refresh, "the address belongs to another broker or cluster by now: start again from the bootstrap servers"},
	p.CodeInvalidRegularExpression:    {UserMustAct, "correct the regular expression (RE2)"},
	p.CodeInvalidUpdateVersion:        {UserMustAct, "use a feature level that every node supports"},
	p.CodeFeatureUpdateFailed:         {UserMustAct, "see the controller's log: the feature could not be updated"},
	p.CodeInconsistentVoterSet:        {Bug, quorum},
	p.CodeUnknownControllerID:         {Bug, quorum},
	p.CodeControllerIDNotRegistered:   {Bug, quorum},
	p.CodeDuplicateBrokerRegistration: {Bug, quorum},
	p.CodeInvalidRegistration:         {Bug, quorum},
	p.CodeInvalidVoterKey:             {Bug, quorum},
	p.CodeDuplicateVoter:              {Bug, quorum},
	p.CodeVoterNotFound:               {Bug, quorum},

	// Who may do what.
	p.CodeTopicAuthorizationFailed:           {NotAuthorized, grantTopic},
	p.CodeClusterAuthorizationFailed:         {NotAuthorized, "grant the operator's principal the right on the cluster"},
	p.CodeTransactionalIDAuthorizationFailed: {NotAuthorized, "grant the operator's principal the right on this transactional id"},
	p.CodeGroupAuthorizationFailed:           {NotAuthorized, "grant the operator's principal the right on this group"},
	p.CodeDelegationTokenAuthorizationFailed: {NotAuthorized, tokens},
	p.CodeSASLAuthenticationFailed:           {NotAuthorized, credentials},
	p.CodeUnsupportedSASLMechanism:           {NotAuthorized, "use a SASL mechanism that the listener has"},
	p.CodeIllegalSASLState:                   {NotAuthorized, "use the port of a listener that expects SASL"},
	p.CodeUnacceptableCredential:             {NotAuthorized, credentials},
	p.CodeSecurityDisabled:                   {UserMustAct, "the brokers have no authorizer: configure one, or do without ACLs"},
	p.CodePrincipalDeserializationFailure:    {UserMustAct, "give brokers and controllers the same principal builder"},
	p.CodeInvalidPrincipalType:               {UserMustAct, "use a principal type that the cluster knows"},
	p.CodeDelegationTokenAuthDisabled:        {UserMustAct, tokens},
	p.CodeDelegationTokenNotFound:            {UserMustAct, tokens},
	p.CodeDelegationTokenOwnerMismatch:       {UserMustAct, tokens},
	p.CodeDelegationTokenRequestNotAllowed:   {UserMustAct, tokens},
	p.CodeDelegationTokenExpired:             {UserMustAct, tokens},

	// Producers and transactions.
	p.CodeCoordinatorLoadInProgress:    {Retry, "the coordinator is loading: " + again},
	p.CodeCoordinatorNotAvailable:      {Refresh, "wait for the coordinator: see whether __transaction_state has leaders and enough replicas in sync"},
	p.CodeNotCoordinator:               {Refresh, findAgain},
	p.CodeConcurrentTransactions:       {Retry, "an earlier transaction of this id is still being completed: " + again},
	p.CodeTransactionCoordinatorFenced: {Refresh, findAgain},
	p.CodeTransactionalIDNotFound:      {UserMustAct, "the coordinator does not know this transactional id (any more)"},
	p.CodeInvalidTransactionTimeout:    {UserMustAct, "use a timeout above 0 and at most the brokers' transaction.max.timeout.ms"},
	p.CodeInvalidTxnState:              {UserMustAct, "the transaction is not in a state that allows this: look at it again"},
	p.CodeTransactionAbortable:         {UserMustAct, "abort the transaction and start it anew"},
	p.CodeInvalidProducerEpoch:         {UserMustAct, fencedWriter},
	p.CodeProducerFenced:               {UserMustAct, fencedWriter},
	p.CodeInvalidProducerIDMapping:     {UserMustAct, "the coordinator knows this transactional id with another producer id, or not at all: look at it again"},
	p.CodeUnknownProducerID:            {UserMustAct, startProducer},
	p.CodeOutOfOrderSequenceNumber:     {UserMustAct, startProducer},
	p.CodeDuplicateSequenceNumber:      {UserMustAct, "the batch was written earlier, and is older than the dedup window"},
	p.CodeUnstableOffsetCommit:         {Retry, "a transaction's offsets are pending: " + again},

	// Groups, telemetry and share groups, which this client leaves to others.
	p.CodeOffsetMetadataTooLarge:                 {Bug, groups},
	p.CodeIllegalGeneration:                      {Bug, groups},
	p.CodeInconsistentGroupProtocol:              {Bug, groups},
	p.CodeInvalidGroupID:                         {Bug, groups},
	p.CodeUnknownMemberID:                        {Bug, groups},
	p.CodeInvalidSessionTimeout:                  {Bug, groups},
	p.CodeRebalanceInProgress:                    {Bug, groups},
	p.CodeInvalidCommitOffsetSize:                {Bug, groups},
	p.CodeNonEmptyGroup:                          {Bug, groups},
	p.CodeGroupIDNotFound:                        {Bug, groups},
	p.CodeMemberIDRequired:                       {Bug, groups},
	p.CodeGroupMaxSizeReached:                    {Bug, groups},
	p.CodeFencedInstanceID:                       {Bug, groups},
	p.CodeGroupSubscribedToTopic:                 {Bug, groups},
	p.CodeFencedMemberEpoch:                      {Bug, groups},
	p.CodeUnreleasedInstanceID:                   {Bug, groups},
	p.CodeUnsupportedAssignor:                    {Bug, groups},
	p.CodeStaleMemberEpoch:                       {Bug, groups},
	p.CodeUnknownSubscriptionID:                  {Bug, groups},
	p.CodeTelemetryTooLarge:                      {Bug, groups},
	p.CodeInvalidRecordState:                     {Bug, groups},
	p.CodeShareSessionNotFound:                   {Bug, groups},
	p.CodeInvalidShareSessionEpoch:               {Bug, groups},
	p.CodeFencedStateEpoch:                       {Bug, groups},
	p.CodeStreamsInvalidTopology:                 {Bug, groups},
	p.CodeStreamsInvalidTopologyEpoch:            {Bug, groups},
	p.CodeStreamsTopologyFenced:                  {Bug, groups},
	p.CodeShareSessionLimitReached:               {Bug, groups},
	p.CodeGroupDeletionFailed:                    {Bug, groups},
	p.CodeStreamsTopologyDescriptionUpdateFailed: {Bug, groups},
}

// newCode judges what a newer Kafka may answer: somebody has to look at it.
var newCode = judgement{UserMustAct, "see Kafka's documentation of this code, which is newer than this client"}

func judge(code p.ErrorCode) judgement {
	if j, ok := judgements[code]; ok {
		return j
	}
	return newCode
}

// Remedy is what to do about a code, as the end of a sentence.
func Remedy(code p.ErrorCode) string { return judge(code).remedy }
