package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// toAny is what encoding/json would make of a value.
func toAny(v *Value) any {
	switch v.Kind {
	case Bool:
		return v.True
	case Number:
		return json.Number(v.Raw)
	case String:
		return v.Str
	case Array:
		out := make([]any, 0)
		for _, e := range v.Elems {
			out = append(out, toAny(e))
		}
		return out
	case Object:
		out := map[string]any{}
		for _, m := range v.Members {
			out[m.Key] = toAny(m.Value)
		}
		return out
	}
	return nil
}

// decodeAgrees holds Decode against two decoders of other hands: jsontext says
// what is strict JSON, encoding/json what it means.
func decodeAgrees(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc []byte) {
	t.Helper()
	strict := jsontext.Value(bytes.Clone(doc)).IsValid(jsontext.AllowDuplicateNames(true))
	v, err := Decode(doc, DecodeOptions{})
	if (err == nil) != strict {
		t.Fatalf("%q: %v, strict JSON: %v", doc, err, strict)
	}
	soft, softErr := Decode(doc, DecodeOptions{Lenient: true})
	if json.Valid(doc) != (softErr == nil) && !bytes.Contains(doc, []byte("NaN")) && !bytes.Contains(doc, []byte("Infinity")) {
		t.Fatalf("%q: leniently %v", doc, softErr)
	}
	if softErr != nil || !json.Valid(doc) {
		return
	}
	if err == nil && !reflect.DeepEqual(v, soft) {
		t.Fatalf("%q: strict and lenient differ", doc)
	}
	if !bytes.Equal(soft.Raw, bytes.Trim(doc, " \t\r\n")) {
		t.Fatalf("%q: raw %q", doc, soft.Raw)
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var want any
	if err := d.Decode(&want); err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	// encoding/json merges repeated objects nowhere when decoding into any.
	if got := toAny(soft); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: %#v, want %#v", doc, got, want)
	}
}

func TestDecodeIsEncodingJSON(t *testing.T) {
	for seed := range uint64(4000) {
		w := seededWriter(seed)
		w.wild = w.pick(2) == 0
		doc := []byte(w.message())
		decodeAgrees(t, doc)
		i := w.pick(len(doc))
		const marks = "\"\\{}[],: 0.eE-+tfn\x1f\n\xc3"
		doc[i] = marks[w.pick(len(marks))]
		decodeAgrees(t, doc)
	}
}

func TestDecodeEdges(t *testing.T) {
	for _, doc := range []string{
		"", " ", "1", "01", "1x", "-", "-0", "1.", "1e", "1e+", "0x1", "+1", "truex", "tru", "nul", "nulll", `"`, `"\`, `"\"`, `"\\"`, `"\\\"`, `"\u12"`, `"\u12`, `"\ud800"`, `"\ud800\u"`,
		"\"\x01\"", "\"\\\x01\"", "{\"a\x00\":1}", `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a",1}`, `{a:1}`, `[1,]`, `[,]`, `[`, `{`, `[}`, `{]`, `[{]}`, `{"a":[}`, `{"a":1]`, `[1}`, `]`, `}`, `1 2`, `[] []`,
		"\"\xff\"", "\xef\xbb\xbf1", "{\"\xff\":1}", " [ ] ", " { } ", "[1 , 2]", `{"a" : 1 , "b" : 2}`,
	} {
		decodeAgrees(t, []byte(doc))
	}
	v, err := Decode([]byte(`{"a":1,"b":2,"a":[3]}`), DecodeOptions{})
	if err != nil || len(v.Members) != 3 || v.Get("a").Kind != Array || string(v.Members[0].Value.Raw) != "1" || v.Get("c") != nil {
		t.Error(v, err)
	}
	for _, doc := range []string{"NaN", "[Infinity]", `{"a":-Infinity}`} {
		if _, err := Decode([]byte(doc), DecodeOptions{}); err == nil {
			t.Errorf("%s is no JSON", doc)
		}
		if _, err := Decode([]byte(doc), DecodeOptions{Lenient: true}); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func TestDecodeBounds(t *testing.T) {
	doc := []byte(`[[1],{"a":2}]`)
	for depth, ok := range map[int]bool{1: false, 2: false, 3: true, 0: true} {
		if _, err := Decode(doc, DecodeOptions{MaxDepth: depth}); (err == nil) != ok || err != nil && !errors.Is(err, ErrDepth) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	for nodes, ok := range map[int]bool{1: false, 4: false, 5: true, 0: true} {
		if _, err := Decode(doc, DecodeOptions{MaxNodes: nodes}); (err == nil) != ok || err != nil && !errors.Is(err, ErrNodes) {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
	deep := []byte(strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20))
	if _, err := Decode(deep, DecodeOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := Decode(deep, DecodeOptions{MaxDepth: 1000}); !errors.Is(err, ErrDepth) {
		t.Error(err)
	}
}

// An error must not show what stands in the frame.
func TestDecodeErrorsAreSafe(t *testing.T) {
	for _, doc := range []string{"\"\x1b[31mAKIAAAAAAAAAAAAAAAAA", "AKIAAAAAAAAAAAAAAAAA", "{\"AKIAAAAAAAAAAAAAAAAA\"\x1b"} {
		_, err := Decode([]byte(doc), DecodeOptions{})
		if err == nil || strings.Contains(err.Error(), "AKIA") || strings.ContainsRune(err.Error(), 0x1b) || !utf8.ValidString(err.Error()) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}
