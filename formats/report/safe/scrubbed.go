package safe

import "github.com/warden-trace/warden/analyze/secret"

// Name prepares one name from a trace: vendor secrets redacted, length bounded,
// everything else visible. For many names in a row use a Namer.
func Name(s string) string {
	n := Namer{Scrub: secret.Scrub}
	return n.Name(s)
}
