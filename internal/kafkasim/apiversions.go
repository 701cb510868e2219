package kafkasim

import (
	"regexp"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// clientSoftware is what a client may call itself and its version.
var clientSoftware = regexp.MustCompile(`^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$`)

func (c *Cluster) apiVersions(b *broker, version int16, req *protocol.ApiVersionsRequest) *protocol.ApiVersionsResponse {
	resp := protocol.NewApiVersionsResponse()
	switch {
	case version >= 5 && req.ClusterID.Valid != (req.NodeID != -1),
		version >= 3 && !(clientSoftware.MatchString(req.ClientSoftwareName) && clientSoftware.MatchString(req.ClientSoftwareVersion)):
		resp.ErrorCode = protocol.CodeInvalidRequest
		return resp
	case version >= 5 && req.ClusterID.Valid && (req.ClusterID.S != c.id || req.NodeID != b.id):
		resp.ErrorCode = protocol.CodeRebootstrapRequired
		return resp
	}
	resp.APIKeys = b.software.advertised()
	if version < 3 {
		return resp
	}
	resp.SupportedFeatures = []protocol.SupportedFeatureKey{{Name: "metadata.version", MinVersion: 7, MaxVersion: 33}}
	if version >= 4 { // features that begin at 0 confuse older clients (KAFKA-17011)
		resp.SupportedFeatures = append(resp.SupportedFeatures, protocol.SupportedFeatureKey{Name: "transaction.version", MaxVersion: 2})
	}
	resp.FinalizedFeaturesEpoch = 1
	resp.FinalizedFeatures = []protocol.FinalizedFeatureKey{{Name: "metadata.version", MinVersionLevel: 33, MaxVersionLevel: 33}}
	if level := c.options.TransactionVersion; level > 0 { // level 0 is not listed
		resp.FinalizedFeatures = append(resp.FinalizedFeatures,
			protocol.FinalizedFeatureKey{Name: "transaction.version", MinVersionLevel: level, MaxVersionLevel: level})
	}
	return resp
}

// unsupportedApiVersions answers a version that the broker doesn't know: which ones it does, in version 0.
func unsupportedApiVersions(software Software) *protocol.ApiVersionsResponse {
	resp := protocol.NewApiVersionsResponse()
	r, _ := software.versions(protocol.KeyApiVersions)
	resp.ErrorCode = protocol.CodeUnsupportedVersion
	resp.APIKeys = []protocol.ApiVersion{{APIKey: protocol.KeyApiVersions, MinVersion: r.Min, MaxVersion: r.Max}}
	return resp
}
