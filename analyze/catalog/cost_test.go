package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// hostile are texts that make a careless rule read the same bytes again and
// again (catalog.md, "Cost"); each is cut to the size asked for.
var hostile = map[string]func(i int) string{
	"plain":           nil,
	"random pieces":   func(i int) string { return fmt.Sprintf("%024x ", i*2654435761) },
	"high pieces":     func(i int) string { return randomPiece(i) + " " },
	"one long piece":  func(i int) string { return randomPiece(i) },
	"ties":            func(i int) string { return "0123456789abcdef0123456789abcdef " },
	"eyJ":             func(i int) string { return "eyJ-" },
	"eyJ segments":    func(i int) string { return "eyJ-aaaaaaaaaa.bbbbbbbbbb." },
	"eyJ hyphens":     func(i int) string { return "eyJ----------.----------.----------" },
	"labels":          func(i int) string { return "a." },
	"labels of sites": func(i int) string { return "webhook.sitex." },
	"subdomains":      func(i int) string { return "webhook.site." },
	"dots":            func(i int) string { return "." },
	"colons":          func(i int) string { return ":" },
	"colons and ones": func(i int) string { return "1:" },
	"double colons":   func(i int) string { return "f::" },
	"scheme marks":    func(i int) string { return "://" },
	"schemes":         func(i int) string { return "http://" },
	"nested urls":     func(i int) string { return "http://a/?u=" },
	"urls":            func(i int) string { return "http://a.example/ " },
	"user names":      func(i int) string { return "http://@" },
	"brackets":        func(i int) string { return "http://[" },
	"listed":          func(i int) string { return "http://webhook.site/ " },
	"addresses":       func(i int) string { return "10.0.0.1 " },
	"address ranges":  func(i int) string { return "10.0.0.1-" },
	"escapes":         func(i int) string { return "\x1b" },
	"controls":        func(i int) string { return "\u009ba" },
	"sk":              func(i int) string { return "sk-" },
	"sk keys":         func(i int) string { return fmt.Sprintf("sk-aaaaaaaaaaaaaa%06d ", i%1000000) },
	"slack":           func(i int) string { return "xoxb-" },
	"key blocks":      func(i int) string { return "-----BEGIN " },
	"zero width":      func(i int) string { return "\u200b" },
	"selectors":       func(i int) string { return "❤\ufe0f\ufe0f" },
	"tags":            func(i int) string { return "🏴\U000e0061" },
	"white space":     func(i int) string { return "you are   \t\n  " },
	"phrase openings": func(i int) string { return "ignore previous " },
	"now":             func(i int) string { return " now now" },
	"wide hosts":      func(i int) string { return "http://é.site/" },
	"percent hosts":   func(i int) string { return "http://%41%2esite/" },
	"underscores":     func(i int) string { return "sk-aaaaaaaaaaaaaaaaaaaa_" },
}

func randomPiece(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	const abc = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, 24)
	for i := range b {
		b[i] = abc[r.IntN(len(abc))]
	}
	return string(b)
}

const prose = "The build took 12.5 seconds; see README.md and src/main.go for what changed. Nothing else (as of today) needs a look: tests pass, the linter is quiet.\n"

func hostileText(name string, size int) string {
	f := hostile[name]
	if f == nil {
		f = func(int) string { return prose }
	}
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(f(i))
	}
	return b.String()
}

func rawMessage(text string, escaped bool) *jsonrpc.Message {
	raw := padded([]byte(`"` + text + `"`))
	return &jsonrpc.Message{Raw: raw, Has: jsonrpc.HasResult,
		Texts: []jsonrpc.Text{{Start: 1, End: int32(len(raw) - 1), Role: jsonrpc.RoleText, Escaped: escaped}}}
}

func BenchmarkScan(b *testing.B) {
	for _, portable := range []bool{false, true} {
		c, err := New(Options{Portable: portable})
		if err != nil {
			b.Fatal(err)
		}
		s := c.NewScanner()
		for name := range hostile {
			m := rawMessage(hostileText(name, 1<<20), false)
			b.Run(fmt.Sprintf("portable=%v/%s", portable, name), func(b *testing.B) {
				b.SetBytes(int64(len(m.Raw)))
				var hits []Hit
				for b.Loop() {
					hits = s.Message(m, hits[:0])
				}
			})
		}
	}
}

func BenchmarkFindings(b *testing.B) {
	c, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := c.NewScanner()
	for name := range hostile {
		m := rawMessage(hostileText(name, 1<<20), false)
		hits := s.Message(m, nil)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(m.Raw)))
			for b.Loop() {
				c.Findings(m, hits, SelectResult, analyze.Inspection{})
			}
		})
	}
}

// TestHostileTextsEnd: no text may make the scanner read its bytes over and
// over. There is no clock in it: a rule that costs the square of a text of four
// megabytes does not end within any test's patience.
func TestHostileTextsEnd(t *testing.T) {
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := c.NewScanner()
	for name := range hostile {
		m := rawMessage(hostileText(name, 4<<20), false)
		hits := s.Message(m, nil)
		if name == "plain" && len(hits) > 0 || name == "listed" && len(hits) == 0 {
			t.Errorf("%s: %d hits", name, len(hits))
		}
		c.Findings(m, hits, SelectResult, analyze.Inspection{})
	}
}

func TestNothingIsAllocatedWithoutAHit(t *testing.T) {
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := c.NewScanner()
	plain := rawMessage(strings.Repeat(prose[:len(prose)-1]+" ", 100), false)
	escaped := rawMessage(strings.Repeat(prose[:len(prose)-1]+`\n\t\"\u00e9`, 100), true)
	long := rawMessage(strings.Repeat("abc", 1000), false)
	var hits []Hit
	for _, m := range []*jsonrpc.Message{plain, escaped, long} {
		hits = s.Message(m, hits[:0]) // buffers grow once
		if n := testing.AllocsPerRun(20, func() { hits = s.Message(m, hits[:0]) }); n != 0 || len(hits) != 0 {
			t.Errorf("%v allocations, %d hits for a plain text", n, len(hits))
		}
	}
}
