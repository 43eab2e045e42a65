package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
)

func TestNotesAreBounded(t *testing.T) {
	for _, nested := range []bool{false, true} {
		for n, more := range map[int]string{maxNotes: "", maxNotes + 1: "; 1 further block like it not listed", 3 * maxNotes: "; 2000 further blocks like it not listed"} {
			frame, sel := `{"jsonrpc":"2.0","id":1,"result":{"content":[`+strings.Repeat(`{},`, n-1)+`{}]}}`, SelectResult
			if nested {
				frame, sel = strings.Replace(frame, `"result":`, `"result":{"result":`, 1)+"}", SelectNested
			}
			fs := scan(t, newCatalog(t, Options{}), frame, sel, analyze.Inspection{})
			notes := fs[:0:0]
			for _, f := range fs {
				if f.Rule == RuleUninspectable {
					notes = append(notes, f)
				}
			}
			if len(notes) != maxNotes {
				t.Fatalf("nested %v: %d notes for %d blocks", nested, len(notes), n)
			}
			if got := notes[maxNotes-1].Message; got != notes[0].Message+more {
				t.Errorf("nested %v, %d blocks: the last says %q", nested, n, got)
			}
		}
	}
}

// many is a result of n structured strings that each name a listed host, and
// some more at the end.
func many(n int, more ...string) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"structuredContent":[`)
	for range n {
		b.WriteString(`"https://webhook.site/x",`)
	}
	for _, s := range more {
		q, _ := json.Marshal(s)
		b.Write(q)
		b.WriteByte(',')
	}
	b.WriteString(`0]}}`)
	return b.String()
}

// TestTextsBeyondTheBound: what comes after ten thousand findings is listed if it
// is new, and redacted in any case.
func TestTextsBeyondTheBound(t *testing.T) {
	c := newCatalog(t, Options{})
	fs := scan(t, c, many(maxListed), SelectResult, analyze.Inspection{})
	if n := len(fs); n != maxListed || fs[n-1].Message != fs[0].Message {
		t.Fatalf("%d findings, the last says %q", n, fs[n-1].Message)
	}
	key := "AKIAABCDEFGHIJKLMNO"
	frame := many(maxListed+2, "10.0.0.1", "10.0.0.2", "exfiltrate", "exfiltrate", "you are now", "\u0085", "\u0085", "\x01", "\x01 and \x02",
		key+"P", key+"Q", "sk-aaaaaaaaaaaaaaaaaaaa "+key+"R", "http://a.example", "http://b.example", "\u202e", "\u202e")
	m := parse(t, []byte(frame))
	hits := c.NewScanner().Message(m, nil)
	fs = c.Findings(m, hits, SelectResult, analyze.Inspection{})
	var got []string
	for _, f := range fs[maxListed:] {
		got = append(got, strings.TrimPrefix(f.Rule, "WRD-RES-")+f.Pointer[strings.LastIndexByte(f.Pointer, '/'):])
	}
	want := "[EXFIL-IP-LITERAL/10002 INJECT-PHRASE/10004 INJECT-PHRASE/10006 ANSI/10007 ANSI/10009 SECRET-ECHO/10011 URL/10014 INVISIBLE/10016]"
	if fmt.Sprint(got) != want {
		t.Errorf("beyond the bound:\n got %v\nwant %s", got, want)
	}
	if last := fs[len(fs)-1].Message; !strings.HasSuffix(last, "; the findings of 10 further texts of this frame are not listed") {
		t.Errorf("the last says %q", last)
	}
	// Another charset must see the C0 control, though C1 came first.
	fs = c.Findings(m, hits, SelectResult, analyze.Inspection{Charset: analyze.CharsetExtended})
	var ansi []string
	for _, f := range fs {
		if f.Rule == RuleANSI {
			ansi = append(ansi, f.Pointer)
		}
	}
	if fmt.Sprint(ansi) != "[/result/structuredContent/10009]" {
		t.Errorf("charset extended: %v", ansi)
	}
	edited, ok := c.Redact(m, hits, SelectResult, analyze.Inspection{}, RedactWhat{ANSI: true, Secrets: true})
	if !ok || !json.Valid(edited) {
		t.Fatal("nothing to redact")
	}
	for _, gone := range []string{key, "sk-aaaaa", `\u0001`, `\u0002`, "\u0085"} {
		if bytes.Contains(edited, []byte(gone)) {
			t.Errorf("%q is still there", gone)
		}
	}
}

// TestNestedTextsBeyondTheBound: what was said of other texts is not said of a
// nested result.
func TestNestedTextsBeyondTheBound(t *testing.T) {
	c := newCatalog(t, Options{})
	frame := many(maxListed + 1) // a rule that is known
	frame = strings.TrimSuffix(frame, "}}") + `,"result":{"content":[{"type":"text","text":"https://webhook.site"},{"type":"text","text":"https://webhook.site"}]}}}`
	fs := scan(t, c, frame, SelectNested, analyze.Inspection{})
	if len(fs) != 1 || fs[0].Rule != RuleDomain || fs[0].Block != 0 || !strings.HasSuffix(fs[0].Message, "; the findings of 1 further text of this frame are not listed") {
		t.Errorf("%+v", fs)
	}
}

func TestSecretsAreBounded(t *testing.T) {
	c := newCatalog(t, Options{})
	var b strings.Builder
	for i := range maxSecrets + 5 {
		fmt.Fprintf(&b, "sk-aaaaaaaaaaaaaa%06d ", i)
	}
	fs := scan(t, c, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+b.String()+`"}]}}`, SelectResult, analyze.Inspection{})
	if len(fs) != maxSecrets || !strings.HasSuffix(fs[maxSecrets-1].Message, "; further secrets of this text are not listed") ||
		strings.Contains(fs[maxSecrets-2].Message, "further") {
		t.Errorf("%d findings, the last says %q", len(fs), fs[len(fs)-1].Message)
	}
}

// TestFirstMatches: the quick way to the first matches is that of sorting them all.
func TestFirstMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const patterns = 4
		var matches []secret.Match
		for i, p := range rapid.SliceOfN(rapid.IntRange(0, patterns-1), 0, 20).Draw(t, "patterns") {
			matches = append(matches, secret.Match{Pattern: p, Start: i, End: i + 1})
		}
		most := rapid.IntRange(1, 20).Draw(t, "most")
		want := slices.Clone(matches)
		slices.SortStableFunc(want, func(a, b secret.Match) int { return a.Pattern - b.Pattern })
		want = want[:min(most, len(want))]
		if got := firstMatches(matches, patterns, most); !slices.Equal(got, want) {
			t.Fatalf("%v, not %v", got, want)
		}
	})
}

// TestSecretsOfTextsBeyondTheBound: a text behind those that used up the bound
// still has its secret named, and all are redacted.
func TestSecretsOfTextsBeyondTheBound(t *testing.T) {
	c := newCatalog(t, Options{})
	var b strings.Builder
	for i := range maxSecrets + 5 {
		fmt.Fprintf(&b, "sk-aaaaaaaaaaaaaa%06d ", i)
	}
	m := parse(t, []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+b.String()+
		`"},{"type":"text","text":"AKIAABCDEFGHIJKLMNOP AKIAABCDEFGHIJKLMNOQ"}]}}`))
	hits := c.NewScanner().Message(m, nil)
	for _, charset := range []analyze.Charset{analyze.CharsetText, analyze.CharsetExtended} {
		fs := c.Findings(m, hits, SelectResult, analyze.Inspection{Charset: charset})
		if len(fs) != maxSecrets+1 || fs[maxSecrets].Block != 1 || !strings.HasSuffix(fs[maxSecrets].Message, "; further secrets of this text are not listed") {
			t.Errorf("%d findings, the last is %+v", len(fs), fs[len(fs)-1])
		}
	}
	edited, ok := c.Redact(m, hits, SelectResult, analyze.Inspection{}, RedactWhat{Secrets: true})
	if !ok || bytes.Contains(edited, []byte("sk-aaaaa")) || bytes.Contains(edited, []byte("AKIAA")) {
		t.Error("a secret is left")
	}
}

func TestAddressesAreBounded(t *testing.T) {
	c := newCatalog(t, Options{})
	var b strings.Builder
	for i := range 3 * maxAddresses {
		fmt.Fprintf(&b, "10.0.%d.%d ", i/256, i%256)
	}
	fs := c.Text([]byte(b.String()), analyze.Inspection{})
	if len(fs) != 1 || len(fs[0].Matched) != maxAddresses || len(fs[0].Spans) != maxSpans || !strings.HasSuffix(fs[0].Message, " and 980 more, and others") {
		t.Errorf("%d findings: %d addresses, %d spans, %q", len(fs), len(fs[0].Matched), len(fs[0].Spans), fs[0].Message[len(fs[0].Message)-40:])
	}
}

// TestMemoryOfHostileFrames: what a frame makes is bounded by its size, not by
// how often it repeats itself. What is counted is all that is allocated, freed or
// not.
func TestMemoryOfHostileFrames(t *testing.T) {
	deep := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(`{"h":"https://webhook.site/","d":`)
		}
		return `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":` + b.String() + "0" + strings.Repeat("}", n) + "}}"
	}
	text := func(s string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + s + `"}]}}`
	}
	rows := map[string]string{
		"blocks":       `{"jsonrpc":"2.0","id":1,"result":{"content":[` + strings.Repeat(`{},`, 500_000) + `{}]}}`,
		"hosts":        many(220_000),
		"levels":       deep(30_000),
		"addresses":    text(strings.Repeat("::1 ", 2<<20)),
		"short texts":  `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":[` + strings.Repeat(`"::1",`, 1_000_000) + `0]}}`,
		"controls":     `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":[` + strings.Repeat(`"\u0001",`, 500_000) + `0]}}`,
		"many spans":   `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":[` + strings.Repeat(`"`+strings.Repeat("\u0085 ", 1000)+`",`, 2000) + `0]}}`,
		"phrases":      text(strings.Repeat("exfiltrate ", 500_000)),
		"listed hosts": text(strings.Repeat("t.webhook.site ", 400_000)),
		"invisible":    text(strings.Repeat("\u202e ", 1_500_000)),
	}
	c := newCatalog(t, Options{})
	for name, frame := range rows {
		raw := padded([]byte(frame))
		var p jsonrpc.Parser
		var m jsonrpc.Message
		p.Load(raw)
		if _, ok := p.Message(0, len(raw), &m); !ok {
			t.Fatalf("%s: no message", name)
		}
		s := c.NewScanner()
		s.Message(parse(t, []byte(text("x"))), nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		hits := s.Message(&m, nil)
		fs := c.Findings(&m, hits, SelectResult, analyze.Inspection{})
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(96<<20); got > most {
			t.Errorf("%s: %d MiB for %d findings", name, got>>20, len(fs))
		}
		if len(fs) == 0 {
			t.Errorf("%s: nothing found", name)
		}
		t.Logf("%s: %d MiB, %d hits, %d findings", name, (after.TotalAlloc-before.TotalAlloc)>>20, len(hits), len(fs))
	}
}
