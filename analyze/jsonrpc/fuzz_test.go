package jsonrpc

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
)

func seedFuzz(f *testing.F) {
	for seed := range uint64(40) {
		w := seededWriter(seed)
		w.wild = seed%2 == 0
		f.Add([]byte(w.message()))
	}
	for _, s := range []string{`{"a":"\ud83d\ude00"}`, `[{"id":1},5]`, "junk\n{\"id\":1}", "\ufeff{}", `{"id":1e-400}`, `{"a":[[[]]]}`, "{\"a\":\"\xff\"}", `{"a":NaN}`} {
		f.Add([]byte(s))
	}
}

// Parser takes exactly the objects that are valid JSON and valid UTF-8, and
// reads them like the plain reading, wherever they stand in a buffer.
func FuzzMessage(f *testing.F) {
	seedFuzz(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		if len(bytes.TrimLeft(doc, " \t\r\n")) == 0 {
			return
		}
		agree(t, doc)
		decodeAgrees(t, doc)
		padded := append(bytes.Repeat([]byte{'"'}, len(doc)%130), doc...)
		at := len(padded) - len(doc)
		var p Parser
		p.Load(append(padded, '"', '\\'))
		var m Message
		end, ok := p.Message(at, at+len(doc), &m)
		ok = ok && p.Space(end) >= at+len(doc)
		if alone, want := parse(doc, true); ok != want || ok && !sameMessage(&m, alone) && m.Alt == nil {
			t.Fatalf("other reading at %d of %q", at, doc)
		}
		p.Load(doc)
		i := p.Space(0)
		next, ok := p.Skip(i)
		if whole := ok && p.Space(next) == len(doc); whole != (json.Valid(doc) && utf8.Valid(doc)) {
			t.Fatalf("Skip: %v on %q", whole, doc)
		}
	})
}

func FuzzRead(f *testing.F) {
	seedFuzz(f)
	var reused Frame
	f.Fuzz(func(t *testing.T, doc []byte) {
		readAgrees(t, doc)
		Read(doc, analyze.Spec, &reused)
		Read(doc, analyze.Full, &reused)
		for i := range reused.Msgs {
			m := &reused.Msgs[i]
			var offs []int32
			for _, s := range m.Texts {
				offs = append(offs, s.Start)
				raw := m.Raw[s.Start:s.End]
				text, _ := Unquote(nil, raw)
				if n := utf8.RuneCount(text); RawOffsets(raw, []int{n})[0] != len(raw) || n > 0 && RawOffsets(raw, []int{n - 1})[0] >= len(raw) {
					t.Fatalf("%d code points in %q", n, raw)
				}
			}
			for _, p := range Pointers(m.Raw, offs) {
				if p != "" && p[0] != '/' || !utf8.ValidString(p) {
					t.Fatalf("pointer %q in %q", p, m.Raw)
				}
			}
			IDKey(m.ID)
		}
	})
}

func FuzzSkimmer(f *testing.F) {
	seedFuzz(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		n := len(doc)
		skimAgrees(t, doc, func(max int) int {
			n = n*31 + 7
			return n & 0xffff % max
		})
	})
}

func FuzzIDKey(f *testing.F) {
	for _, s := range []string{"1", "1.0e5", `"a"`, "-0.00e999999999999999999999", "null", `"\ud800"`, "1e-18446744073709551616"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		k, ok := IDKey(raw)
		if len(k) > 64 {
			t.Fatalf("%d bytes", len(k))
		}
		if !ok || raw[0] == '"' {
			return
		}
		// The same number, written with one more digit.
		more := bytes.Replace(raw, []byte("e"), []byte("E"), 1)
		mant, exp, _ := bytes.Cut(more, []byte("E"))
		if !bytes.Contains(mant, []byte(".")) {
			mant = append(bytes.Clone(mant), '.')
		}
		again := append(bytes.Clone(mant), '0')
		if len(exp) > 0 {
			again = append(append(again, 'E'), exp...)
		}
		if k2, ok := IDKey(again); !ok || k2 != k {
			t.Fatalf("%q %q, %q %q", raw, k, again, k2)
		}
	})
}
