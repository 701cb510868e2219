package protocol

// DeleteTopicsRequest deletes topics, by id or by name (key 20).
// Source: common/message/DeleteTopicsRequest.json.
type DeleteTopicsRequest struct {
	Topics     []DeleteTopicState // v6+
	TopicNames []string           // v0–v5; ignored since
	TimeoutMs  int32
	UnknownTags
}

func (*DeleteTopicsRequest) Key() APIKey           { return KeyDeleteTopics }
func (*DeleteTopicsRequest) NewResponse() Response { return new(DeleteTopicsResponse) }

func (m *DeleteTopicsRequest) fields(c *Codec) {
	SinceArray(c, 6, &m.Topics, Array)
	BetweenArray(c, 0, 5, &m.TopicNames, (*Codec).Strings, Ignorable)
	c.Int32(&m.TimeoutMs)
	c.Tags(&m.UnknownTags)
}

// DeleteTopicState names a topic to be deleted: the name or the id, not both.
type DeleteTopicState struct {
	Name    NullString
	TopicID UUID
	UnknownTags
}

func (m *DeleteTopicState) fields(c *Codec) {
	c.NullString(&m.Name)
	c.UUID(&m.TopicID)
	c.Tags(&m.UnknownTags)
}

// DeleteTopicsResponse has one result for each topic.
// Source: common/message/DeleteTopicsResponse.json.
type DeleteTopicsResponse struct {
	ThrottleTimeMs int32 // v1+
	Responses      []DeletableTopicResult
	UnknownTags
}

func (*DeleteTopicsResponse) Key() APIKey { return KeyDeleteTopics }

func (m *DeleteTopicsResponse) fields(c *Codec) {
	Since(c, 1, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	Array(c, &m.Responses)
	c.Tags(&m.UnknownTags)
}

// DeletableTopicResult says what became of a topic.
type DeletableTopicResult struct {
	Name         NullString // null from v6 on, for an unknown id
	TopicID      UUID       // v6+
	ErrorCode    ErrorCode
	ErrorMessage NullString // v5+
	UnknownTags
}

func (m *DeletableTopicResult) fields(c *Codec) {
	c.NullStringSince(6, &m.Name)
	Since(c, 6, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	c.ErrorCode(&m.ErrorCode)
	Since(c, 5, &m.ErrorMessage, NullString{}, (*Codec).NullString, Ignorable)
	c.Tags(&m.UnknownTags)
}
