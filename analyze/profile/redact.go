package profile

import (
	"strings"

	"github.com/warden-trace/warden/analyze/secret"
)

// redactor keeps secrets out of what a finding says: keys, names and other
// words of a frame go through it before they reach a message.
type redactor struct {
	find func(text []byte) []Secret
}

// text returns s with every secret in its redaction form: what the run's
// ruleset finds and what the built-in one does.
func (r *redactor) text(s string) string {
	if r != nil && r.find != nil {
		t := []byte(s)
		var found []secret.Match
		known := map[string]bool{}
		for _, f := range r.find(t) {
			if f.Start < 0 || f.End > len(t) || f.Start >= f.End {
				continue
			}
			found = append(found, secret.Match{Start: f.Start, End: f.End})
			known[string(t[f.Start:f.End])] = true
		}
		if len(found) > 0 {
			// A finder tells a random piece once; all its copies go.
			for i := 0; i < len(t); i++ {
				a := i
				for i < len(t) && secret.Piece(t[i]) {
					i++
				}
				if i > a && known[string(t[a:i])] {
					found = append(found, secret.Match{Start: a, End: i})
				}
			}
			s = string(secret.Replace(t, found))
		}
	}
	return secret.ScrubAll(s)
}

// pointer is text for a JSON Pointer: each step of it is a text by itself, or a
// long way down would look like one random piece.
func (r *redactor) pointer(p string) string {
	steps := strings.Split(p, "/")
	for i, s := range steps {
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
		if hidden := r.text(key); hidden != key {
			steps[i] = escapeToken(hidden)
		}
	}
	return strings.Join(steps, "/")
}

// part shows a piece that was cut out of a text, or all of the text where the
// cut goes through a secret.
func (r *redactor) part(whole, piece string) string {
	if !strings.Contains(r.text(whole), piece) {
		if shown := r.name(piece); shown != piece {
			return shown
		}
		return r.name(whole)
	}
	return r.name(piece)
}

// name is text in quotes' place, cut to a bearable length.
func (r *redactor) name(s string) string {
	s = r.text(s)
	const most = 80
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
