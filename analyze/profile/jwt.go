package profile

import (
	"encoding/base64"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// maxToken bounds the tokens that are decoded.
const maxToken = 64 << 10

// jwtClaims decodes the claims of a JSON Web Token: three parts of base64url,
// of which the first two are JSON objects. Nothing is verified; the recording
// has no key. ok is false for anything else, which has no audience to look at.
func jwtClaims(token string) (*jsonrpc.Value, bool) {
	if len(token) > maxToken || strings.Count(token, ".") != 2 {
		return nil, false
	}
	parts := strings.Split(token, ".")
	if _, ok := jwtPart(parts[0]); !ok {
		return nil, false
	}
	if _, err := base64URL(parts[2]); err != nil {
		return nil, false
	}
	return jwtPart(parts[1])
}

func base64URL(s string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
}

func jwtPart(s string) (*jsonrpc.Value, bool) {
	b, err := base64URL(s)
	if err != nil {
		return nil, false
	}
	v, err := jsonrpc.Decode(b, jsonrpc.DecodeOptions{MaxDepth: 32, MaxNodes: 5000, Lenient: true})
	return v, err == nil && v.Kind == jsonrpc.Object
}

// audienceHolds reports that the claim `aud`, a string or an array of them,
// names the audience exactly (RFC 7519, 4.1.3; RFC 8707). Which of a repeated
// claim counts is up to the reader, so every one has to.
func audienceHolds(claims *jsonrpc.Value, audience string) bool {
	found := false
	for _, m := range claims.Members {
		if m.Key == "aud" {
			if !names(m.Value, audience) {
				return false
			}
			found = true
		}
	}
	return found
}

func names(aud *jsonrpc.Value, audience string) bool {
	if s, ok := aud.IsString(); ok {
		return s == audience
	}
	for _, e := range aud.Elems {
		if s, ok := e.IsString(); ok && s == audience {
			return true
		}
	}
	return false
}
