package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// parse reads doc alone with the given kernel.
func parse(doc []byte, portable bool) (*Message, bool) {
	p := Parser{Portable: portable}
	p.Load(doc)
	m := new(Message)
	end, ok := p.Message(0, len(doc), m)
	return m, ok && len(bytes.TrimRight(doc[end:], " \t\r\n")) == 0
}

// agree holds one document against the plain reading.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc []byte) {
	t.Helper()
	valid := json.Valid(doc) && utf8.Valid(doc) && bytes.TrimLeft(doc, " \t\r\n")[0] == '{'
	for _, portable := range []bool{false, true} {
		m, ok := parse(doc, portable)
		if ok != valid {
			t.Fatalf("portable %v: taken %v, valid %v: %q", portable, ok, valid, doc)
		}
		if !ok {
			continue
		}
		r, _ := plainMessage(doc)
		if d := r.differences(m, LoneSurrogate); d != nil {
			t.Fatalf("portable %v: %v differ\n%q\nhas %b, want %b\n%+v\n%+v\n%+v\n%+v", portable, d, doc, m.Has&^LoneSurrogate, r.has, m.Texts, r.texts, m.Notes, r.notes)
		}
		_, err := Decode(doc, DecodeOptions{})
		if lone := err != nil; lone != (m.Has&LoneSurrogate != 0) {
			t.Fatalf("lone surrogate: %v in %q", m.Has&LoneSurrogate != 0, doc)
		}
	}
}

func TestMessageIsThePlainReading(t *testing.T) {
	for seed := range uint64(20000) {
		agree(t, []byte(seededWriter(seed).message()))
	}
}

func TestMessageIsThePlainReadingShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, []byte(rapidWriter(t).message())) })
}

// Cutting, doubling or changing a byte must not make Parser take what is no
// JSON, nor refuse what still is.
func TestDamagedMessages(t *testing.T) {
	for seed := range uint64(4000) {
		w := seededWriter(seed)
		doc := []byte(w.message())
		i := w.pick(len(doc))
		switch w.pick(3) {
		case 0:
			doc = append(doc[:i:i], doc[i+1:]...)
		case 1:
			const marks = "\"\\{}[],: 0.eE-+tfn\x1f\n\xc3"
			doc[i] = marks[w.pick(len(marks))]
		case 2:
			doc = append(doc[:i+1:i+1], doc[i:]...)
		}
		if len(bytes.TrimSpace(doc)) > 0 {
			agree(t, doc)
		}
	}
}

func TestMessagesInAChunk(t *testing.T) {
	for seed := range uint64(300) {
		var chunk []byte
		var docs []string
		w := seededWriter(seed)
		for range 20 {
			doc := strings.NewReplacer("\n", " ").Replace(seededWriter(seed*100 + uint64(len(docs))).message())
			if w.pick(4) == 0 {
				doc = doc[:w.pick(len(doc))] + w.one("", `\`, `"`)
			}
			docs = append(docs, doc)
			chunk = append(append(chunk, doc...), '\n')
		}
		var p Parser
		p.Load(chunk)
		var m Message
		at := 0
		for _, doc := range docs {
			alone, ok := parse([]byte(doc), true)
			end, got := p.Message(at, at+len(doc), &m)
			got = got && p.Space(end) >= at+len(doc)
			if ok != got {
				t.Fatalf("taken %v in the chunk, %v alone: %q", got, ok, doc)
			}
			if ok && (!bytes.Equal(m.Raw, alone.Raw) || len(m.Texts) != len(alone.Texts)) {
				t.Fatalf("other reading in the chunk: %q", doc)
			}
			at += len(doc) + 1
		}
	}
}

func TestStrictness(t *testing.T) {
	for doc, want := range map[string]bool{
		`{}`: true, ` {} `: true, `{"a":1}`: true, `[]`: false, `1`: false, `"{}"`: false, ``: false, ` `: false,
		`{"a":01}`: false, `{"a":1.}`: false, `{"a":.1}`: false, `{"a":+1}`: false, `{"a":1e}`: false, `{"a":1e+}`: false, `{"a":-}`: false,
		`{"a":-0.0e-0}`: true, `{"a":1x}`: false, `{"a":truex}`: false, `{"a":tru}`: false, `{"a":nul`: false, `{"a":NaN}`: false, `{"a":-Infinity}`: false,
		`{"a":1,}`: false, `{,}`: false, `{"a"}`: false, `{"a":}`: false, `{"a" 1}`: false, `{"a":1 "b":2}`: false, `{a:1}`: false, `{'a':1}`: false,
		`{"a":[1,]}`: false, `{"a":[,1]}`: false, `{"a":[1 2]}`: false, `{"a":[}`: false, `{"a":{]}`: false, `{"a":[}]}`: false,
		`{"a":"\x"}`: false, `{"a":"\u12g4"}`: false, `{"a":"\u123"}`: false, `{"a":"\`: false, `{"a":"\"}`: false, `{"a":"\\"}`: true, `{"a":"\\\"}`: false,
		"{\"a\":\"\x1f\"}": false, "{\"a\":\"\t\"}": false, "{\"a\":\"\\\x1f\"}": false, "{\"a\":\"\x7f\u0080\"}": true, "{\"a\":\"\\\u00e9\"}": false,
		"{\"a\":\"\xff\"}": false, "{\"a\":\"\xed\xa0\x80\"}": false, "{\"\xff\":1}": false, "\ufeff{}": false, "{\u00a0}": false,
		`{}x`: false, `{}{}`: false, `{"a":/**/1}`: false, `{"a":"\ud800"}`: true, `{"\u0000":"\u0000"}`: true, "{\"a\":\n1}": true, "{\"a\":\v1}": false,
		`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`:                                        true,
		`{"a":` + strings.Repeat(`{"b":[`, 100) + strings.Repeat("]}", 100) + `}`:                                  true,
		`{"a":` + strings.Repeat(`{"b":[`, 100) + strings.Repeat("]}", 60) + `}]` + strings.Repeat("]}", 39) + `}`: false,
		`{"a":` + strings.Repeat("[", 65) + strings.Repeat("]", 64) + `}`:                                          false,
	} {
		for _, portable := range []bool{true, false} {
			if _, ok := parse([]byte(doc), portable); ok != want {
				t.Errorf("portable %v: taken %v: %q", portable, ok, doc)
			}
		}
	}
}

func TestFlagsAndFields(t *testing.T) {
	for doc, want := range map[string]Has{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":{},"task":{}}}`: HasJSONRPC | HasID | HasMethod | HasParams | HasName | HasArguments | HasMeta | HasTask,
		`{"id":null}`: HasID, `{"id":true}`: HasID | BadID, `{"id":{}}`: HasID | BadID, `{"id":[1]}`: HasID | BadID, `{"id":-1}`: HasID, `{"id":""}`: HasID,
		`{"id":true,"id":2}`:                                                   HasID | Repeated,
		`{"METHOD":"x"}`:                                                       Repeated,
		`{"re\u017fult":{}}`:                                                   Repeated,
		`{"\u006dethod":"a"}`:                                                  HasMethod,
		`{"method":"a","\u006dethod":"b"}`:                                     HasMethod | Repeated,
		`{"x":1,"x":2}`:                                                        Repeated,
		`{"x":{"y":1,"y":2}}`:                                                  0,
		`{"params":{"arguments":{"a":1,"a":2}}}`:                               HasParams | HasArguments,
		`{"params":{"a":1,"a":2}}`:                                             HasParams | Repeated,
		`{"params":{"result":{"a":1,"a":2}}}`:                                  HasParams | HasNested,
		`{"error":{"code":1,"code":2}}`:                                        HasError | Repeated,
		`{"error":null,"result":null}`:                                         HasError | HasResult,
		`{"result":{"content":[{"a":1,"a":2}]}}`:                               HasResult | HasContent | Repeated,
		`{"result":{"content":[{"a":{"b":1,"b":2}}]}}`:                         HasResult | HasContent,
		`{"result":{"content":[{"resource":{"text":1,"Text":2}}]}}`:            HasResult | HasContent | Repeated,
		`{"result":{"resultType":"task","taskId":"1"}}`:                        HasResult | HasResultType | HasResultTask,
		`{"result":{"isError":true},"result":{"isError":false}}`:               HasResult | Repeated,
		`{"result":{"isError":true},"Result":{"content":[]}}`:                  HasResult | HasIsError | Repeated,
		`{"result":{"result":{"isError":true}}}`:                               HasResult | HasNested | HasNestedIsError,
		`{"method":"notifications/tasks","params":{"result":{"a":1,"a":2}}}`:   HasMethod | HasParams | HasNested | Repeated,
		`{"result":{"structuredContent":{"a":1,"a":2},"_meta":{"x":1,"x":1}}}`: HasResult,
		`{"result":{"inputRequests":{},"requestState":"s"}}`:                   HasResult | HasInputRequests | HasRequestState,
		`{"params":{"name":"a"},"Params":{"name":"b","cursor":"c"}}`:           HasParams | HasName | Repeated,
		`{"params":{"name":"\ud800","cursor":null,"inputResponses":1}}`:        HasParams | HasName | HasInputResponses | LoneSurrogate,
	} {
		m, ok := parse([]byte(doc), false)
		if !ok || m.Has != want {
			t.Errorf("%s: %v, has %b, want %b", doc, ok, m.Has, want)
		}
	}
	m, _ := parse([]byte(`{"method":"a\/b","params":{"name":"n\u0061"},"id":"\u0031"}`), false)
	if string(m.Method) != "a/b" || string(m.Name) != "na" || string(m.ID) != `"\u0031"` {
		t.Errorf("%q %q %q", m.Method, m.Name, m.ID)
	}
	m, _ = parse([]byte(`{"params":{"name":"first"},"Params":{"NAME":"second"},"params":{"name":5}}`), false)
	if m.Name != nil || len(m.Alt) != 6 || m.Alt[3].Key != "params/name" || string(m.Alt[3].Raw) != `"second"` {
		t.Errorf("%q %+v", m.Name, m.Alt)
	}
}

func TestLowLevel(t *testing.T) {
	var p Parser
	p.Load([]byte("  \t\"a\\\"b\" : [1, {\"x\":\"\xff\"}] \"open"))
	if i := p.Space(0); i != 3 {
		t.Error("space", i)
	}
	a, b, next, esc, ok := p.String(3)
	if a != 4 || b != 8 || next != 9 || !esc || !ok {
		t.Error(a, b, next, esc, ok)
	}
	if _, _, _, _, ok := p.String(4); ok {
		t.Error("a string that begins with a letter")
	}
	if _, ok := p.Skip(12); ok {
		t.Error("bad UTF-8 passed")
	}
	if n, ok := p.Skip(13); !ok || n != 14 {
		t.Error("number", n, ok)
	}
	for _, i := range []int{-1, 29, 28, 1000} {
		if _, _, _, _, ok := p.String(i); ok {
			t.Error("string at", i)
		}
		if _, ok := p.Skip(i); ok {
			t.Error("value at", i)
		}
		if _, ok := p.Message(i, 1000, new(Message)); ok {
			t.Error("message at", i)
		}
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	docs := []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\nb"},{"type":"image","data":"AAAA"},5],"structuredContent":{"k":["v"]}}}`,
		`{"jsonrpc":"2.0","method":"tools/call","id":"x","params":{"name":"t","arguments":{"a":[[[[1]]]]}}}`,
		`{"result":{"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,"a9":1,"a10":1,"a11":1,"\u0061b":"` + strings.Repeat("é", 100) + `"}}`,
	}
	var p Parser
	var m Message
	for _, doc := range docs {
		buf := []byte(doc)
		run := func() {
			p.Load(buf)
			if _, ok := p.Message(0, len(buf), &m); !ok {
				t.Fatal("refused", doc)
			}
		}
		run()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%v allocations for %s", n, doc)
		}
	}
}
