package streamtext

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
)

// needles finds each "NEEDLE", a secret, and says once that there is a "HOST".
func needles(text []byte) (out []analyze.Finding) {
	for i := 0; ; {
		j := bytes.Index(text[i:], []byte("NEEDLE"))
		if j < 0 {
			break
		}
		at := utf8.RuneCount(text[:i+j])
		out = append(out, analyze.Finding{Rule: "S", SubRule: "N", Spans: []analyze.Span{{Start: at, End: at + 6}}})
		i += j + 6
	}
	if bytes.Contains(text, []byte("HOST")) {
		out = append(out, analyze.Finding{Rule: "H", Matched: []string{"host"}})
	}
	return out
}

// TestSameAsWhole: however a stream is cut, its matches are those of the whole
// text, at the same places, each once.
func TestSameAsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"NEEDLE", "NEED", "LE", "é", "😀", "\xff", "\xff\xff\xe2\x82", " ", "HOST", "HO", string(bytes.Repeat([]byte("filler "), 900))}), 1, 60).Draw(t, "parts")
		var whole []byte
		for _, p := range parts {
			whole = append(whole, p...)
		}
		w := New(needles)
		w.credit = rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "credit")
		var got []analyze.Finding
		for rest := whole; len(rest) > 0; {
			n := min(len(rest), rapid.SampledFrom([]int{1, 2, 3, 7, 100, 5000, 1 << 20}).Draw(t, "cut"))
			w.Write(rest[:n])
			got = append(got, w.Take()...)
			rest = rest[n:]
		}
		w.Flush()
		got = append(got, w.Take()...)
		want := map[analyze.Span]bool{}
		hosts := 0
		for _, f := range needles([]byte(string([]rune(string(whole))))) {
			if f.Rule == "H" {
				hosts++
			} else {
				want[f.Spans[0]] = true
			}
		}
		for _, f := range got {
			if f.Rule == "H" {
				hosts--
				continue
			}
			if !want[f.Spans[0]] {
				t.Fatalf("a match at %v that the whole text has not, or a second time", f.Spans)
			}
			delete(want, f.Spans[0])
		}
		if len(want) != 0 || hosts != 0 {
			t.Fatalf("missed %v, hosts off by %d", want, hosts)
		}
	})
}

// TestWorkIsLinear: a stream in single bytes is inspected a bounded number of
// times over.
func TestWorkIsLinear(t *testing.T) {
	var seen int64
	w := New(func(text []byte) []analyze.Finding { seen += int64(len(text)); return nil })
	const n = 4 << 20
	for range n {
		w.Write([]byte{'x'})
	}
	w.Flush()
	if seen > 12*n+(2<<20) {
		t.Errorf("%d bytes were inspected for %d", seen, n)
	}
}
