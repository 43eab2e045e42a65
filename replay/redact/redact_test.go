package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/convert"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

var config = func() *replay.Config {
	c, err := catalog.New(catalog.Options{})
	if err != nil {
		panic(err)
	}
	return &replay.Config{Rules: ruleset.Builtin(), Catalog: c}
}()

func redactor(t interface{ Fatal(...any) }, salt string) *redact.Redactor {
	r, err := redact.New(redact.Options{Catalog: config.Catalog, Rules: config.Rules, Salt: salt})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found is a report that keeps the findings.
type found struct {
	all      []analyze.Finding
	problems []string
}

func (f *found) Problem(p *report.Problem) error {
	f.problems = append(f.problems, p.Message)
	return nil
}
func (f *found) Finding(x *analyze.Finding) error {
	c := *x
	c.RPCID = []byte(secret.Scrub(string(x.RPCID)))
	c.Tool = secret.Scrub(x.Tool)
	f.all = append(f.all, c)
	return nil
}
func (*found) Trace(*report.Trace) error   { return nil }
func (*found) Close(*report.Summary) error { return nil }
func (*found) Abort()                      {}

// scan reads a recording, and writes its redacted copy where r is set.
func scan(t interface{ Fatal(...any) }, trace []byte, r *redact.Redactor) (*found, []byte) {
	var h found
	var out bytes.Buffer
	o := offline.Options{Config: config, Handler: &h, Fingerprints: true}
	w := &convert.Writer{W: &out, Redact: r}
	if r != nil {
		o.Observe, o.Meta = w.Observe, w.Meta
	}
	in := &formats.Input{Name: "t.jsonl", R: bytes.NewReader(trace), Size: -1, Explicit: true}
	if _, err := offline.Run(func(yield func(*formats.Input, error) bool) { yield(in, nil) }, o); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return &h, out.Bytes()
}

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	mixed = upper + "abcdefghijklmnopqrstuvwxyz"
)

func chars(t *rapid.T, set string, n int) string {
	b := rapid.SliceOfN(rapid.SampledFrom([]byte(set)), n, n).Draw(t, "chars")
	return string(b)
}

// aSecret draws a secret of any kind.
func aSecret(t *rapid.T) string {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return "sk-" + chars(t, mixed, rapid.IntRange(20, 48).Draw(t, "n"))
	case 1:
		return "ghp_" + chars(t, mixed, 36)
	case 2:
		return "AKIA" + chars(t, upper, 16)
	case 3:
		return "xoxb-" + chars(t, mixed+"-", 24) + "z"
	case 4:
		return "eyJ" + chars(t, mixed, 20) + "." + chars(t, mixed+"_-", 30) + "." + chars(t, mixed, 20)
	}
	for {
		s := chars(t, mixed+"+/=_-", rapid.IntRange(28, 64).Draw(t, "n"))
		if secret.NewEntropy(ruleset.Builtin().Entropy).High([]byte(s)) && len(secret.Builtin().All([]byte(s))) == 0 {
			return s
		}
	}
}

// quote spells s as a JSON string; escaped says which characters are escapes.
func quote(s string, escaped func(i int) bool) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case escaped(i):
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

// place is where a secret stands in a recording. Each takes the secret and how
// it is spelt, and gives a line of the recording.
var places = []func(s string, esc func(int) bool) string{
	func(s string, esc func(int) bool) string { // a text
		return `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + quote("the key is "+s+", keep it", esc) + `}]}}}`
	},
	func(s string, esc func(int) bool) string { // a key
		return `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{` + quote(s, esc) + `:[1,2]},"content":[]}}}`
	},
	func(s string, esc func(int) bool) string { // JSON in a string, the inner one with escapes of its own
		return `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + quote(`{"token": `+quote(s, esc)+`}`, func(int) bool { return false }) + `}]}}}`
	},
	func(s string, esc func(int) bool) string { // the same once more
		inner := quote(`{"t":`+quote(s, esc)+`}`, func(int) bool { return false })
		return `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","arguments":{"body":` + quote(`{"b":`+inner+`}`, func(int) bool { return false }) + `}}}}`
	},
	func(s string, esc func(int) bool) string { // arguments, client to server
		return `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"w","arguments":{"auth":` + quote("Bearer "+s, esc) + `}}}}`
	},
	func(s string, esc func(int) bool) string { // an id
		return `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":` + quote(s, esc) + `,"method":"ping"}}`
	},
	func(s string, esc func(int) bool) string { // a header
		return `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":9,"result":{}},"http":{"status":200,"headers":{"x-key":` + quote(s, esc) + `}}}`
	},
	func(s string, esc func(int) bool) string { // an error
		return `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":` + quote("denied for "+s, esc) + `}}}`
	},
	func(s string, esc func(int) bool) string { // the session's name
		return `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":3,"result":{}},"session":` + quote(s, func(int) bool { return false }) + `}`
	},
}

// A redacted copy is the recording with each secret exchanged for its value, in
// its very spelling; nothing else changes but the mark.
func TestCopyDiffersInSecretsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.Custom(aSecret)
		pool := []string{secrets.Draw(t, "a"), secrets.Draw(t, "b")}
		r := redactor(t, "")
		var trace, want strings.Builder
		meta := pool[0]
		trace.WriteString(`{"meta":{"warden_trace":1,"command":["srv","--key","` + meta + `"]}}` + "\n")
		want.WriteString(`{"meta":{"warden_trace":1,"command":["srv","--key","` + value(t, r, meta) + `"]}}` + "\n")
		line := func(s string) {
			fmt.Fprintln(&trace, s)
		}
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			s := rapid.SampledFrom(pool).Draw(t, "secret")
			p := rapid.SampledFrom(places).Draw(t, "place")
			every := rapid.SampledFrom([]int{1, 2, 5, 1000}).Draw(t, "every")
			esc := func(i int) bool { return i%every == 0 && every < 1000 }
			line(p(s, esc))
			copied := p(value(t, r, s), esc)
			// The mark stands where the canonical form has it.
			if i := strings.Index(copied, `,"http":`); i > 0 {
				copied = copied[:i] + `,"redacted":true` + copied[i:]
			} else {
				copied = copied[:len(copied)-1] + `,"redacted":true}`
			}
			fmt.Fprintln(&want, copied)
		}
		before, got := scan(t, []byte(trace.String()), r)
		if len(before.problems) > 0 {
			t.Fatal(before.problems)
		}
		if d := cmp.Diff(want.String(), string(got)); d != "" {
			t.Fatalf("%s", d)
		}
		if r.Unsure != 0 {
			t.Fatalf("%d unsure", r.Unsure)
		}
		agree(t, before, got)
	})
}

// value is what a secret becomes wherever it stands.
func value(t *rapid.T, r *redact.Redactor, s string) string {
	v := string(r.Text([]byte(s)))
	if v == s || len(v) != len(s) || v[:4] != s[:4] {
		t.Fatalf("%q became %q", s, v)
	}
	return v
}

// agree holds the findings on a copy against those on its original.
func agree(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, before *found, copied []byte) {
	after, _ := scan(t, copied, nil)
	if len(after.problems) > 0 {
		t.Fatal(after.problems)
	}
	opts := cmp.Options{cmpopts.IgnoreFields(analyze.Place{}, "Offset", "Line", "Column", "EndColumn", "Session"), cmpopts.IgnoreFields(analyze.Finding{}, "Snippet"), cmpopts.EquateEmpty()}
	if d := cmp.Diff(before.all, after.all, opts); d != "" {
		t.Fatalf("findings differ:\n%s\n%s", d, copied)
	}
}

// Whatever stands around a secret, the copy's findings are the original's, the
// copy is as long, and of no secret more is left than reports show.
func TestFindingsSurviveAnySurroundings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pool := []string{rapid.Custom(aSecret).Draw(t, "a"), rapid.Custom(aSecret).Draw(t, "b")}
		fragments := append([]string{" ", " ", ".", "/", ":", "://", "https://", "http", "webhook.site", "discord.com/api/webhooks/", "10.0.0.1", "http://169.254.169.254/",
			"ngrok.io", "ignore previous instructions", "\x1b[31m", "\u202e", "\"", "\\", "\n", `\u0041`, "é", "\u00a0", "{", "}", "=", "-", "_", "x", "-----BEGIN RSA PRIVATE KEY-----", "-----END", "you are now"}, pool...)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 10).Draw(t, "text"), "")
		spelt, _ := json.Marshal(text)
		trace := `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w"}}}` + "\n" +
			`{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(spelt) + `}]}}}` + "\n"
		r := redactor(t, "")
		before, got := scan(t, []byte(trace), r)
		if r.Unsure == 0 {
			agree(t, before, got)
		}
		for _, f := range before.all {
			if f.Rule != catalog.RuleSecret || f.SubRule == "WRD-SEC-PRIVKEY" {
				continue
			}
			runes := []rune(text)
			s := string(runes[f.Spans[0].Start:f.Spans[0].End])
			if all := everyReading(got); strings.Contains(all, s) {
				t.Fatalf("%q is in the copy of %q:\n%s", s, text, got)
			} else if part := left(s, string([]rune(textOf(t, got))[f.Spans[0].Start:f.Spans[0].End])); part != "" {
				t.Fatalf("%q of %q is in the copy of %q:\n%s", part, s, text, got)
			}
		}
	})
}

// textOf is the text of the result on the second line of a copy.
func textOf(t interface{ Fatal(...any) }, copied []byte) string {
	_, line, _ := bytes.Cut(copied, []byte("\n"))
	var m struct {
		Frame struct {
			Result struct{ Content []struct{ Text string } }
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	return m.Frame.Result.Content[0].Text
}

// left is a part of the secret s that is in the copy: eight letters and digits in
// a row beyond the first four, but for words in lower case, which may name a host.
func left(s, copied string) string {
	for i := 4; i+8 <= len(s); i++ {
		part := s[i : i+8]
		if part != strings.ToLower(part) || strings.ContainsAny(part, "0123456789") {
			if strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") == "" && strings.Contains(copied, part) {
				return part
			}
		}
	}
	return ""
}

// A random value that reads as a URL's host, user or path, behind a secret that
// ends in the scheme: it is a secret all the same.
func TestNoSecretStaysAsAHost(t *testing.T) {
	for _, text := range []string{
		"uzosUVM6gXV9LwwE6yGhs=http://k0Kc78NBl3KE1fKJvwskvr/fD3F4oG7lN1DuOBBE0K94j",
		"uzosUVM6gXV9LwwE6yGhs=https://user:k0Kc78NBl3KE1fKJvwskvrA9zQ2x@example.com/a",
		"uzosUVM6gXV9LwwE6yGhs=https://k0Kc78NBl3KE1fKJvwskvr:fD3F4oG7lN1DuOBBE0K94jx7Yw@webhook.site/a",
		"AKIAIOSFODNN7EXAMPLE=https://DDGfQb2gEaUfTJpqZFi0/SRTYi2gEaUfTJpqZ",
		"AKIAIOSFODNN7EXAMPLE=https://DDGfQb2gEaUfTJpqZFi0.webhook.site/SRTYi2gEaUfTJpqZ",
		"AKIAIOSFODNN7EXAMPLE=https://DDGf-Qb2gEa-UfTJpqZ-Fi0kL9wQ/SRTYi2gEaUfTJpqZ",
		"uzosUVM6gXV9LwwE6yGhs=ftp://k0Kc78NBl3KE1fKJvwskvr/fD3F4oG7lN1DuOBBE0K94j http://10.0.0.1/",
		" https://ngrok.io-----BEGIN RSA PRIVATE KEY-----------BEGIN RSA PRIVATE KEY-----sk-iAI3BACAACAAZABODE4B4Vngrok.io./",
		"https://discord.com/api/webhooks/123456789012345678/uzosUVM6gXV9LwwE6yGhsQ4=https://k0Kc78NBl3KE1fKJvwskvrX/",
	} {
		r := redactor(t, "")
		raw, _ := json.Marshal(map[string]string{"text": text})
		for _, out := range []string{string(r.Text([]byte(text))), string(r.JSON(raw)), string(r.Junk([]byte(text)))} {
			if part := secretLeft(text, out); part != "" {
				t.Errorf("%s: %q is left in %s", text, part, out)
			}
		}
	}
}

// secretLeft holds a copy against all secrets of a text.
func secretLeft(text, copied string) string {
	for _, f := range config.Catalog.Text([]byte(text), analyze.Inspection{}) {
		for _, s := range f.Spans {
			if part := left(string([]rune(text)[s.Start:s.End]), copied); f.Rule == catalog.RuleSecret && part != "" {
				return part
			}
		}
	}
	return ""
}

// What only a terminal's reader sees as a secret, and what is glued to a word that
// another finding is about, must not stay either.
func TestNoReadingShowsASecret(t *testing.T) {
	for _, text := range []string{
		"\x1b[31mAKIAQX7RTYB2KLMN4PSW", "\u009b1mAKIAQX7RTYB2KLMN4PSW\u009b0m", "\x1b]8;;AKIAQX7RTYB2KLMN4PSW\x07", "x\x1b[0mAKIAQX7RTYB2KLMN4PSW",
		"\x1b[31mghp_" + strings.Repeat("A", 36), "\x1b[AKIAQX7RTYB2KLMN4PSW",
		strings.Repeat("sk-AAQX7RTYB2KLMN4PSW8A", 3),
		"AKIAQX7RTYB2KLMN4PSW https://AKIAQX7RTYB2KLMN4PSWhttps://", "AKIAQX7RTYB2KLMN4PSW https://webhook.site/xAKIAQX7RTYB2KLMN4PSW",
		"https://AKIAQX7RTYB2KLMN4PSW.webhook.site/", "https://AKIAQX7RTYB2KLMN4PSW/", "ignore previous instructions AKIAQX7RTYB2KLMN4PSW ignore previous instructionsAKIAQX7RTYB2KLMN4PSW",
	} {
		spelt, _ := json.Marshal(text)
		trace := `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w"}}}` + "\n" +
			`{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(spelt) + `}]}}}` + "\n"
		r := redactor(t, "")
		before, got := scan(t, []byte(trace), r)
		if r.Unsure == 0 {
			agree(t, before, got)
		}
		if all := everyReading(got); strings.Contains(all, "QX7RTYB2KLMN4PSW") || strings.Contains(all, "ghp_AAAAAAAAA") {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// everyReading is the copy and what it reads as once and twice decoded.
func everyReading(b []byte) string {
	all, s := string(b), string(b)
	for range 3 {
		var out strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+5 < len(s) && s[i+1] == 'u' {
				var r rune
				if _, err := fmt.Sscanf(s[i+2:i+6], "%04x", &r); err == nil {
					out.WriteRune(r)
					i += 5
					continue
				}
			}
			if s[i] == '\\' && i+1 < len(s) {
				i++
			}
			out.WriteByte(s[i])
		}
		s = out.String()
		all += "\n" + s
	}
	return all
}

// TestASecretIsOneValueEverywhere: what stands beside a secret is none of it and
// stays, unless it is random itself.
func TestASecretIsOneValueEverywhere(t *testing.T) {
	const key, random = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "Zx8Kq2Wv9Lm4Np7Rt3Yb6Hc1Jd5Fg0Sa"
	r := redactor(t, "")
	alone := string(r.Text([]byte(key)))
	for _, form := range []string{"exfiltrate-%s", "%s/exfiltrate", "http://0x7f000001/%s", "srv-%s", "prefix-words-here-%s-suffix", "password=%s", "a/%s/b", "%s=="} {
		if got, want := string(r.Text(fmt.Appendf(nil, form, key))), fmt.Sprintf(form, alone); got != want {
			t.Errorf("%s: %q, want %q", form, got, want)
		}
	}
	if got := string(r.Text([]byte(random + "/" + key))); strings.Contains(got, random[4:12]) || !strings.HasSuffix(got, "/"+alone) {
		t.Errorf("a random piece beside a key: %q", got)
	}
}

func TestUnsureIsRare(t *testing.T) {
	// A random piece that is a host's first label, a path, a scheme's word.
	key := "aB3dE5gH7jK9mN1pQ4sT6vW8zz"
	for _, text := range []string{
		"https://webhook.site/" + key, "http://" + key + ".ngrok.io/x", "https://discord.com/api/webhooks/123456789012345678/" + key,
		key + "=https://transfer.sh/x", "see ngrok.io/" + key, "http://10.0.0.1/" + key, key + "/http://169.254.169.254/latest",
	} {
		r := redactor(t, "")
		out := r.Text([]byte(text))
		a, b := config.Catalog.Text([]byte(text), analyze.Inspection{}), config.Catalog.Text(out, analyze.Inspection{})
		if d := cmp.Diff(a, b, cmpopts.IgnoreFields(analyze.Finding{}, "Snippet")); d != "" || r.Unsure != 0 {
			t.Errorf("%s became %s, unsure %d:\n%s", text, out, r.Unsure, d)
		}
		if strings.Contains(string(out), key) {
			t.Errorf("%s became %s", text, out)
		}
	}
}

func TestPrivateKeys(t *testing.T) {
	body := "MIIEpAIBAAKCAQEA7bq2Zx9Kc1Vd8Pq3Rt6Yw5Mn0Lk4Jh2Gf7Ds9Aa1Zz3Xx5C"
	last := "Qw3Er5Ty7Ui="
	text := "-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n" + last + "\n-----END RSA PRIVATE KEY-----\nafter Qw3Er5Ty7"
	r := redactor(t, "")
	out := string(r.Text([]byte(text)))
	if strings.Contains(out, body[4:30]) || strings.Contains(out, "\n"+last[:8]) {
		t.Errorf("of the key's body is left: %s", out)
	}
	if !strings.HasPrefix(out, "-----BEGIN RSA PRIVATE KEY-----\nMIIE") || !strings.HasSuffix(out, "-----END RSA PRIVATE KEY-----\nafter Qw3Er5Ty7") {
		t.Errorf("%s", out)
	}
	if got := r.Fixed(); len(got) != 1 || got[0] != "WRD-SEC-PRIVKEY: 1" {
		t.Errorf("fixed: %q", got)
	}
}

func TestJunkIsRedacted(t *testing.T) {
	key := "AKIA" + strings.Repeat("Q2", 8)
	for _, raw := range []string{
		`log: key ` + key + ` used`, `{"jsonrpc":"2.0","id":1,"result":{"t":"` + key + `"}} trailing "` + key,
		`odd " quote` + "\r" + `{"a":"\u0041` + key[1:] + `"}`, "\xff\xfe " + key + " \xff", `{"v":NaN,"k":"` + key + `"}`,
	} {
		r := redactor(t, "")
		out := r.Junk([]byte(raw))
		if strings.Contains(everyReading(out), key) || len(out) != len(raw) {
			t.Errorf("%q became %q", raw, out)
		}
	}
}

// Of a token whose first part belongs to a random piece that begins before it, no
// part stays in a frame that is no JSON either, on whatever line.
func TestJunkKeepsNoPartOfAToken(t *testing.T) {
	token := "eyJwXBhYApsI3wY8DtA6pgf.IlbzBez1tNHMwm6HhvSIdxU5yKwt8M.PdCLYzU8ybMup0DJEQ0y00"
	parts := []string{"BhYApsI3wY8DtA6pgf", "Bez1tNHMwm6HhvSIdxU5yKwt8M", "LYzU8ybMup0DJEQ0y00"}
	for _, before := range []string{"", "GET /", "//", "a+", "=", "--token=", "-", "x-", "\"a\":1} -", "{\"a\":\"b\"} /", "key AKIAIOSFODNN7EXAMPL2 ="} {
		for _, after := range []string{"", " done", "\"", "\nnext AKIAIOSFODNN7EXAMPLE line", "\r\n"} {
			r := redactor(t, "")
			raw := before + token + after
			out := string(r.Junk([]byte(raw)))
			for _, p := range parts {
				if strings.Contains(out, p) {
					t.Errorf("%q became %q", raw, out)
				}
			}
		}
	}
}

// The body of a key over several lines goes also where other lines have secrets.
func TestJunkWithAKeyAndMore(t *testing.T) {
	raw := "start AKIAIOSFODNN7EXAMPLE\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq2Zx9Kc1Vd8Pq3Rt6Yw5Mn0Lk4Jh2Gf7Ds9Aa1Zz3Xx5C\nQw3Er5Ty7Ui9Op1As\n-----END RSA PRIVATE KEY-----\n"
	r := redactor(t, "")
	out := string(r.Junk([]byte(raw)))
	for _, p := range []string{"OSFODNN7EXAMPLE", "IBAAKCAQEA7bq2", "Er5Ty7Ui9Op1As"} {
		if strings.Contains(out, p) {
			t.Errorf("%q is left in %q", p, out)
		}
	}
}

// The words of the protocol are no secrets to any rule; else a copy could not be
// read as a session any more.
func TestProtocolWordsStay(t *testing.T) {
	words := []string{"notifications/resources/list_changed", "notifications/elicitation/complete", "notifications/tools/list_changed", "notifications/prompts/list_changed",
		"notifications/roots/list_changed", "resources/templates/list", "sampling/createMessage", "elicitation/create", "completion/complete", "logging/setLevel",
		"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/subscriptionId", "io.modelcontextprotocol/tasks",
		"structuredContent", "subscriptions/listen", "notifications/resources/updated", "resources/subscribe", "resources/unsubscribe", "text/event-stream",
		"io.modelcontextprotocol/related-task", "notifications/cancelled", "notifications/tasks/status", "https://json-schema.org/draft/2020-12/schema"}
	r := redactor(t, "")
	for _, w := range words {
		if out := string(r.Text([]byte(w))); out != w {
			t.Errorf("%s became %s", w, out)
		}
	}
}

func TestSaltChangesValues(t *testing.T) {
	key := []byte("AKIA" + strings.Repeat("Q2", 8))
	a, b, c := string(redactor(t, "").Text(key)), string(redactor(t, "x").Text(key)), string(redactor(t, "x").Text(key))
	if a == b || b != c {
		t.Errorf("%s %s %s", a, b, c)
	}
}

// A megabyte of secrets, and one of quotes and backslashes, cost what they are
// long: a quadratic pass would not end in this test's time.
func TestLargeTexts(t *testing.T) {
	for name, text := range map[string]string{
		"keys":    strings.Repeat("AKIAQ2Q2Q2Q2Q2Q2Q2Q2 ", 10000),
		"quotes":  strings.Repeat(`\"`, 100000),
		"nested":  strings.Repeat(`\\\"`, 50000),
		"one key": strings.Repeat("aB3dE5gH7jK9mN1pQ4sT6vW8zz", 10000),
		"heads":   strings.Repeat(`-----BEGIN PRIVATE KEY-----\nQ2w3E4r5T6y7 `, 20000), // without a foot
	} {
		r := redactor(t, "")
		raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"x":"` + text + `"}}`)
		if out := r.JSON(raw); len(out) != len(raw) || !utf8.Valid(out) {
			t.Errorf("%s: %d bytes of %d", name, len(out), len(raw))
		}
	}
}

// The time a secret takes, with few of them in a text and with many: it is the
// same where redaction is linear.
func BenchmarkSecretsOfOneText(b *testing.B) {
	for _, n := range []int{1000, 16000} {
		for name, one := range map[string]string{"keys": "AKIA%016d ", "random": "aB3dE5gH7jK9mN1pQ4sT%06d ", "heads": "-----BEGIN PRIVATE KEY-----Q2w3E4r5%06d "} {
			var text []byte
			for i := range n {
				text = fmt.Appendf(text, one, i)
			}
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				for b.Loop() {
					redactor(b, "").Text(text)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/secret")
			})
		}
	}
}
