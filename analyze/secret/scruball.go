package secret

import (
	"sync"

	"github.com/warden-trace/warden/analyze/ruleset"
)

var builtinEntropy = sync.OnceValue(func() *Entropy { return NewEntropy(ruleset.Builtin().Entropy) })

// ScrubAll writes every secret of s in its redaction form: the matches of the
// built-in vendor patterns and the long random pieces that only
// WRD-SEC-ENTROPY knows. It is for what a message shows of a call or a file
// (catalog.md, "Redaction"); tool names and ids go through Scrub. Text must
// come here as it was spelled: a secret whose case was folded matches nothing.
func ScrubAll(s string) string { return Builtin().scrubAll(builtinEntropy(), s) }

// HoldsAny says whether ScrubAll would change s.
func HoldsAny(s string) bool { return ScrubAll(s) != s }

func (p *Patterns) scrubAll(e *Entropy, s string) string {
	if len(s) < e.p.MinLength && !p.quick.may(s) {
		return s
	}
	return p.Hide(e, s)
}

// Hide writes the matches of the patterns in s, and its long random pieces, in
// their redaction form.
func (p *Patterns) Hide(e *Entropy, s string) string {
	found := Readings([]byte(s), func(t []byte) []Match { return e.Pieces(p.All(t), t) })
	if len(found) == 0 {
		return s
	}
	return string(Replace([]byte(s), found))
}
