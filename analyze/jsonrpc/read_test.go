package jsonrpc

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"pgregory.net/rapid"
)

func read(frame string, cov analyze.Coverage) *Frame {
	f := new(Frame)
	Read([]byte(frame), cov, f)
	return f
}

func TestRead(t *testing.T) {
	const ok = `{"method":"m","id":1}`
	tests := []struct {
		frame string
		n     int // messages in coverage full
		spec  int // and in coverage spec
		has   Has // ambiguities in coverage full
		err   string
	}{
		{ok, 1, 1, 0, ""},
		{" \t" + ok + "\r\n", 1, 1, 0, ""},
		{"\ufeff" + ok, 1, 1, HadBOM, ""},
		{"\ufeff\ufeff" + ok, 1, 0, HadBOM | Junk, ""},
		{"", 0, 0, 0, errEmpty},
		{" \r\n", 0, 0, 0, errEmpty},
		{"\ufeff", 0, 0, HadBOM, errEmpty},
		{"5", 0, 0, 0, errScalar}, {`"x"`, 0, 0, 0, errScalar}, {"NaN", 0, 0, 0, errScalar}, {"null", 0, 0, 0, errScalar},
		{"[]", 0, 0, 0, errBatch}, {"[ ]", 0, 0, 0, errBatch},
		{"{}", 1, 1, 0, ""},
		{`{"id":NaN}`, 1, 1, NotANumber | BadID, ""},
		{`{"id":-Infinity}`, 1, 1, NotANumber | BadID, ""},
		{`{"a":[Infinity]}`, 1, 1, NotANumber, ""},
		{`{"a":-NaN}`, 0, 0, 0, errNotJSON},
		{`{"a":nan}`, 0, 0, 0, errNotJSON},
		{"{\"method\":\"\xff\"}", 1, 1, BadUTF8, ""},
		{`{"method":"\ud800"}`, 1, 1, LoneSurrogate, ""},
		{`{"id":1,"id":2}`, 1, 1, Repeated, ""},
		{"[" + ok + "," + ok + "]", 2, 2, 0, ""},
		{"[" + ok + ",5,[" + ok + "]," + ok + "]", 4, 4, 0, ""},
		{"[NaN," + ok + "]", 2, 2, NotANumber, ""},
		{"[" + ok + ",]", 0, 0, 0, errNotJSON},
		{"[" + ok + "]x", 0, 0, 0, errNotJSON},
		{"junk", 0, 0, 0, errNotJSON},
		{"junk\n" + ok, 1, 0, Junk, ""},
		{"junk\r" + ok + "\r\nmore", 1, 0, Junk, ""},
		{ok + "\n" + ok, 2, 0, Junk, ""},
		{"[" + ok + "]\r[" + ok + ",1]", 3, 0, Junk, ""},
		{"junk\n{\"log\":1}", 0, 0, 0, errNotJSON},
		{"junk\n\xef\xbb\xbf" + ok, 1, 0, Junk | HadBOM, ""},
		{"junk\n{\"RESULT\":1}", 1, 0, Junk | Repeated, ""},
		{"junk " + ok, 0, 0, 0, errNotJSON},
		{"{\"a\":\"\n\n" + ok + "\n\"}", 1, 0, Junk, ""},
		{"{\n\"method\":\n\"m\"\r\n}", 1, 1, 0, ""},
		{strings.Repeat("[", 3) + strings.Repeat("]", 3), 1, 1, 0, ""},
	}
	for _, tc := range tests {
		f := read(tc.frame, analyze.Full)
		if len(f.Msgs) != tc.n || f.Has != tc.has || f.Err != tc.err {
			t.Errorf("%q: %d messages, has %b, %q", tc.frame, len(f.Msgs), f.Has, f.Err)
		}
		s := read(tc.frame, analyze.Spec)
		if len(s.Msgs) != tc.spec || (s.Err != "") != (tc.spec == 0) || s.Has&Junk != 0 {
			t.Errorf("%q: in spec %d messages, %q", tc.frame, len(s.Msgs), s.Err)
		}
		if len(f.Pieces) != len(f.Msgs) || len(f.Errs) != len(f.Msgs) {
			t.Errorf("%q: %d messages, %d pieces, %d errors", tc.frame, len(f.Msgs), len(f.Pieces), len(f.Errs))
		}
	}
}

func TestReadBatchElements(t *testing.T) {
	f := read(` [ {"id":1,"method":"a"} , 5,[{"id":2}],{"id":3,"result":"x"}]`, analyze.Full)
	if !f.Batch || !reflect.DeepEqual(f.Errs, []string{"", errScalar, errScalar, ""}) {
		t.Fatalf("%+v", f)
	}
	if string(f.Pieces[2]) != `[{"id":2}]` || string(f.Msgs[1].Raw) != "5" || string(f.Msgs[3].ID) != "3" || len(f.Msgs[3].Texts) != 1 {
		t.Fatalf("%q", f.Pieces)
	}
	// Pieces point into the frame, so that a driver can replace one.
	frame := []byte(`[{"id":1},{"id":2}]`)
	Read(frame, analyze.Full, f)
	if &f.Pieces[1][0] != &frame[10] {
		t.Fatal("a piece that does not point into the frame")
	}
}

func TestReadDecodesBadUTF8(t *testing.T) {
	f := read("{\"method\":\"a\xff\xfeb\",\"params\":{\"name\":\"\xe2\x82\"},\"result\":\"\xc0\"}", analyze.Full)
	if m := f.Msgs[0]; string(m.Method) != "a\ufffd\ufffdb" || string(m.Name) != "\ufffd\ufffd" || m.Has&BadUTF8 == 0 {
		t.Fatalf("%q %q", m.Method, m.Name)
	}
}

// A frame reused must hold nothing of the one before.
func TestReadReuse(t *testing.T) {
	var f Frame
	for seed := range uint64(3000) {
		w := seededWriter(seed)
		w.wild = true
		doc := w.message()
		switch w.pick(4) {
		case 0:
			doc = "[" + doc + "," + seededWriter(seed+1).message() + ",1]"
		case 1:
			doc = doc[:w.pick(len(doc))] + "\n" + doc
		}
		Read([]byte(doc), analyze.Full, &f)
		fresh := read(doc, analyze.Full)
		if f.Err != fresh.Err || f.Has != fresh.Has || f.Batch != fresh.Batch || len(f.Msgs) != len(fresh.Msgs) {
			t.Fatalf("%q: %+v, fresh %+v", doc, f, fresh)
		}
		for i := range f.Msgs {
			if !sameMessage(&f.Msgs[i], &fresh.Msgs[i]) {
				t.Fatalf("%q: message %d: %+v, fresh %+v", doc, i, f.Msgs[i], fresh.Msgs[i])
			}
		}
	}
}

func sameMessage(a, b *Message) bool {
	x, y := *a, *b
	for _, m := range []*Message{&x, &y} {
		if len(m.Texts) == 0 {
			m.Texts = nil
		}
		if len(m.Notes) == 0 {
			m.Notes = nil
		}
	}
	return reflect.DeepEqual(x, y)
}

// readAgrees holds Read against Parser where Parser takes the frame, and
// against the plain reading where only a lenient one does.
func readAgrees(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc []byte) {
	t.Helper()
	f := new(Frame)
	Read(doc, analyze.Full, f)
	if m, ok := parse(doc, false); ok {
		if f.Err != "" || len(f.Msgs) != 1 || !sameMessage(m, &f.Msgs[0]) {
			t.Fatalf("Parser and Read differ on %q: %+v, %+v", doc, m, f)
		}
		return
	}
	r, ok := plainMessage(bytes.TrimPrefix(doc, utf8BOM))
	if whole := len(f.Msgs) == 1 && f.Has&Junk == 0 && !f.Batch; ok != whole {
		t.Fatalf("a message: %v, plain reading %v: %q %+v", whole, ok, doc, f)
	}
	if ok {
		if d := r.differences(&f.Msgs[0], LoneSurrogate|BadUTF8|NotANumber|BadID&^r.has); d != nil {
			t.Fatalf("%v differ: %q", d, doc)
		}
	}
}

func TestReadIsThePlainReading(t *testing.T) {
	for seed := range uint64(10000) {
		w := seededWriter(seed)
		w.wild = true
		readAgrees(t, []byte(w.message()))
	}
}

func TestReadIsThePlainReadingShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapidWriter(t)
		w.wild = true
		readAgrees(t, []byte(w.message()))
	})
}

// A batch of millions of elements must not cost a multiple of itself, nor hide a
// message.
func TestReadHugeBatches(t *testing.T) {
	for _, silent := range []string{"1", "{}", "[]", `{"id":NaN}`, "{} , 1"} {
		const n = 20_000
		many := strings.Repeat(silent+",", n)
		frame := "[" + many + ` {"id":1,"result":"a"},` + many + `{"method":"m"}]`
		f := read(frame, analyze.Full)
		if f.Err != "" || len(f.Msgs) != manyElements || len(f.Pieces) != len(f.Msgs) || len(f.Errs) != len(f.Msgs) {
			t.Fatalf("%s: %d entries, %q", silent, len(f.Msgs), f.Err)
		}
		elements := slices.Clone(f.Pieces)
		if !f.More(func(e []byte) bool { elements = append(elements, e); return true }) {
			t.Fatalf("%s: no more than the first elements", silent)
		}
		var found []string
		for _, e := range elements {
			if g := read(string(e), analyze.Full); g.Err == "" && g.Msgs[0].says() {
				found = append(found, string(e))
			}
		}
		if !reflect.DeepEqual(found, []string{`{"id":1,"result":"a"}`, `{"method":"m"}`}) {
			t.Fatalf("%s: %q", silent, found)
		}
		// The elements together are the batch.
		again := "[" + string(bytes.Join(elements, []byte(","))) + "]"
		if strings.ReplaceAll(again, " ", "") != strings.ReplaceAll(frame, " ", "") {
			t.Fatalf("%s: the elements are not the batch", silent)
		}
		if strings.Contains(silent, "NaN") != (f.Has&NotANumber != 0) {
			t.Fatalf("%s: has %b", silent, f.Has)
		}
	}
}
