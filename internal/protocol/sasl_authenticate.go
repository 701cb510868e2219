package protocol

// SaslAuthenticateRequest is one step of logging in (key 36, since 1.0).
// Source: common/message/SaslAuthenticateRequest.json.
type SaslAuthenticateRequest struct {
	AuthBytes []byte // the mechanism's
	UnknownTags
}

func (*SaslAuthenticateRequest) Key() APIKey           { return KeySaslAuthenticate }
func (*SaslAuthenticateRequest) NewResponse() Response { return new(SaslAuthenticateResponse) }

func (m *SaslAuthenticateRequest) fields(c *Codec) {
	c.Bytes(&m.AuthBytes)
	c.Tags(&m.UnknownTags)
}

// SaslAuthenticateResponse is the broker's step.
// Source: common/message/SaslAuthenticateResponse.json.
type SaslAuthenticateResponse struct {
	ErrorCode         ErrorCode
	ErrorMessage      NullString
	AuthBytes         []byte // the mechanism's
	SessionLifetimeMs int64  // v1+ (2.2): log in again before; 0: never
	UnknownTags
}

func (*SaslAuthenticateResponse) Key() APIKey { return KeySaslAuthenticate }

func (m *SaslAuthenticateResponse) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Bytes(&m.AuthBytes)
	Since(c, 1, &m.SessionLifetimeMs, 0, (*Codec).Int64, Ignorable)
	c.Tags(&m.UnknownTags)
}
