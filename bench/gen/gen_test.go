package gen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func write(t testing.TB, o Options) ([]byte, Stats) {
	t.Helper()
	var b bytes.Buffer
	st, err := Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), st
}

// The digest pins the bytes: figures of different days and machines are
// comparable only while it stands. Change it only together with the figures.
func TestSameSeedSameBytes(t *testing.T) {
	a, _ := write(t, Options{Bytes: 2_000_000, Seed: 7})
	sum := sha256.Sum256(a)
	const want = "cdd1f0d55062aced1dde073c94c61df16238d4742e7c091e89a9cbac8dabb1d6"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	b, _ := write(t, Options{Bytes: 2_000_000, Seed: 8})
	if bytes.Equal(a, b) {
		t.Error("another seed wrote the same bytes")
	}
}

func TestTrafficIsCanonicalAndMixed(t *testing.T) {
	data, st := write(t, Options{Bytes: 8_000_000, Seed: 1, Findings: 0.1})
	if st.Bytes != int64(len(data)) {
		t.Errorf("counted %d bytes, wrote %d", st.Bytes, len(data))
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if st.Frames != int64(len(lines)) {
		t.Errorf("counted %d frames, wrote %d lines", st.Frames, len(lines))
	}
	seen := map[string]int{}
	open := map[string]bool{}
	for i, l := range lines {
		var r struct {
			Direction, TS, Session string
			Frame                  struct {
				JSONRPC string
				ID      json.RawMessage
				Method  string
				Result  json.RawMessage
				Error   json.RawMessage
			}
		}
		if err := json.Unmarshal(l, &r); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if r.Frame.JSONRPC != "2.0" || r.Session == "" || r.TS == "" {
			t.Fatalf("line %d: not a whole frame: %.120s", i+1, l)
		}
		key := r.Session + " " + string(r.Frame.ID)
		switch {
		case r.Frame.Method != "":
			seen[r.Direction+" "+r.Frame.Method]++
			if r.Frame.ID != nil {
				open[key] = true
			}
		case r.Frame.Error != nil:
			seen["error"]++
			fallthrough
		default:
			if !open[key] {
				t.Fatalf("line %d answers %s, which is not open", i+1, key)
			}
			delete(open, key)
		}
	}
	for _, m := range []string{"c2s initialize", "c2s tools/list", "c2s tools/call", "c2s resources/read", "c2s ping",
		"c2s notifications/cancelled", "s2c notifications/progress", "s2c notifications/message", "error"} {
		if seen[m] == 0 {
			t.Errorf("no %s among %d frames", m, len(lines))
		}
	}
	for what, re := range map[string]string{
		"escaped non-ASCII": `\\u65e5\\u672c`, "raw non-ASCII": `日本`, "escaped markup": `\\u003c`, "raw markup": `<div`,
		"surrogate pair": `\\ud83d\\ude80`, "resource": `"type": ?"resource"`, "link": `"resource_link"`, "image": `"type": ?"image"`,
		"structured": `"structuredContent":`, "tool error": `"isError": ?true`, "string id": `"id": ?"req-`, "spaced": `"jsonrpc": "2\.0"`,
	} {
		if !regexp.MustCompile(re).Match(data) {
			t.Errorf("no %s (%s)", what, re)
		}
	}
}

// Each kind of finding is planted, and looks as the catalog's pattern asks.
func TestPlantsMatchTheirPatterns(t *testing.T) {
	patterns := [plantKinds]string{
		PlantANSI:      "\x1b\\[31m",
		PlantOpenAI:    `\bsk-[A-Za-z0-9]{20,}\b`,
		PlantGitHub:    `\bgh[pousr]_[A-Za-z0-9]{36}\b`,
		PlantAWS:       `\bAKIA[0-9A-Z]{16}\b`,
		PlantSlack:     `\bxox[baprs]-[A-Za-z0-9-]{10,}\b`,
		PlantJWT:       `\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b`,
		PlantKey:       `-----BEGIN (RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY-----`,
		PlantEntropy:   `[A-Za-z0-9]{40}`,
		PlantDomain:    `https://[a-z]{8}\.(ngrok\.io|pastebin\.com|transfer\.sh|webhook\.site|oast\.fun|interact\.sh|requestbin\.com|0x0\.st)/`,
		PlantAddress:   `http://192\.168\.\d+\.\d+:8080/`,
		PlantPhrase:    `(?i)ignore previous instructions|ignore all\s+previous\s+instructions|from now on you are|do not tell\s+the user|reveal your system prompt|exfiltrate|send the following to|system prompt:`,
		PlantInvisible: "\u202e",
	}
	r := newRand(3)
	for k := range plantKinds {
		re := regexp.MustCompile(patterns[k])
		for range 300 {
			if s := r.plant(nil, k); !re.Match(s) {
				t.Fatalf("%s: %q does not match %s", k, s, re)
			}
		}
	}
	_, st := write(t, Options{Bytes: 20_000_000, Seed: 2, Findings: 0.2})
	for k, n := range st.Planted {
		if n == 0 {
			t.Errorf("no %s planted in %s", Plant(k), st.String())
		}
	}
	if _, st = write(t, Options{Bytes: 2_000_000, Seed: 2, Findings: -1}); st.Total() != 0 {
		t.Errorf("planted %d with findings off", st.Total())
	}
}

func TestQuoteRoundTrips(t *testing.T) {
	in := "a\"b\\c\nd\te\rf\x01g<>&h\u2028é日🚀\u200b\x7f"
	for _, st := range []style{styleNode, stylePython, styleGo} {
		q := st.quote(nil, []byte(in))
		var out string
		if err := json.Unmarshal(q, &out); err != nil || out != in {
			t.Errorf("style %d: %s reads back as %q (%v)", st, q, out, err)
		}
		if st == stylePython && len(q) != utf8.RuneCount(q) {
			t.Errorf("style %d left non-ASCII in %s", st, q)
		}
	}
}

func TestAdversarialKinds(t *testing.T) {
	broken := map[string]bool{"lines": true, "junk": true} // no JSON by design
	for _, kind := range Adversarial() {
		var b bytes.Buffer
		const size = 3 << 20
		if err := WriteAdversarial(&b, kind, size, 1); err != nil {
			t.Fatal(err)
		}
		if n := b.Len(); n < size || n > size+4*chunk {
			t.Errorf("%s: %d bytes, asked for %d", kind, n, size)
		}
		if broken[kind] {
			continue
		}
		for i, l := range bytes.Split(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n")) {
			// encoding/json refuses depth over 10,000; balanced brackets do for that kind.
			ok := json.Valid(l)
			if kind == "deep" {
				ok = bytes.Count(l, []byte("[")) == bytes.Count(l, []byte("]"))
			}
			if !ok {
				t.Errorf("%s: line %d is no JSON: %.200s", kind, i+1, l)
				break
			}
		}
	}
	if err := WriteAdversarial(&bytes.Buffer{}, "no-such", 1, 1); err == nil || !strings.Contains(err.Error(), "tokens") {
		t.Errorf("unknown kind: %v", err)
	}
}

type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorsComeBack(t *testing.T) {
	if _, err := Write(&full{1 << 21}, Options{Bytes: 8 << 20}); !errors.Is(err, errFull) {
		t.Errorf("Write: %v", err)
	}
	for _, kind := range Adversarial() {
		if err := WriteAdversarial(&full{1 << 20}, kind, 8<<20, 1); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	b.SetBytes(16_000_000)
	for b.Loop() {
		if _, err := Write(nothing{}, Options{Bytes: 16_000_000, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

type nothing struct{}

func (nothing) Write(b []byte) (int, error) { return len(b), nil }

func TestSamples(t *testing.T) {
	for _, kind := range Samples() {
		a, b, c := Sample(kind, 1, 5000), Sample(kind, 1, 5000), Sample(kind, 2, 5000)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the same seed gave two texts", kind)
		}
		if bytes.Equal(a, c) {
			t.Errorf("%s: two seeds gave one text", kind)
		}
		if len(a) < 5000 || len(a) > 9000 || !utf8.Valid(a) {
			t.Errorf("%s: %d bytes, valid UTF-8 %t", kind, len(a), utf8.Valid(a))
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown kind made a text")
		}
	}()
	Sample("no-such", 1, 1)
}
