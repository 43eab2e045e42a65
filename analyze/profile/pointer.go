package profile

import "strings"

var tokenEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escapeToken is a key as a token of a JSON Pointer.
func escapeToken(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return tokenEscapes.Replace(key)
}

// below is the pointer of a member or element. A long one stays that of its
// container, so that walking many members copies little.
func below(pointer, token string) string {
	if len(pointer)+len(token) > 512 {
		return pointer
	}
	return pointer + "/" + token
}
