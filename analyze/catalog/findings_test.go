package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"pgregory.net/rapid"
)

func newCatalog(t testing.TB, o Options) *Catalog {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// scan returns the findings of a frame, strictly read.
func scan(t testing.TB, c *Catalog, frame string, sel Select, ins analyze.Inspection) []analyze.Finding {
	t.Helper()
	m := parse(t, []byte(frame))
	return c.Findings(m, c.NewScanner().Message(m, nil), sel, ins)
}

// short is RULE or SUBRULE, block, pointer.
func short(fs []analyze.Finding) (out []string) {
	for _, f := range fs {
		id := strings.TrimPrefix(f.Rule, "WRD-RES-")
		if f.SubRule != "" {
			id = strings.TrimPrefix(f.SubRule, "WRD-SEC-")
		}
		out = append(out, fmt.Sprintf("%s@%d%s", id, f.Block, f.Pointer))
	}
	return out
}

const (
	openai = "sk-aaaaaaaaaaaaaaaaaaaa"
	random = "aB3dE5gH7jK9mN1pQ4sT6vW8"
)

func TestWordsOfAText(t *testing.T) {
	type row struct {
		text       string
		full, spec string // rules of the findings, in order
	}
	const same = "\x00"
	for _, r := range []row{
		// The authority ends where no URL could go on.
		{`"https://webhook.site"`, "EXFIL-DOMAIN", same},
		{`(https://webhook.site)`, "EXFIL-DOMAIN", same},
		{`https://webhook.site]`, "EXFIL-DOMAIN", same},
		{`https://webhook.site. Then`, "EXFIL-DOMAIN", same},
		{`https://webhook.site_x/`, "EXFIL-DOMAIN", "URL"},
		{`https://a.example/?u=https://webhook.site/`, "EXFIL-DOMAIN URL", same},
		{`sftp://webhook.site/`, "", same},
		{`x+http://webhook.site/ _http://webhook.site/`, "EXFIL-DOMAIN", same},
		{`https://webhook.site@good.example/`, "URL", same},
		{`https://good.example:webhook.site/`, "EXFIL-DOMAIN URL", same}, // the bare token behind the colon
		{`https:// and http:///x`, "", same},
		{`https://discord.com/api/webhooks/1`, "EXFIL-DOMAIN", same},
		{`https://discord.com/api discord.com/api/webhooks`, "URL", same},
		// The host as it ends for who finds URLs in prose.
		{`**https://webhook.site**`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site!`, "EXFIL-DOMAIN", "URL"},
		{`https://WEBHOOK.site.!`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site&b=1`, "EXFIL-DOMAIN", "URL"},
		{`https://e.example/?u=https://webhook.site&b=1`, "EXFIL-DOMAIN URL", "URL"},
		{`https://webhook.site= https://webhook.site$ https://webhook.site+ https://webhook.site^ https://webhook.site~`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site”`, "EXFIL-DOMAIN", "URL"}, {`https://webhook.site’`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site」`, "EXFIL-DOMAIN", "URL"}, {`https://webhook.site，`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site、`, "EXFIL-DOMAIN", "URL"}, {`https://webhook.site—`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site•`, "EXFIL-DOMAIN", "URL"}, {"https://webhook.site\u00a0x", "EXFIL-DOMAIN", "URL"},
		{"https://webhook.site\u3000x", "EXFIL-DOMAIN", "URL"}, {`https://webhook.site%20x`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site🎉`, "EXFIL-DOMAIN", "URL"}, {`https://webhook.site'`, "EXFIL-DOMAIN", same},
		{`https://webhook.site**:443/x`, "EXFIL-DOMAIN", "URL"},
		{`https://discord.com!/api/webhooks/1`, "EXFIL-DOMAIN", "URL"},
		{`http://169.254.169.254**`, "EXFIL-IP-LITERAL URL", "URL"},
		{`https://10.0.0.1!`, "EXFIL-IP-LITERAL URL", "URL"},
		{`https://2130706433!`, "EXFIL-IP-LITERAL URL", "URL"},
		{`https://mywebhook.site! https://webhook.sites!`, "URL", same},
		{`https://!webhook.site`, "EXFIL-DOMAIN URL", same}, // the bare token
		{`https://é.webhook.sité`, "URL", same},
		{`https://webhook.site，@x`, "EXFIL-DOMAIN", "URL"}, {`https://webhook.site**@good.example`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site:443，@good.example`, "EXFIL-DOMAIN", "URL"}, {`https://10.0.0.1!@`, "EXFIL-IP-LITERAL URL", "URL"},
		{`https://webhook.site%20@[2001:db8::1]`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook.site:pw@good.example https://webhook.site:1@good.example https://webhook.site:1a@b.example`, "URL", same},
		{`https://webhook。site、 https://webhook。site，x`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook%2esite%20x`, "EXFIL-DOMAIN", "URL"}, {`http://１２７．0．0．1！`, "EXFIL-IP-LITERAL URL", "URL"},
		// Controls end an authority.
		{"https://webhook.site\x07", "ANSI EXFIL-DOMAIN", same},
		{"https://webhook.site\x00x", "ANSI EXFIL-DOMAIN", same},
		{"https://webhook.site\x7fx", "ANSI EXFIL-DOMAIN", same},
		{"https://webhook.site\u0080x", "ANSI EXFIL-DOMAIN", same},
		{"https://webhook.site\u009fx", "ANSI EXFIL-DOMAIN", same},
		{"https://10.0.0.1\x1b[0m", "ANSI EXFIL-IP-LITERAL URL", same},
		// Bare tokens.
		{`webhook.site..x`, "EXFIL-DOMAIN", same},
		{`x..webhook.site`, "", same},
		{`字webhook.site`, "EXFIL-DOMAIN", same},
		{`-webhook.site`, "", same},
		// The wider readings of a host.
		{`https://webhook。site/`, "EXFIL-DOMAIN", "URL"},
		{`https://webhook%2esite/`, "EXFIL-DOMAIN", "URL"},
		{"https://web\u200bhook.site/", "EXFIL-DOMAIN", "URL"},
		{`https://ｗｅｂｈｏｏｋ．ｓｉｔｅ/`, "EXFIL-DOMAIN", "URL"},
		{`https://webhооk.site/`, "URL", same}, // Cyrillic letters
		{`http://2130706433/`, "EXFIL-IP-LITERAL URL", "URL"},
		{`http://0x7f.1/`, "EXFIL-IP-LITERAL URL", "URL"},
		{`http://127.0.0.01/`, "EXFIL-IP-LITERAL URL", "URL"},
		{`http://4294967296/ http://1.2.3.4.5/`, "URL", same},
		// Addresses.
		{`at 10.0.0.1.`, "EXFIL-IP-LITERAL", same},
		{`192.168.1.1-192.168.1.9`, "EXFIL-IP-LITERAL", same},
		{`10.0.0.1-beta v10.0.0.1 x/10.0.0.1 10.0.0.1.5 10.0.0.01`, "", same},
		{`[::1]:80`, "EXFIL-IP-LITERAL", same},
		{`fe80::1%eth0`, "EXFIL-IP-LITERAL", same},
		{`see fe80::1.`, "EXFIL-IP-LITERAL", same},
		{`std::dead 12:30:45 a::b::c 2001:db8::1`, "", same},
		{`::ffff:10.0.0.1`, "EXFIL-IP-LITERAL", same},
		{`::ffff:8.8.8.8`, "", same},
		{`http://[fd00::1]/`, "EXFIL-IP-LITERAL URL", same},
		// Secrets.
		{openai + "_x", "", same},
		{"key=" + openai + "=", "OPENAI", same},
		{random + "." + random + "! " + random, "ENTROPY", same},
		{random + " " + strings.ToLower(random) + "Z", "ENTROPY ENTROPY", same},
		{"ghp_aB3dE5gH7jK9mN1pQ4sT6vW8aB3dE5gH7jK9/8Wv6Ts4Qp1Nm9Kj7Hg5Ed3Ba", "GITHUB", same},
		{"eyJaaaaaaaaaa.bbbbbbbbbb.cccccccccc-", "JWT", same},
		{"AKIAAAAAAAAAAAAAAAAA " + openai, "OPENAI AWS-AKID", same}, // table order, not text order
		// Phrases.
		{"DI\u017fREGARD\u2028previous \r\n instructions", "ANSI INJECT-PHRASE", same},
		{"ignorepreviousinstructions, ignore previous  instruction", "", same},
		// Invisible characters.
		{"\u202e", "INVISIBLE", ""},
		{"a\u200bb\ufeffc\ufe0fd", "", same},
		{"a\u200b\u200cb", "INVISIBLE", ""},
		{"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "", same},
		{"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067", "INVISIBLE", ""},
		{"\U0001F441\uFE0F\u200D\U0001F5E8\uFE0F 1\uFE0F\u20E3", "", same},
		{"\U0001F600\uFE0F\uFE01", "", same}, // one selector for show, one alone
		{"\U0001F600\uFE01\uFE02", "INVISIBLE", ""},
		{strings.Repeat("\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", 3), "", same},
		{"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F", "", same},
		{"\U0001F3F4\U000E0075\U000E0073\U000E0074\U000E0078\U000E007F", "INVISIBLE", ""},                                         // no such flag
		{"\U0001F3F4\U000E0068\U000E0069\U000E0064\U000E007F\U0001F3F4\U000E0065\U000E006E\U000E0064\U000E007F", "INVISIBLE", ""}, // spells words
		// Escape sequences of terminals hide no beginning of what follows.
		{"\x1b[34mhttps://webhook.site/x\x1b[0m", "ANSI EXFIL-DOMAIN", "ANSI"},
		{"\x1b[34mhttps://a.example/x\x1b[0m https://b.example", "ANSI URL", same},
		{"\x1b[34mwebhook.site\x1b[0m", "ANSI EXFIL-DOMAIN", "ANSI"},
		{"\x1b[1m10.0.0.1\x1b[0m", "ANSI EXFIL-IP-LITERAL", "ANSI"},
		{"\x1b[1m::1\x1b[0m", "ANSI EXFIL-IP-LITERAL", "ANSI"},
		{"\x1b[1mignore\x1b[0m \x1b[3mprevious instructions", "ANSI INJECT-PHRASE", "ANSI"},
		{"\x1b[32mAKIAABCDEFGHIJKLMNOP\x1b[0m", "ANSI AWS-AKID", "ANSI"},
		{"\u009b32mAKIAABCDEFGHIJKLMNOP\u009b0m", "ANSI AWS-AKID", "ANSI"},
		{"\x1b(BAKIAABCDEFGHIJKLMNOP \x1bcAKIAABCDEFGHIJKLMNOQ", "ANSI AWS-AKID AWS-AKID", "ANSI"},
		{"\x1b[1\x07;2mAKIAABCDEFGHIJKLMNOP", "ANSI AWS-AKID", "ANSI"},                         // a terminal rings and goes on
		{"\x1b[AKIAABCDEFGHIJKLMNOP \x1bAKIAABCDEFGHIJKLMNOP", "ANSI AWS-AKID AWS-AKID", same}, // who drops the ESC alone reads a key
		{"\x1b[32m" + random + "\x1b[0m", "ANSI ENTROPY", same},
		{"\x1b]8;;https://webhook.site/x\x1b\\click\x1b]8;;\x1b\\", "ANSI EXFIL-DOMAIN", same},
		{"\x1b]8;id=1;https://webhook.site\x07click\x1b]8;;\x07", "ANSI EXFIL-DOMAIN", same},
		{"\u009d8;;https://webhook.site\u009cclick", "ANSI EXFIL-DOMAIN", same},
		{"\x1b]0AKIAABCDEFGHIJKLMNOP\x07", "ANSI AWS-AKID", "ANSI"},
		// Code points that are allowed.
		{"a\tb\nc\rd\u00a0\u00ad\ufffe\U0010ffff", "", same},
		{"\x00", "ANSI", same}, {"\x7f", "ANSI", same}, {"\u0080", "ANSI", same}, {"\u009f", "ANSI", same}, {"\u2029", "ANSI", same},
	} {
		for _, cov := range []analyze.Coverage{analyze.Full, analyze.Spec} {
			want := r.full
			if cov == analyze.Spec && r.spec != same {
				want = r.spec
			}
			c := newCatalog(t, Options{Coverage: cov})
			q, _ := json.Marshal(r.text)
			var ids []string
			for _, s := range short(scan(t, c, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(q)+`}]}}`, SelectResult, analyze.Inspection{})) {
				id, _, _ := strings.Cut(s, "@")
				ids = append(ids, id)
			}
			if got := strings.Join(ids, " "); got != want {
				t.Errorf("%s %q: %q, want %q", cov, r.text, got, want)
			}
		}
	}
}

func TestOrderPlacesAndWords(t *testing.T) {
	frame := `{"jsonrpc":"2.0","id":7,"result":{"_meta":{"note":"you are now"},"isError":true,"content":[` +
		`{"type":"image","data":"AAAA","mimeType":"image/png"},` +
		`{"type":"text","text":"é\u001b[2J ` + openai + ` https://webhook.site/x http://10.0.0.1/y Ignore previous instructions"},` +
		`{"type":"resource","resource":{"uri":"https://a.example/","text":"` + random + `"}}],` +
		`"structuredContent":{"` + openai + `":"plain"}}}`
	c := newCatalog(t, Options{})
	fs := scan(t, c, frame, SelectResult, analyze.Inspection{Invalid: []string{"bad charset"}})
	want := []string{"LOCK-INVALID@-1", "UNINSPECTABLE@0/result/content/0", "ANSI@1/result/content/1/text", "OPENAI@1/result/content/1/text",
		"EXFIL-DOMAIN@1/result/content/1/text", "EXFIL-IP-LITERAL@1/result/content/1/text", "URL@1/result/content/1/text", "INJECT-PHRASE@1/result/content/1/text",
		"URL@2/result/content/2/resource/uri", "ENTROPY@2/result/content/2/resource/text",
		"INJECT-PHRASE@-1/result/_meta/note", "OPENAI@-1/result/structuredContent/sk-a…(len=23)"}
	if got := short(fs); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, f := range fs {
		if !f.IsError {
			t.Errorf("%s does not say that the result is an error", f.Rule)
		}
		text := fmt.Sprintf("%+v", f)
		if strings.Contains(text, openai) || strings.Contains(text, random) {
			t.Errorf("%s shows a secret: %s", f.Rule, text)
		}
		if f.Message == "" {
			t.Errorf("%s says nothing", f.Rule)
		}
	}
	at := func(i int, span analyze.Span, tier analyze.Tier, sev analyze.Severity, matched string) {
		t.Helper()
		f := fs[i]
		if f.Spans[0] != span || f.Tier != tier || f.Severity != sev || strings.Join(f.Matched, ",") != matched {
			t.Errorf("%s: spans %v, %v, %v, matched %q", f.Rule, f.Spans, f.Tier, f.Severity, f.Matched)
		}
	}
	at(2, analyze.Span{Start: 1, End: 2}, analyze.Block, analyze.High, "")
	at(3, analyze.Span{Start: 6, End: 29}, analyze.Block, analyze.Critical, "sk-a…(len=23)")
	at(4, analyze.Span{Start: 38, End: 50}, analyze.Block, analyze.High, "webhook.site")
	at(5, analyze.Span{Start: 60, End: 68}, analyze.Block, analyze.High, "10.0.0.1")
	at(6, analyze.Span{Start: 53, End: 68}, analyze.Note, analyze.Low, "")
	at(7, analyze.Span{Start: 71, End: 99}, analyze.Monitor, analyze.Medium, "ignore previous instructions")
	if want := "1 control character: U+001B"; fs[2].Message != want {
		t.Errorf("message %q, want %q", fs[2].Message, want)
	}
	if want := "internal addresses: 10.0.0.1 (10.0.0.0/8, RFC 1918)"; !strings.Contains(fs[5].Message, want) {
		t.Errorf("message %q", fs[5].Message)
	}
	if !strings.Contains(fs[4].Snippet, "webhook.site/x") || !strings.Contains(fs[4].Snippet, "sk-a…(len=23)") {
		t.Errorf("snippet %q", fs[4].Snippet)
	}
}

func TestManyControlCharactersAreOneFinding(t *testing.T) {
	c := newCatalog(t, Options{})
	fs := scan(t, c, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+strings.Repeat(`\u001b\u0000x\u009b`, 4000)+`"}]}}`, SelectResult, analyze.Inspection{})
	if len(fs) != 1 || len(fs[0].Spans) != maxSpans || fs[0].Message != "12000 control characters: U+001B, U+0000, U+009B, U+001B, U+0000, ..." {
		t.Fatalf("%d findings, %d spans, %q", len(fs), len(fs[0].Spans), fs[0].Message)
	}
}

func TestLockSettings(t *testing.T) {
	text := `a\u001bb\u009bc ` + openai + ` https://a.example/ https://webhook.site/`
	frame := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
	c := newCatalog(t, Options{})
	for _, row := range []struct {
		ins  analyze.Inspection
		want string
	}{
		{analyze.Inspection{}, "ANSI:2 SECRET-ECHO/block EXFIL-DOMAIN URL"},
		{analyze.Inspection{Charset: analyze.CharsetExtended}, "ANSI:1 SECRET-ECHO/block EXFIL-DOMAIN URL"},
		{analyze.Inspection{Charset: analyze.CharsetBinary}, "SECRET-ECHO/block EXFIL-DOMAIN URL"},
		{analyze.Inspection{MayReturnURLs: true}, "ANSI:2 SECRET-ECHO/block EXFIL-DOMAIN"},
		{analyze.Inspection{SecretsOff: true}, "ANSI:2 SECRET-ECHO/note EXFIL-DOMAIN URL"},
	} {
		var got []string
		for _, f := range scan(t, c, frame, SelectResult, row.ins) {
			id := strings.TrimPrefix(f.Rule, "WRD-RES-")
			switch f.Rule {
			case RuleANSI:
				id += fmt.Sprintf(":%d", len(f.Spans))
			case RuleSecret:
				id += "/" + f.Tier.String()
				if (f.Severity == analyze.Low) != row.ins.SecretsOff {
					t.Errorf("severity %v", f.Severity)
				}
			}
			got = append(got, id)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%+v: %v, want %s", row.ins, got, row.want)
		}
	}
}

func TestSelections(t *testing.T) {
	c := newCatalog(t, Options{})
	frame := `{"jsonrpc":"2.0","id":1,"result":{"status":"completed","statusMessage":"you are now","result":{"content":[{"type":"audio","data":"AAAA"},{"type":"text","text":"` + openai + `"}]}}}`
	if got := short(scan(t, c, frame, SelectNested, analyze.Inspection{})); fmt.Sprint(got) != "[UNINSPECTABLE@0/result/result/content/0 OPENAI@1/result/result/content/1/text]" {
		t.Errorf("nested: %v", got)
	}
	if got := short(scan(t, c, frame, SelectResult, analyze.Inspection{})); fmt.Sprint(got) != "[INJECT-PHRASE@-1/result/statusMessage OPENAI@-1/result/result/content/1/text]" {
		t.Errorf("whole: %v", got)
	}
	failed := `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"you are now","data":["` + openai + `"]}}`
	if got := short(scan(t, c, failed, SelectResult, analyze.Inspection{})); fmt.Sprint(got) != "[INJECT-PHRASE@-1/error/message OPENAI@-1/error/data/0]" {
		t.Errorf("error: %v", got)
	}
	spec := newCatalog(t, Options{Coverage: analyze.Spec})
	for _, f := range []string{frame, failed} {
		if got := scan(t, spec, f, SelectResult, analyze.Inspection{}); len(got) != 0 {
			t.Errorf("spec: %v", short(got))
		}
	}
}

func TestAmbiguousFrames(t *testing.T) {
	c, spec := newCatalog(t, Options{}), newCatalog(t, Options{Coverage: analyze.Spec})
	for _, row := range []struct{ frame, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[]},"Result":{"content":[{"type":"text","text":"x"}]}}`, "a key is there twice"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}}", "invalid UTF-8"},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\ud800"}]}}`, "half a surrogate pair"},
		{`{"jsonrpc":"2.0","id":1,"result":{"n":NaN}}`, "NaN"},
		{`{"jsonrpc":"2.0","id":true,"result":{}}`, "its id is neither"},
		{`{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`, "both a method and a result"},
	} {
		var f jsonrpc.Frame
		jsonrpc.Read([]byte(row.frame), analyze.Full, &f)
		if len(f.Msgs) != 1 {
			t.Fatalf("%q: %d messages, %s", row.frame, len(f.Msgs), f.Err)
		}
		m := &f.Msgs[0]
		fs := c.Findings(m, c.NewScanner().Message(m, nil), SelectResult, analyze.Inspection{})
		n := len(fs)
		if n == 0 || fs[n-1].Rule != RuleAmbiguous || !strings.Contains(fs[n-1].Message, row.want) || fs[n-1].Block != -1 || fs[n-1].Tier != analyze.Monitor {
			t.Errorf("%q: %+v", row.frame, fs)
			continue
		}
		if one, ok := c.Ambiguous(m); !ok || one.Message != fs[n-1].Message {
			t.Errorf("%q: Ambiguous says %v %q", row.frame, ok, one.Message)
		}
		if _, ok := spec.Ambiguous(m); ok {
			t.Errorf("%q: ambiguous in spec", row.frame)
		}
	}
	if _, ok := c.Ambiguous(parse(t, []byte(`{"jsonrpc":"2.0","id":null,"result":{}}`))); ok {
		t.Error("a plain message is called ambiguous")
	}
}

func TestRedactEditsInPlace(t *testing.T) {
	c := newCatalog(t, Options{})
	both := RedactWhat{ANSI: true, Secrets: true}
	for _, row := range []struct {
		in, want string // content of the text, as written in JSON
		what     RedactWhat
	}{
		{`a\u001b[2Jb`, `a[2Jb`, both},
		{"a\u009bb\u2028\\u2029c", "abc", both},
		{`\u00e9\/\u001b\u0000` + openai + `\n`, `\u00e9\/sk-a…(len=23)\n`, both},
		{`\u00e9\u001b` + openai, `\u00e9` + openai, RedactWhat{ANSI: true}},
		{`\u001b` + openai, `\u001bsk-a…(len=23)`, RedactWhat{Secrets: true}},
		{`\u0073k-aaaaaaaaaaaaaaaaaaa\u0061`, `sk-a…(len=23)`, both},
		{random + " " + random, `aB3d…(len=24) aB3d…(len=24)`, both}, // the repeat too
		{`\ud83d\ude00\u001b😀`, `\ud83d\ude00😀`, both},
	} {
		frame := func(s string) string {
			return `{"jsonrpc" : "2.0","id":1,"result":{"x":1e0,"content":[{"type":"text","text":"` + s + `"}],"structuredContent":{"k":["` + s + `"]}}}`
		}
		m := parse(t, []byte(frame(row.in)))
		hits := c.NewScanner().Message(m, nil)
		got, ok := c.Redact(m, hits, SelectResult, analyze.Inspection{}, row.what)
		if !ok || string(got) != frame(row.want) {
			t.Errorf("%q: %v\n got %s\nwant %s", row.in, ok, got, frame(row.want))
		}
	}
	m := parse(t, []byte(`{"id":1,"result":{"content":[{"type":"text","text":"a\u009bb https://webhook.site/"}]}}`))
	hits := c.NewScanner().Message(m, nil)
	if got, ok := c.Redact(m, hits, SelectResult, analyze.Inspection{Charset: analyze.CharsetExtended}, both); ok {
		t.Errorf("edited what the lock allows: %s", got)
	}
}

// An edited frame is still a frame, differs in nothing but the strings, and holds
// neither a forbidden code point nor a secret that was found.
func TestRedactedFramesAreCleanAndWhole(t *testing.T) {
	c := newCatalog(t, Options{})
	rapid.Check(t, func(t *rapid.T) {
		s := text(t)
		for _, frame := range frames(s) {
			m := parse(t, frame)
			hits := c.NewScanner().Message(m, nil)
			got, ok := c.Redact(m, hits, SelectResult, analyze.Inspection{}, RedactWhat{true, true})
			var secrets []string
			ansi := false
			for _, f := range c.Findings(m, hits, SelectResult, analyze.Inspection{}) {
				ansi = ansi || f.Rule == RuleANSI
				if f.Rule == RuleSecret {
					secrets = append(secrets, string([]rune(s)[f.Spans[0].Start:f.Spans[0].End]))
				}
			}
			if ok != (ansi || len(secrets) > 0) {
				t.Fatalf("%q: edited %v", s, ok)
			}
			if !ok {
				continue
			}
			var v struct {
				Result struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal(got, &v); err != nil {
				t.Fatalf("%q became %q: %v", frame, got, err)
			}
			edited := v.Result.Content[0].Text
			for _, r := range edited {
				if forbidden(r, analyze.CharsetText) {
					t.Fatalf("%q became %q, with %U", s, edited, r)
				}
			}
			stripped := strings.Map(func(r rune) rune {
				if forbidden(r, analyze.CharsetText) {
					return -1
				}
				return r
			}, s)
			for _, x := range secrets {
				if strings.Count(edited, x) >= strings.Count(stripped, x) {
					t.Fatalf("%q became %q, which holds a secret that was found", s, edited)
				}
			}
		}
	})
}

// TestRepeatedKeysAreNumbered: a pointer that names two strings does not say
// which of them is meant.
func TestRepeatedKeysAreNumbered(t *testing.T) {
	c := newCatalog(t, Options{})
	for frame, want := range map[string]string{
		`{"id":1,"result":{"content":[{"type":"text","text":"exfiltrate","text":"fine"}]}}`:                      "(in string 1 of 2 at this place)",
		`{"id":1,"result":{"content":[{"type":"text","text":"fine","t\u0065xt":"exfiltrate"}]}}`:                 "(in string 2 of 2 at this place)",
		`{"id":1,"result":{"content":[{"type":"text","text":"fine","Text":"exfiltrate"}]}}`:                      "exfiltrate",
		`{"id":1,"result":{"content":[{"type":"text","text":7,"text":"exfiltrate"}]}}`:                           "exfiltrate",
		`{"id":1,"result":{"structuredContent":{"exfiltrate":"x"}},"result":{"content":[],"content":[]}}`:        "exfiltrate",
		`{"id":1,"result":{"content":[{"type":"text","text":"exfiltrate"}]},"result":{"content":["x"],"x":"x"}}`: "exfiltrate",
	} {
		fs := scan(t, c, frame, SelectResult, analyze.Inspection{})
		ok := false
		for _, f := range fs {
			if f.Rule == RulePhrase {
				ok = strings.HasSuffix(f.Message, want)
			}
		}
		if !ok {
			t.Errorf("%s: no %q in %+v", frame, want, fs)
		}
	}
}

func TestListFiles(t *testing.T) {
	entries, warnings, err := ParseDenylist("deny.txt", []byte("\ufeff# ours\n\n  Evil.Example.  \r\n*.x\n.y\nhttps://z/\nhost:80\na..b\npath.example/Drop/\nroot.example/\n"+
		"nul\x00.example\ndel.example\x7f\nc1\u0085.example\nbell.example/\a\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Host+"|"+e.Path)
	}
	if want := "[evil.example| *.x| .y| https:|//z/ host:80| a..b| path.example|/Drop/ root.example| nul\x00.example| del.example\x7f| c1\u0085.example| bell.example|/\a]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	for i, line := range []int{4, 5, 6, 7, 8, 11, 12, 13, 14} {
		if i >= len(warnings) || !strings.HasPrefix(warnings[i], fmt.Sprintf("deny.txt:%d: ", line)) {
			t.Fatalf("warnings %q", warnings)
		}
	}
	if len(warnings) != 9 || strings.ContainsAny(strings.Join(warnings, ""), "\x00\x7f\u0085\a") {
		t.Errorf("warnings %q", warnings)
	}
	for _, bad := range []string{"a b", "/path", "a\tb", "x.y\n \n/z", "\xff"} {
		if _, _, err := ParseDenylist("deny.txt", []byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "deny.txt:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	c := newCatalog(t, Options{Denylist: entries, Phrases: []string{"obey me"}})
	fs := scan(t, c, `{"id":1,"result":{"content":[{"type":"text","text":"https://www.evil.example/ Obey  me http://path.example/Drop/x"}]}}`, SelectResult, analyze.Inspection{})
	if len(fs) != 2 || fmt.Sprint(fs[0].Matched) != "[evil.example path.example/Drop/]" || fmt.Sprint(fs[1].Matched) != "[obey me]" {
		t.Errorf("%+v", fs)
	}
	if c.Hash() == newCatalog(t, Options{}).Hash() {
		t.Error("added entries do not change the hash")
	}
	phrases, err := ParsePhrases("p.txt", []byte("\ufeffone two\n#no\n\n  three \n"))
	if err != nil || fmt.Sprint(phrases) != "[one two three]" || len(phrases) != 2 {
		t.Errorf("%q, %v", phrases, err)
	}
	if _, err := ParsePhrases("p.txt", []byte("ok\n\xff")); err == nil || !strings.HasPrefix(err.Error(), "p.txt:2:") {
		t.Errorf("bad bytes: %v", err)
	}
}

// A snippet shows no key that another reading of its text shows: one behind an
// escape sequence that it begins within, or one with a control character in it.
func TestSnippetsHideKeysOfOtherReadings(t *testing.T) {
	const key = "AKIADROG8BZSQ4FW0GPN"
	for _, coverage := range []analyze.Coverage{analyze.Full, analyze.Spec} {
		c := newCatalog(t, Options{Coverage: coverage})
		for pad := range 40 {
			for _, text := range []string{
				strings.Repeat("a", pad) + " \x1b[31m" + key + "\x1b[0m  webhook.site",
				strings.Repeat("a", pad) + " " + key[:8] + "\x00" + key[8:] + " https://webhook.site/",
				strings.Repeat("a", pad) + " " + key[:8] + "\u009b" + key[8:] + "\x00 http://10.0.0.1/",
			} {
				fs := c.Text([]byte(text), analyze.Inspection{})
				if len(fs) == 0 {
					t.Fatalf("%q: no finding", text)
				}
				for _, f := range fs {
					if strings.Contains(f.Snippet, key[4:8]) || strings.Contains(f.Snippet, key[8:]) {
						t.Errorf("%s, %q: %s shows %q", coverage, text, f.Rule, f.Snippet)
					}
				}
			}
		}
	}
}
