package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var rawPieces = []string{"a", strings.Repeat("long ", 20), "é", "€", "😀", `\n`, `\"`, `\\`, `\/`, `\t`, `\b`, `\f`, `\r`, `\u0041`, `\u20aC`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\u0000`, "\xff", "\xe2\x82", "\xc0\x80", "\xed\xa0\x80", "u", "12ab"}

func rawContent(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(rawPieces), 0, 20).Draw(t, "pieces"), ""))
}

// encoding/json replaces what is bad in the same way.
func TestUnquoteIsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rawContent(t)
		var want string
		if err := json.Unmarshal([]byte(`"`+string(raw)+`"`), &want); err != nil {
			t.Fatal(err)
		}
		got, clean := Unquote([]byte("x"), raw)
		if string(got) != "x"+want {
			t.Fatalf("%q: %q, want %q", raw, got, want)
		}
		if _, err := Decode([]byte(`"`+string(raw)+`"`), DecodeOptions{}); clean != (err == nil) {
			t.Fatalf("%q: clean %v, %v", raw, clean, err)
		}
	})
}

func TestUnquoteBad(t *testing.T) {
	for raw, want := range map[string]string{
		`\ud800`: "\ufffd", `\ud800\u0041`: "\ufffdA", `\ud800\ud800\udc00`: "\ufffd\U00010000", `\udc00\ud800`: "\ufffd\ufffd",
		"\xff\xfe": "\ufffd\ufffd", "\xe2\x82x": "\ufffd\ufffdx", "\ufffd": "\ufffd",
		// Never handed over by the readers, but no reason to stop.
		`\`: "\ufffd", `\u12`: "\ufffd12", `\uzzzz`: "\ufffdzzzz", "a\\": "a\ufffd",
	} {
		if got, _ := Unquote(nil, []byte(raw)); string(got) != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
	if _, clean := Unquote(nil, []byte("\ufffd")); !clean {
		t.Error("a replacement character is nothing bad")
	}
}

// Cutting raw at the offset of code point n leaves n code points before it.
func TestRawOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rawContent(t)
		whole, _ := Unquote(nil, raw)
		n := utf8.RuneCount(whole)
		cps := make([]int, n+2)
		for i := range cps {
			cps[i] = i
		}
		for i, off := range RawOffsets(raw, cps) {
			if i >= n && off != len(raw) {
				t.Fatalf("%q: code point %d of %d at %d", raw, i, n, off)
			}
			head, _ := Unquote(nil, raw[:off])
			tail, _ := Unquote(nil, raw[off:])
			if string(head)+string(tail) != string(whole) || utf8.RuneCount(head) != min(i, n) {
				t.Fatalf("%q: cut at %d, code point %d", raw, off, i)
			}
		}
	})
	if got := RawOffsets([]byte(`a\n\ud83d\ude00z`), []int{0, 1, 1, 3, 9}); got[0] != 0 || got[1] != 1 || got[2] != 1 || got[3] != 15 || got[4] != 16 {
		t.Error(got)
	}
}
