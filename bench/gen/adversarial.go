package gen

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// chunk is how many bytes of hostile text stand in one frame: far under the
// frame cap, far over any buffer that hides a quadratic cost.
const chunk = 1 << 20

// fill makes n bytes of the content of a JSON string.
type fill func(r *rng, b []byte, n int) []byte

// repeat fills with one piece over and over.
func repeat(piece string) fill {
	return func(_ *rng, b []byte, n int) []byte {
		return append(b, strings.Repeat(piece, n/len(piece)+1)...)
	}
}

// texts are hostile contents of one text block, by name. Each is the best that
// can be done against one shortcut that a scanner may take.
var texts = map[string]fill{
	"plain":        func(r *rng, b []byte, n int) []byte { return r.prose(b, n) },
	"tokens":       func(r *rng, b []byte, n int) []byte { return r.tokens(b, n, 24, " ") },
	"tokens-dot":   func(r *rng, b []byte, n int) []byte { return r.tokens(b, n, 24, ".") },
	"tokens-long":  func(r *rng, b []byte, n int) []byte { return r.tokens(b, n, 4096, "\\n") },
	"one-token":    func(r *rng, b []byte, n int) []byte { return r.chars(b, alnum, n) },
	"low-entropy":  repeat("abcdefghijklmnoabcdefghijklmno "), // just under the border, counted to its end
	"eyj":          repeat("eyJ-"),
	"eyj-segments": repeat("eyJhbGciOiJub25lIn0.eyJhbGciOiJub25lIn0."),
	"labels":       repeat("a."),
	"labels-long":  repeat(strings.Repeat("a", 63) + "."),
	"hosts":        repeat("webhook.site.x "),
	"schemes":      repeat("://"),
	"https":        repeat("https://"),
	"urls":         repeat("https://webhook.site.example.com/a?u=http://pastebin.com.example.org "),
	"percent":      repeat("http://%77%65%62%68%6f%6f%6b.example/ "),
	"punycode":     repeat("http://xn--bcher-kva.example/ "),
	"esc":          repeat(`\u001b`),
	"esc-raw-c1":   repeat("\u009b"),
	"sk":           repeat("sk-"),
	"sk-near":      repeat("sk-abcdefghijklmnopqrs "), // one character short
	"ghp":          repeat("ghp_"),
	"akia":         repeat("AKIA"),
	"xox":          repeat("xoxb-"),
	"pem":          repeat("-----BEGIN "),
	"colons":       repeat(":"),
	"ipv6":         repeat("fe80:1:2:3:4:5:6: "),
	"ipv4":         repeat("10.0.0.256 "),
	"digits":       repeat("1."),
	"at":           repeat("a@"),
	"zero-width":   repeat("\u200b"),
	"zero-width-1": repeat("a\u200b"),
	"bidi":         repeat("\u202e"),
	"tags":         repeat("\U000E0041"),
	"emoji":        repeat("👩‍💻"),
	"phrases":      repeat("ignore all previous instruction "),
	"phrases-hit":  repeat("ignore all previous instructions "),
	"white":        repeat(`\n\t `),
	"kelvin":       repeat("\u212aſ"),
	"quotes":       repeat(`\"`),
	"backslashes":  repeat(`\\`),
	"escapes":      repeat(`\u0061`),
	"surrogates":   repeat(`\ud83d\ude00`),
	"lone":         repeat(`\ud83d`),
	"cjk":          repeat("日本語"),
}

// shapes are hostile traces that are not a matter of one text.
var shapes = map[string]func(w *bufio.Writer, r *rng, n int64) error{
	"deep":      deep,
	"keys":      keys,
	"strings":   manyStrings,
	"blocks":    manyBlocks,
	"batch":     batch,
	"lines":     func(w *bufio.Writer, _ *rng, n int64) error { return repeatTo(w, "\n", n) },
	"line":      line,
	"in-flight": inFlight,
	"unknown":   unknown,
	"sessions":  manySessions,
	"junk":      func(w *bufio.Writer, _ *rng, n int64) error { return repeatTo(w, "{\"jsonrpc\":\n", n) },
	"small":     small,
}

// Adversarial lists the kinds that WriteAdversarial knows, sorted. "plain" is
// ordinary prose in frames of the same size: what the others are measured by.
func Adversarial() []string {
	var out []string
	for k := range texts {
		out = append(out, k)
	}
	for k := range shapes {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Texts lists the kinds of Adversarial that are one hostile text in ordinary
// frames, "plain" among them, sorted.
func Texts() []string {
	var out []string
	for k := range texts {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// WriteAdversarial writes about n bytes of the hostile kind to w.
func WriteAdversarial(w io.Writer, kind string, n int64, seed uint64) error {
	bw := bufio.NewWriterSize(w, 1<<20)
	r := newRand(seed)
	switch f, shape := texts[kind], shapes[kind]; {
	case f != nil:
		var b []byte
		for id, done := 1, int64(0); done < n; id++ {
			b = opening(b[:0], id)
			b = append(f(&r, b, int(min(chunk, n-done))), closing...)
			done += int64(len(b))
			if _, err := bw.Write(b); err != nil {
				return err
			}
		}
	case shape != nil:
		if err := shape(bw, &r, n); err != nil {
			return err
		}
	default:
		return fmt.Errorf("no adversarial kind %q; choose one of %s", kind, strings.Join(Adversarial(), ", "))
	}
	return bw.Flush()
}

// opening appends a call and its result up to the content of its text.
func opening(b []byte, id int) []byte {
	n := strconv.Itoa(id)
	return join(b, `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":`, n, `,"method":"tools/call","params":{"name":"probe","arguments":{}}}}`, "\n",
		`{"direction":"s2c","frame":{"jsonrpc":"2.0","id":`, n, `,"result":{"content":[{"type":"text","text":"`)
}

const closing = `"}]}}}` + "\n"

// prose fills with ordinary sentences, already safe in a JSON string.
func (r *rng) prose(b []byte, n int) []byte {
	for end := len(b) + n; len(b) < end; {
		b = r.sentence(b, false)
	}
	return b
}

func (r *rng) tokens(b []byte, n, size int, sep string) []byte {
	for end := len(b) + n; len(b) < end; {
		b = append(r.chars(b, alnum, size), sep...)
	}
	return b
}

func repeatTo(w *bufio.Writer, piece string, n int64) error {
	many := slices.Repeat([]byte(piece), 1<<16/len(piece)+1)
	for n > 0 {
		part := many[:min(int64(len(many)), n)]
		if _, err := w.Write(part); err != nil {
			return err
		}
		n -= int64(len(part))
	}
	return nil
}
