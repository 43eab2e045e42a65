package profile

import (
	"cmp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
)

// builtinSecrets finds what the built-in ruleset calls a secret.
var builtinSecrets = sync.OnceValue(func() func([]byte) []Secret {
	return secretsOf(secret.Builtin(), ruleset.Builtin().Entropy)
})

// SecretsOf finds what a ruleset calls a secret, for Options.Secrets.
func SecretsOf(set *ruleset.Set) (func(text []byte) []Secret, error) {
	vendors, err := secret.Compile(set.Secrets)
	if err != nil {
		return nil, err
	}
	return secretsOf(vendors, set.Entropy), nil
}

// secretsOf finds vendor patterns, then long random pieces that overlap none of
// their matches, each piece once a text (catalog.md, "WRD-RES-SECRET-ECHO").
func secretsOf(vendors *secret.Patterns, p ruleset.Entropy) func([]byte) []Secret {
	entropy := secret.NewEntropy(p)
	return func(text []byte) []Secret {
		var out []Secret
		found := vendors.All(text)
		for _, m := range found {
			out = append(out, Secret{vendors.ID(m.Pattern), m.Start, m.End})
		}
		slices.SortFunc(found, func(a, b secret.Match) int { return cmp.Compare(a.Start, b.Start) })
		next, reach := 0, 0 // vendor matches that begin before the piece's end, and how far they go
		var seen map[string]bool
		for i := 0; i < len(text); {
			if !secret.Piece(text[i]) {
				i++
				continue
			}
			j := i
			for j < len(text) && secret.Piece(text[j]) {
				j++
			}
			for next < len(found) && found[next].Start < j {
				reach = max(reach, found[next].End)
				next++
			}
			if piece := text[i:j]; reach <= i && entropy.High(piece) && !seen[string(piece)] {
				if seen == nil {
					seen = map[string]bool{}
				}
				seen[string(piece)] = true
				out = append(out, Secret{"WRD-SEC-ENTROPY", i, j})
			}
			i = j
		}
		return out
	}
}

// redacted is the form in which a secret may be shown.
func redacted(s string) string { return secret.Redact(s) }

// toolName is a tool's name as findings carry it: whole, but for a vendor's
// secret in it (catalog.md, "Redaction").
func toolName(s string) string { return secret.Scrub(s) }

func byStart(found []Secret) []Secret {
	slices.SortStableFunc(found, func(a, b Secret) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	return found
}

func codePoints(s string) int { return utf8.RuneCountInString(s) }
