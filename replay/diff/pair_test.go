package diff

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

func finding(rule, sub, pointer string, matched ...string) analyze.Finding {
	return analyze.Finding{Rule: rule, SubRule: sub, Pointer: pointer, Matched: matched, Tier: analyze.Block, Action: analyze.Blocked}
}

// TestPairAccountsForEveryFinding: what both have and what only one has come to
// the lists that were given, whatever their order.
func TestPairAccountsForEveryFinding(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) analyze.Finding {
		f := finding(rapid.SampledFrom([]string{"WRD-RES-SECRET-ECHO", "WRD-RES-URL", "WRD-RES-ANSI"}).Draw(t, "rule"), "", rapid.SampledFrom([]string{"/a", "/b"}).Draw(t, "pointer"))
		f.Spans = []analyze.Span{{Start: rapid.IntRange(0, 2).Draw(t, "at"), End: 9}}
		f.Action = rapid.SampledFrom([]analyze.Action{analyze.Blocked, analyze.Shadowed}).Draw(t, "action")
		return f
	})
	rapid.Check(t, func(t *rapid.T) {
		base, head := rapid.SliceOfN(one, 0, 8).Draw(t, "base"), rapid.SliceOfN(one, 0, 8).Draw(t, "head")
		var plus, minus, tilde int
		for _, c := range pair(base, head) {
			switch c.Sign {
			case Plus:
				plus++
				if c.Base != nil || c.Head == nil {
					t.Fatal("an addition is of the head alone")
				}
			case Minus:
				minus++
				if c.Head != nil || c.Base == nil {
					t.Fatal("a removal is of the base alone")
				}
			default:
				tilde++
				if !same(c.Base, c.Head) || len(c.Fields) == 0 {
					t.Fatal("a change is of one finding, and names what differs")
				}
			}
		}
		if len(base)-minus != len(head)-plus {
			t.Fatalf("%d of %d removed, %d of %d added", minus, len(base), plus, len(head))
		}
		// As many as can be are paired: by kind the rest is on one side only.
		for _, f := range slices.Concat(base, head) {
			is := func(g analyze.Finding) bool { return same(&f, &g) }
			n := func(list []analyze.Finding) (n int) {
				for _, g := range list {
					if is(g) {
						n++
					}
				}
				return n
			}
			var p, m int
			for _, c := range pair(base, head) {
				switch {
				case !is(*c.Finding()):
				case c.Sign == Plus:
					p++
				case c.Sign == Minus:
					m++
				}
			}
			if p > 0 && m > 0 || n(head)-n(base) != p-m {
				t.Fatalf("%d added and %d removed where base has %d and head %d", p, m, n(base), n(head))
			}
		}
	})
}

func TestCauses(t *testing.T) {
	by, err := ruleset.Load("r.yaml", []byte(`
remove: {hosts: [webhook.site], networks: [10.0.0.0/8], secrets: [WRD-SEC-OPENAI]}
phrases: [obey me]
hosts: [x.example, y.example]
`))
	if err != nil {
		t.Fatal(err)
	}
	edits := Edits(ruleset.Builtin(), ruleset.Builtin().Amend(by))
	if len(edits) != 6 {
		t.Fatalf("%d edits: %v", len(edits), edits)
	}
	f := func(rule, sub, pointer string, matched ...string) *analyze.Finding {
		x := finding(rule, sub, pointer, matched...)
		return &x
	}
	for _, c := range []struct {
		name    string
		changes []*Change
		want    string // of the first change
	}{
		{"a host", []*Change{{Sign: Minus, Base: f("WRD-RES-EXFIL-DOMAIN", "", "/a", "webhook.site")}}, "host webhook.site removed"},
		{"one of two hosts", []*Change{{Sign: Tilde, Base: f("WRD-RES-EXFIL-DOMAIN", "", "/a", "temp.sh"), Head: f("WRD-RES-EXFIL-DOMAIN", "", "/a", "temp.sh", "y.example")}}, "host y.example added"},
		{"an address", []*Change{{Sign: Minus, Base: f("WRD-RES-EXFIL-IP-LITERAL", "", "/a", "10.2.3.4")}}, "network 10.0.0.0/8 removed"},
		{"a phrase", []*Change{{Sign: Plus, Head: f("WRD-RES-INJECT-PHRASE", "", "/a", "obey me")}}, "phrase obey me added"},
		{"a vendor's key", []*Change{{Sign: Minus, Base: f("WRD-RES-SECRET-ECHO", "WRD-SEC-OPENAI", "/a")}}, "secret WRD-SEC-OPENAI removed"},
		{"a random run in its place", []*Change{{Sign: Plus, Head: f("WRD-RES-SECRET-ECHO", "WRD-SEC-ENTROPY", "/a")}, {Sign: Minus, Base: f("WRD-RES-SECRET-ECHO", "WRD-SEC-OPENAI", "/a")}}, "secret WRD-SEC-OPENAI removed"},
		{"a URL of the same text", []*Change{{Sign: Minus, Base: f("WRD-RES-URL", "", "/a")}, {Sign: Plus, Head: f("WRD-RES-EXFIL-DOMAIN", "", "/a", "x.example")}, {Sign: Plus, Head: f("WRD-RES-INJECT-PHRASE", "", "/b", "obey me")}}, "host x.example added"},
		{"a URL alone", []*Change{{Sign: Minus, Base: f("WRD-RES-URL", "", "/a")}}, "host webhook.site removed; host x.example added; host y.example added"},
	} {
		causes(edits, c.changes)
		var got []string
		for _, e := range c.changes[0].Cause {
			got = append(got, e.String())
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: because of %s, want %s", c.name, s, c.want)
		}
	}
}

func TestEditsOfTheSame(t *testing.T) {
	if e := Edits(ruleset.Builtin(), ruleset.Builtin()); len(e) != 0 {
		t.Errorf("%v", e)
	}
	e := Edits(ruleset.Builtin(), ruleset.Calibrated())
	if len(e) != 1 || e[0].String() != "entropy changed (calibration on)" {
		t.Errorf("%v", e)
	}
}
