package catalog

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/ruleset"
	"pgregory.net/rapid"
)

// moreRules is a ruleset that goes where the built-in one does not: patterns that
// only an expression can match, short labels, hosts without a dot, phrases in
// other scripts and of letters with odd case forms.
const moreRules = `
secrets:
  - {id: ACME-LAZY, pattern: 'acme[a-z]*?[0-9]+x?', keywords: [acme], severity: low}
  - {id: ACME-WORD, pattern: '(?i)\bkey-(?:a|bb)[0-9]{3,5}\b', keywords: [KEY-], severity: medium}
  - {id: ACME-FAR, pattern: '\btok_[a-z_-]{4,}\b', keywords: [tok_], severity: high}
  - {id: ACME-ALT, pattern: '\b(?:zz|zzy)[0-9]{2}(?:ab|cd)?', keywords: [zz], severity: high}
hosts: [t.co, a.b, bücher.example, corp, x.y/deep/path, 例え.jp]
networks: [{cidr: 100.64.0.0/10, label: shared}, {cidr: 'fd00:1::/32', label: lab}, {cidr: 0.0.0.0/8, label: zero}]
phrases: ['kiss ask', 'забудь всё', '忽略之前', 'ok', 'straße', "sk", 'a  b']
`

func more() string { return strings.Replace(moreRules, "keywords: [zz]", "keywords: [zz0, zz1]", 1) }

func testSets(t testing.TB) map[string]*ruleset.Set {
	add, err := ruleset.Load("more.yaml", []byte(more()))
	if err != nil {
		t.Fatal(err)
	}
	set, err := ruleset.Builtin().Merge(add)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*ruleset.Set{"builtin": ruleset.Builtin(), "more": set}
}

// pair is a catalog and its plain reading.
type pair struct {
	name  string
	c     *Catalog
	plain *plainRules
	cov   analyze.Coverage
}

func pairs(t testing.TB) (out []pair) {
	for name, set := range testSets(t) {
		for _, cov := range []analyze.Coverage{analyze.Full, analyze.Spec} {
			for _, l := range backends() {
				c, err := New(Options{Rules: set, Coverage: cov})
				if err != nil {
					t.Fatal(err)
				}
				c.backend = l
				out = append(out, pair{fmt.Sprintf("%s, %s, %s", name, cov, l.name), c,
					&plainRules{set: set, deny: set.Hosts, phrases: set.Phrases, wide: cov == analyze.Full}, cov})
			}
		}
	}
	return out
}

// frames writes a text into a tool's result in two ways: as it is where JSON
// allows, and with every character escaped.
func frames(text string) [][]byte {
	var raw, escaped strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			raw.WriteByte('\\')
			raw.WriteRune(r)
		case r == '\n':
			raw.WriteString(`\n`)
		case r < 0x20:
			fmt.Fprintf(&raw, `\u%04x`, r)
		default:
			raw.WriteRune(r)
		}
		if r >= 0x10000 {
			fmt.Fprintf(&escaped, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		} else {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	var out [][]byte
	for _, s := range []string{raw.String(), escaped.String()} {
		out = append(out, []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+s+`"}]}}`))
	}
	return out
}

// padded gives bytes the room behind them that readers want.
func padded(b []byte) []byte { return append(b, make([]byte, jsonrpc.Pad)...)[:len(b)] }

// check is what testing.TB and rapid.T have in common.
type check interface {
	Helper()
	Fatalf(format string, args ...any)
}

func parse(t check, frame []byte) *jsonrpc.Message {
	t.Helper()
	var p jsonrpc.Parser
	var m jsonrpc.Message
	buf := padded(frame)
	p.Load(buf)
	if end, ok := p.Message(0, len(buf), &m); !ok || end != len(buf) {
		t.Fatalf("the test's own frame is no message: %q", frame)
	}
	return &m
}

// agree compares scanner and plain reading over one text.
func agree(t check, p *pair, text string) {
	t.Helper()
	want := p.plain.all(text)
	for i, frame := range frames(text) {
		m := parse(t, frame)
		hits := p.c.NewScanner().Message(m, nil)
		m.Texts, m.Notes = nil, nil // the parser has moved on
		var got []plainFinding
		var rules found
		for _, f := range p.c.Findings(m, hits, SelectResult, analyze.Inspection{}) {
			if f.Pointer != "/result/content/0/text" || f.Block != 0 {
				t.Fatalf("%s: finding at %q, block %d", p.name, f.Pointer, f.Block)
			}
			matched := f.Matched
			if f.Rule == RuleURL {
				var n int
				if _, err := fmt.Sscanf(f.Message, "the text holds %d URL", &n); err != nil {
					t.Fatalf("message %q", f.Message)
				}
				matched = []string{fmt.Sprint(n)}
			}
			got = append(got, plainFinding{f.Rule, f.SubRule, f.Spans, matched})
			rules |= map[string]found{RuleANSI: foundANSI, RuleSecret: foundSecret, RuleDomain: foundDomain, RuleIP: foundIP,
				RuleURL: foundURL, RulePhrase: foundPhrase, RuleInvisible: foundInvisible}[f.Rule]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s, writing %d of %q:\n got %v\nwant %v", p.name, i, text, got, want)
		}
		var hot found
		for _, h := range hits {
			hot |= h.found
		}
		if hot&^foundC0 != rules {
			t.Fatalf("%s, writing %d of %q: the first look saw rules %07b, the second %07b", p.name, i, text, hot, rules)
		}
	}
}

// shards are what texts are made of: pieces of everything that a rule is about,
// whole and broken.
var shards = []string{
	"", " ", "  ", "\n", "\t", ".", "..", "-", "_", "/", "//", "://", ":", "::", "@", "[", "]", "(", ")", "\"", "'", "`", "\\", ",", ";", "<", "|", "%", "?", "#", "=", "+",
	"a", "b", "x", "Z", "0", "7", "9", "e", "the quick brown fox", "word", "字", "é", "ſ", "K", "İ", "\u0301", "🏴", "👁️‍🗨️", "❤️", "\u00a0", "\u3000", "\u2028", "\u2029", "\ufffd",
	"\x00", "\x1b[31m", "\x7f", "\u0080", "\u009b", "\u009f", "\u0085", "\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\ufe0f", "\ufe0e", "\U000e0100", "\U000e0041", "\U000e0061\U000e0062\U000e0063", "\U000e007f",
	"\u202e", "\u2066", "\u2064", "\ufe01",
	"sk-", "sk-aaaaaaaaaaaaaaaaaaa", "aaaaaaaaaa", "AAAAAAAAAAAAAAAA", "0123456789", "ghp_", "gho_", "ghx_", "AKIA", "xoxb-", "xoxc-", "eyJ", "eyJ-", "-----", "BEGIN ", "RSA ", "PGP ", "PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----",
	"aB3dE5gH7jK9mN1pQ4sT6vW8", "aB3dE5gH7jK9", "mN1pQ4sT6vW8", "+/_=-", "0123456789abcdef0123456789abcdef", "fedcba98", "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ",
	"http", "https", "HTTP", "ftp", "wss", "ws", "sftp", "http://", "https://", "ftp://", "ws://", "u:p@", ":8080", "webhook", "site", "webhook.site", "Webhook.Site", "0x0.st", "ngrok.io", "xngrok.io", "discord.com", "/api/webhooks", "/api", "discord.com/api/webhooks/1",
	"https://webhook.site", "http://10.0.0.1", "**", "!", "&b=1", "%20", "~", "”", "，", "、", "—", "🎉", "\x07", "\x1b[0m", "\x1b[1;34m", "\x1b]8;;", "\x1b]8;id=1;", "\x1b\\", "\x1b(B", "\x1bc", "\u009b1m", "\u009d8;;", "\u009c", "m",
	"AKIAABCDEFGHIJKLMNOP", "example.com", "t.co", "a.b", "corp", "x.y", "/deep/path", "bücher.example", "xn--bcher-kva.example", "BÜCHER.example", "webhook。site", "webhook%2esite", "ｗebhook．site", "例え.jp", "web\u200bhook.site", "%e3%80%82",
	"10.0.0.1", "127.0.0.1", "127.0.0.01", "192.168.1.9", "8.8.8.8", "169.254.169.254", "256.1.1.1", "100.64.0.1", "0177.0.0.1", "0x7f.1", "2130706433", "127.1", "0x7f000001", "1.2.3", "10", "172.16", "017700000001", "１２７.0.0.1", "ẞ", "http://ⓣ.co", "http://t.ⓒo/", "http://é.a.b", "http://a.é/",
	"::1", "fe80::1", "fe80::1%eth0", "fd00:1::2", "::ffff:10.0.0.1", "0:0:0:0:0:0:0:1", "0:0:0:0:0:ffff:127.0.0.1", "2001:db8::1", "fc00:", "ab:cd:ef", "1:2:3:4:5:6:7:8", "fe80:0:0:0:1:2:3:4",
	"ignore", "IGNORE", "previous", "previouſ", "instructions", "instructionſ", "all", "you", "are", "now", "new instructions:", "system prompt:", "exfiltrate", "send the following to", "Diſregard", "from now on you are", "do not tell the user",
	"kiss", "ask", "aſK", "забудь", "ЗАБУДЬ", "всё", "忽略之前", "忽略", "之前", "ok", "oK", "straße", "STRAẞE", "a  b", "a\u2028b",
	"acme", "acmex12x", "12", "key-a123", "KEY-bb12345", "key-a12", "tok_", "tok_ab-cd-", "_-_-", "zz", "zz01ab", "zzy", "zz0", "zz12cd",
}

func text(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(shards), 0, 14).Draw(t, "parts")
	pad := rapid.IntRange(0, 70).Draw(t, "pad")
	return strings.Repeat("p", pad/2) + strings.Repeat(" ", pad-pad/2) + strings.Join(parts, "")
}

func TestScannerAgreesWithThePlainReading(t *testing.T) {
	ps := pairs(t)
	rapid.Check(t, func(t *rapid.T) {
		s := text(t)
		agree(t, &ps[rapid.IntRange(0, len(ps)-1).Draw(t, "pair")], s)
	})
}

// TestScannerAgreesOnWhatWasFound: texts on which the two once differed.
func TestScannerAgreesOnWhatWasFound(t *testing.T) {
	for _, s := range []string{
		"http://webhook.site.",  // the root's dot is no part of the match
		"corp..webhook.site",    // one label before two dots is no host
		"http://webhook.site./", // the same with a path
		"http://webhook.site..", // and with a dot too many
		"httpſ://.",             // schemes are ASCII: no long s
	} {
		for _, p := range pairs(t) {
			agree(t, &p, s)
		}
	}
}

func TestScannerAgreesOnEveryShardAtEveryBlockEdge(t *testing.T) {
	ps := pairs(t)
	for i, s := range shards {
		for pad := range 68 {
			p := &ps[(i+pad)%len(ps)]
			agree(t, p, strings.Repeat(" ", pad)+s+" "+shards[(i*7+pad)%len(shards)])
		}
	}
}

func FuzzScanner(f *testing.F) {
	ps := pairs(f)
	for _, s := range shards {
		f.Add(s + " " + s)
	}
	f.Add("Ignore  previous\tinstructions https://webhook.site/x http://10.0.0.1 sk-aaaaaaaaaaaaaaaaaaaaaaaa ::1")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 4096 {
			return
		}
		for i := range ps {
			agree(t, &ps[i], s)
		}
	})
}

// plainKernel is the kernel byte by byte, from the classes of the nibble tables.
func plainKernel(src []byte, n int, out []block, t *tables) {
	for i := range n * 64 {
		b, bit := &out[i/64], uint64(1)<<(i%64)
		p := src[i : i+1+ahead]
		set := func(m *uint64, on bool) {
			if *m &^= bit; on {
				*m |= bit
			}
		}
		char := t.char.of(p[0])
		set(&b.piece, char&pieceMask != 0)
		set(&b.dot, char>>classDot&1 != 0)
		set(&b.colon, char>>classColon&1 != 0)
		set(&b.next, p[0] == ':' && (p[1] == ':' || p[1] == '/'))
		set(&b.odd, t.odd[0].of(p[0])&t.odd[1].of(p[1])&t.odd[2].of(p[2]) != 0)
		set(&b.clue, t.clue[0].of(p[0])&t.clue[1].of(p[1])&t.clue[2].of(p[2])&t.clue[3].of(p[3]) != 0)
	}
}

func TestKernelsAgree(t *testing.T) {
	for name, set := range testSets(t) {
		for _, coverage := range []analyze.Coverage{analyze.Full, analyze.Spec} {
			c, err := New(Options{Rules: set, Coverage: coverage})
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 5).Draw(t, "blocks")
				src := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("sk-:/.::aignorevxfiltell\xe2\x80\x8b\xc2\x9b\xef\xb8\x8f\xf3\xa0\x80"))), n*64+ahead, n*64+ahead).Draw(t, "bytes")
				for range rapid.IntRange(0, 40).Draw(t, "shards") { // what begins a clue is seldom drawn byte by byte
					at := rapid.IntRange(0, len(src)-1).Draw(t, "at")
					if rapid.Bool().Draw(t, "edge") {
						at |= 60 // right before the end of a block
					}
					copy(src[min(at, len(src)):], rapid.SampledFrom(shards).Draw(t, "shard"))
				}
				want := make([]block, n)
				plainKernel(src, n, want, c.tables)
				for _, l := range backends() {
					got := make([]block, n)
					for i := range got {
						got[i] = block{1, 2, 3, 4, 5, 6} // what an earlier chunk left
					}
					l.kernel(src, n, got, c.tables)
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("%s: %q\nplain %x\n%s %x", name, src, want, l.name, got)
					}
				}
			})
		}
	}
}
