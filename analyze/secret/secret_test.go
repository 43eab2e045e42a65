package secret

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze/ruleset"
	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"": "…(len<=3)", "a": "…(len<=3)", "ab": "a…(len<=3)", "abc": "a…(len<=3)", "abcd": "ab…(len=4)", "abcdefg": "abc…(len=7)",
		"abcdefgh": "abcd…(len=8)", "abcdefghi": "abcd…(len=9)", "äöüß": "äö…(len=4)", "密密密密密密密密密": "密密密密…(len=9)", strings.Repeat("x", 1000): "xxxx…(len=1000)",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestScrub(t *testing.T) {
	key := "sk-" + strings.Repeat("a", 20)
	jwt := "eyJaaaaaaaaaa.bbbbbbbbbb.cccccccccc"
	for in, want := range map[string]string{
		"":                                 "",
		"plain":                            "plain",
		"get " + key + " now":              "get sk-a…(len=23) now",
		key + "," + key:                    "sk-a…(len=23),sk-a…(len=23)",
		"x" + key:                          "x" + key,
		"t=" + jwt + ".":                   "t=eyJa…(len=35).",
		"aB3dE5gH7jK9mN1pQ4sT6vW8zz":       "aB3dE5gH7jK9mN1pQ4sT6vW8zz", // random pieces stay: names and paths look like them
		"AKIA" + "AAAAAAAAAAAAAAAA/" + key: "AKIA…(len=20)/sk-a…(len=23)",
	} {
		if got := Scrub(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// expressions go through every shape that the compiler knows or must refuse.
var expressions = []string{
	`\bsk-[A-Za-z0-9]{20,}\b`, `\bgh[pousr]_[A-Za-z0-9]{36}\b`, `\bxox[baprs]-[A-Za-z0-9-]{10,}\b`,
	`-----BEGIN (RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY-----`, `\beyJ[A-Za-z0-9_-]{3,}\.[A-Za-z0-9_-]{3,}\.[A-Za-z0-9_-]{3,}\b`,
	`ab+c?d`, `a[b-]{2,4}\b`, `\ba[b_-]{1,5}\b`, `(a|ab)(c|bcd)`, `a?b`, `a+a`, `a+b*c`, `(?i)ab[c-]+`, `a(bc)*d`, `a{2}b{0,2}a`, `ab|a`, `a.c`, `a[b-]*`, `ab+?`, `(?i)sk`, `\bab[b-]{0,3}c?\b`,
}

func TestProgramsFindWhatTheExpressionsFind(t *testing.T) {
	compiled := 0
	var pats []*Patterns
	for _, e := range expressions {
		// Keywords do not matter here: a program is used wherever there is one.
		c := pattern{re: regexp.MustCompile(e), keywords: [][]byte{[]byte("\x00")}}
		if alts, ok := compileProgram(e); ok {
			compiled++
			c.programs(0, alts)
			pats = append(pats, &Patterns{list: []pattern{c}})
		}
	}
	if compiled < 12 {
		t.Errorf("only %d of %d expressions were compiled", compiled, len(expressions))
	}
	letters := rapid.SampledFrom([]string{"a", "b", "c", "d", "-", "_", ".", " ", "ab", "ab-", "abc", "sk-", "gh", "p_", "xoxb-", "eyJ", "eyJ-", "-----", "BEGIN ", "RSA ", "PRIVATE KEY", "PRIVATE KEY-----", "AAAAAAAAAA", strings.Repeat("z", 36), "é"})
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(letters, 0, 24).Draw(t, "text"), ""))
		for _, p := range pats {
			var want []Match
			for _, m := range p.list[0].re.FindAllIndex(text, -1) {
				want = append(want, Match{0, m[0], m[1]})
			}
			m := p.NewMatcher()
			for range 2 { // the memory of one text must not reach into the next
				m.Reset(text)
				for i := range text {
					m.Try(&p.list[0].clues[0], i)
				}
				if got := m.Finish(); !slices.Equal(got, want) {
					t.Fatalf("%s in %q: %v, want %v", p.list[0].re, text, got, want)
				}
			}
		}
	})
}

func TestBuiltinPatternsAreAllPrograms(t *testing.T) {
	for i := range Builtin().list {
		if p := &Builtin().list[i]; p.alts == nil {
			t.Errorf("%s runs as an expression", p.id)
		}
	}
}

func TestPatternsWithoutKeywordDoNotMatch(t *testing.T) {
	p, err := Compile([]ruleset.Secret{{ID: "X", Pattern: `a[0-9]{3}`, Keywords: []string{"Token"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.All([]byte("a123")); got != nil {
		t.Errorf("without its keyword: %v", got)
	}
	if got := p.All([]byte("tOKEN a123 a456")); len(got) != 2 {
		t.Errorf("with its keyword: %v", got)
	}
	if p.Shortest() != 1 || Builtin().Shortest() < 3 {
		t.Errorf("shortest %d, built-in %d", p.Shortest(), Builtin().Shortest())
	}
	if _, err := Compile([]ruleset.Secret{{ID: "X", Pattern: `a(`, Keywords: []string{"abc"}}}); err == nil {
		t.Error("a broken expression was compiled")
	}
	if _, err := Compile([]ruleset.Secret{{ID: "X", Pattern: `abc`}}); err == nil {
		t.Error("a pattern without keywords was compiled")
	}
}

// exactly decides with whole numbers: H >= 4 is n^n >= 16^n * product of c^c.
func exactly(piece string) bool {
	counts := map[byte]int64{}
	for i := range len(piece) {
		counts[piece[i]]++
	}
	n := int64(len(piece))
	power := func(b, e int64) *big.Int { return new(big.Int).Exp(big.NewInt(b), big.NewInt(e), nil) }
	right := power(16, n)
	for _, c := range counts {
		right.Mul(right, power(c, c))
	}
	return power(n, n).Cmp(right) >= 0
}

var plain = NewEntropy(ruleset.Entropy{MinLength: 24, MinBits: 4, MinAlnum: 0.8})

func TestEntropyBorders(t *testing.T) {
	hex := "0123456789abcdef"
	for _, c := range []struct {
		piece string
		want  bool
	}{
		{hex + hex, true},                        // sixteen symbols equally often: exactly 4 bits
		{strings.Repeat(hex, 100), true},         // the same in a long piece
		{strings.Repeat(hex, 1000) + "0", false}, // a hair below
		{strings.Repeat(hex, 1000) + "g", true},  // a hair above
		{hex + hex[:15] + "0", false},            // one symbol twice as often
		{"aB3dE5gH7jK9mN1pQ4sT+/_=-", true},      // 20 of 25 are letters or digits
		{"aB3dE5gH7jK9mN1pQ4s+/_=-+", false},     // 19 of 25
		{"aB3dE5gH7jK9mN1pQ4sT6vW", false},       // 23 characters
		{"aB3dE5gH7jK9mN1pQ4sT6vW8", true},       // 24
		{strings.Repeat("a", 5000), false},
	} {
		if got := plain.High([]byte(c.piece)); got != c.want {
			t.Errorf("%.40q (%d): %v", c.piece, len(c.piece), got)
		}
	}
}

func TestEntropyIsExact(t *testing.T) {
	abc := "0123456789abcdefghijklmnopqrstuvwxyzABCDEF"
	rapid.Check(t, func(t *rapid.T) {
		// Counts near the border: some sixteen symbols, about equally often.
		k := rapid.IntRange(14, 22).Draw(t, "symbols")
		most := rapid.SampledFrom([]int{1, 2, 3, 8, 40}).Draw(t, "most")
		var b strings.Builder
		for i := range k {
			b.WriteString(strings.Repeat(abc[i:i+1], rapid.IntRange(1, most+1).Draw(t, "count")))
		}
		for b.Len() < 24 {
			b.WriteString(abc[:1])
		}
		if got, want := plain.High([]byte(b.String())), exactly(b.String()); got != want {
			t.Fatalf("%q: %v, want %v", b.String(), got, want)
		}
	})
}

// The slow way out, by many digits, must agree with whole numbers too.
func TestManyDigits(t *testing.T) {
	for _, counts := range [][]int{{3, 5, 7, 1, 1, 9}, {2, 2, 4, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}} {
		n := 0
		right := big.NewInt(1)
		for _, c := range counts {
			n += c
			right.Mul(right, new(big.Int).Exp(big.NewInt(int64(c)), big.NewInt(int64(c)), nil))
		}
		left := new(big.Int).Exp(big.NewInt(int64(n)), big.NewInt(int64(n)), nil)
		for bits := 1; bits < 4; bits++ {
			right := new(big.Int).Mul(right, new(big.Int).Lsh(big.NewInt(1), uint(n*bits)))
			want := left.Cmp(right)
			if got := difference(counts, n, float64(bits), 128); got != want {
				t.Errorf("%v, %d bits: %d, want %d", counts, bits, got, want)
			}
			if tie(counts, n, float64(bits)) != (want == 0) {
				t.Errorf("%v, %d bits: a tie where there is none, or none where there is one", counts, bits)
			}
		}
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("sk-aaaaaaaaaaaaaaaaaaaa eyJ-aaaaaaaaaa.bbbbbbbbbb.cccccccccc-- xoxb-1111111111-_")
	f.Add("-----BEGIN RSA PRIVATE KEY----------BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, s string) {
		p := Builtin()
		text := []byte(s)
		m := p.NewMatcher()
		m.Reset(text)
		clues := p.Clues()
		for i := range text {
			for k := range clues {
				m.Try(&clues[k], i)
			}
		}
		got := slices.Clone(m.Finish())
		want := p.All(text)
		slices.SortFunc(want, func(a, b Match) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pattern, b.Pattern)) })
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", s, got, want)
		}
	})
}
