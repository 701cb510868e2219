package protocol

// SaslHandshakeRequest chooses how to log in (key 17, since 0.10). What follows it is SaslAuthenticateRequest, and after version
// 0 what the mechanism itself sends, with nothing but its size in front. It has no version with tagged fields, so that every
// broker understands it.
// Source: common/message/SaslHandshakeRequest.json.
type SaslHandshakeRequest struct {
	Mechanism string
	UnknownTags
}

func (*SaslHandshakeRequest) Key() APIKey           { return KeySaslHandshake }
func (*SaslHandshakeRequest) NewResponse() Response { return new(SaslHandshakeResponse) }

func (m *SaslHandshakeRequest) fields(c *Codec) {
	c.String(&m.Mechanism)
	c.Tags(&m.UnknownTags)
}

// SaslHandshakeResponse says whether the mechanism will do, and which ones do.
// Source: common/message/SaslHandshakeResponse.json.
type SaslHandshakeResponse struct {
	ErrorCode  ErrorCode
	Mechanisms []string
	UnknownTags
}

func (*SaslHandshakeResponse) Key() APIKey { return KeySaslHandshake }

func (m *SaslHandshakeResponse) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.Strings(&m.Mechanisms)
	c.Tags(&m.UnknownTags)
}
