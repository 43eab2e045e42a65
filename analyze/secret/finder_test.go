package secret

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// ordered is what All finds, in a Finder's order.
func ordered(p *Patterns, text []byte) []Match {
	found := p.All(text)
	slices.SortFunc(found, func(a, b Match) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pattern, b.Pattern)) })
	return found
}

// Patterns as others write them: one that only runs as an expression, one whose
// first bytes are any, one whose keyword is in its middle, and one with a keyword
// of two bytes, which no pair can stand for.
var foreign = []ruleset.Secret{
	{ID: "A", Pattern: `token[=:] ?[a-f0-9]{8}(-[a-f0-9]{4})*`, Keywords: []string{"TOKEN"}},
	{ID: "B", Pattern: `\b[A-Za-z0-9]{6}_live_[0-9]{4}\b`, Keywords: []string{"_live_"}},
	{ID: "C", Pattern: `\bsk-[A-Za-z0-9]{20,}\b`, Keywords: []string{"sk-"}},
}

var short = ruleset.Secret{ID: "D", Pattern: `q#[0-9]+?b`, Keywords: []string{"q#"}}

func TestFinderFindsWhatTheExpressionsFind(t *testing.T) {
	parts := []string{"sk-", "SK-", "AKIA", "akia", "xoxb", "eyJ", "-----BEGIN ", "RSA ", "PRIVATE KEY-----", "ghp_", "gho_", "token=", "Token: ",
		strings.Repeat("aB3", 12), "0123abcd", "-0a1b", "ABCDEFGHIJKLMNOP", "b-", "abc123_live_", "1234", "q#12b", ".", " ", "é", "\x00", "s", "g"}
	sets := []*Patterns{Builtin()}
	for _, list := range [][]ruleset.Secret{foreign, append([]ruleset.Secret{short}, foreign...)} {
		p, err := Compile(list)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, p)
	}
	if !sets[2].NewFinder().plain || sets[1].NewFinder().plain || sets[0].NewFinder().plain {
		t.Error("only a keyword of two bytes needs the plain way")
	}
	for _, p := range sets {
		f := p.NewFinder()
		rapid.Check(t, func(t *rapid.T) {
			text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), ""))
			got := slices.Clone(f.Find(text))
			slices.SortFunc(got, func(a, b Match) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pattern, b.Pattern)) })
			if want := ordered(p, text); !slices.Equal(got, want) {
				t.Fatalf("%q: %v, want %v", text, got, want)
			}
		})
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("sk-aaaaaaaaaaaaaaaaaaaa eyJ-aaaaaaaaaa.bbbbbbbbbb.cccccccccc-- xoxb-1111111111-_")
	f.Add("-----BEGIN RSA PRIVATE KEY----------BEGIN PRIVATE KEY-----")
	f.Add("x AKIAQQQQQQQQQQQQQQQQ ghp_" + strings.Repeat("a", 36))
	finder := Builtin().NewFinder()
	f.Fuzz(func(t *testing.T, s string) {
		got := slices.Clone(finder.Find([]byte(s)))
		if want := ordered(Builtin(), []byte(s)); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", s, got, want)
		}
	})
}

// Pieces against every run looked at byte by byte.
func TestPiecesAreAllLongRuns(t *testing.T) {
	e := NewEntropy(ruleset.Builtin().Entropy)
	parts := []string{"aB3dE5gH7jK9mN1pQ4sT6vW8", "xyz", " ", ".", "é", "-/+_=", "Zz9Yy8Xx7", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "*", "+", ",", "\x7f", "\x80", "\xff", "\x00"}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 16).Draw(t, "parts"), ""))
		var want []Match
		for i := 0; i < len(text); i++ {
			a := i
			for i < len(text) && Piece(text[i]) {
				i++
			}
			if e.High(text[a:i]) {
				want = append(want, Match{-1, a, i})
			}
		}
		if got := e.Pieces(nil, text); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

func BenchmarkFinder(b *testing.B) {
	text := []byte(strings.Repeat("The host of the third shard is risk-free, they say; nothing else here looks like a key. ", 400))
	f, e := Builtin().NewFinder(), NewEntropy(ruleset.Builtin().Entropy)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(f.Find(text)) > 0 || len(e.Pieces(nil, text)) > 0 {
			b.Fatal("there is none")
		}
	}
}
