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
	t := []byte(s)
	var found []Match
	if p.quick.may(s) {
		found = p.All(t)
	}
	for i := 0; i < len(t); i++ {
		if !Piece(t[i]) {
			continue
		}
		a := i
		for i < len(t) && Piece(t[i]) {
			i++
		}
		if e.High(t[a:i]) {
			found = append(found, Match{Start: a, End: i})
		}
	}
	if len(found) == 0 {
		return s
	}
	return string(Replace(t, found))
}
