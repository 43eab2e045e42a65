package allowlist

import "github.com/warden-trace/warden/analyze/secret"

// scrub takes secrets out of text that is about to be shown, random ones too.
func scrub(s string) string { return secret.ScrubAll(s) }
