package lock

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

func fullLock(t testing.TB) string {
	s := surfaceOf(`{"name":"a","description":"does a","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}},"outputSchema":{"type":"object"}}`, `{"name":"b"}`)
	s.Resources = [][]byte{[]byte(`{"uri":"docs://r","name":"r","mimeType":"text/plain"}`)}
	s.Prompts = [][]byte{[]byte(`{"name":"p","arguments":[{"name":"x"}]}`)}
	return mustWrite(t, mustBuild(t, s, PinOptions{Approver: "eve"}))
}

func TestStrictRefusesWhatIsMissing(t *testing.T) {
	text := fullLock(t)
	doc, err := jsonrpc.Decode([]byte(text), jsonrpc.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := func(list string) *jsonrpc.Value { return doc.Get(list).Elems[0] }
	for _, c := range []struct {
		place    string
		v        *jsonrpc.Value
		optional string
	}{
		{"", doc, ""}, {"server", doc.Get("server"), ""}, {"tools", first("tools"), ""}, {"resources", first("resources"), ""},
		{"prompts", first("prompts"), ""}, {"pin", doc.Get("pin"), "provenance_version pinner attestations"},
	} {
		for _, m := range c.v.Members {
			var ms []member
			for _, o := range c.v.Members {
				if o.Key != m.Key {
					ms = append(ms, member{o.Key, o.Value.Raw})
				}
			}
			without := strings.Replace(text, string(c.v.Raw), string(object(ms)), 1)
			_, err := ParseStrict("f.lock", []byte(without))
			optional := slices.Contains(strings.Fields(c.optional), m.Key)
			if (err == nil) != optional {
				t.Errorf("%s without %s: %v", c.place, m.Key, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "f.lock: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			// The runtime reads it all the same, with one warning.
			_, warn, err := Parse("f.lock", []byte(without))
			fatal := m.Key == "schema_version" || c.place == "" && m.Key == "tools"
			switch {
			case (err != nil) != fatal:
				t.Errorf("%s without %s, at run time: %v", c.place, m.Key, err)
			case !fatal && len(warn) != map[bool]int{true: 0, false: 1}[optional]:
				t.Errorf("%s without %s: warnings %q", c.place, m.Key, warn)
			}
		}
	}
}

func TestStrictRefusesWrongDigests(t *testing.T) {
	text := fullLock(t)
	for i := 0; ; {
		j := strings.Index(text[i:], "digest\": \"sha256:")
		if j < 0 {
			break
		}
		i += j + len("digest\": \"sha256:")
		flip := byte('0')
		if text[i] == '0' {
			flip = '1'
		}
		bad := text[:i] + string(flip) + text[i+1:]
		_, err := ParseStrict("f", []byte(bad))
		// approved_digest, bound_digest may name an older state
		if pin := i > strings.Index(text, `"pin"`); (err == nil) != pin {
			t.Errorf("a digest flipped at byte %d: %v", i, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	ok := fullLock(t)
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "f:1:1: not valid JSON"},
		{"half", "{\n", "f:2:1: not valid JSON"},
		{"no object", "[]", "a lock is a JSON object, not array"},
		{"no level", `{"tools":[]}`, "no schema_version"},
		{"level 0", `{"schema_version":0,"tools":[]}`, "unknown schema_version"},
		{"level 5", `{"schema_version":5,"tools":[]}`, "unknown schema_version"},
		{"level as text", `{"schema_version":"4","tools":[]}`, "unknown schema_version"},
		{"level 4.0", `{"schema_version":4.0,"tools":[]}`, "unknown schema_version"},
		{"no tools", `{"schema_version":4}`, "no tools"},
		{"tools of another type", `{"schema_version":4,"tools":{}}`, "no tools"},
		{"key twice", strings.Replace(ok, `"warden_version"`, `"tools": [], "warden_version"`, 1), "an object with a key twice"},
		{"deep", `{"schema_version":4,"tools":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}", "nesting over 512"},
		{"huge", `{"schema_version":4,"tools":[` + strings.Repeat(" ", MaxBytes) + "]}", "larger than the 16 MiB"},
		{"many", `{"schema_version":4,"tools":[0` + strings.Repeat(",0", maxNodes) + "]}", "more than the 500000 values"},
	} {
		for _, strict := range []bool{false, true} {
			_, _, err := Parse("f", []byte(c.text))
			if strict {
				_, err = ParseStrict("f", []byte(c.text))
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s (strict %v): got %v, want %s", c.name, strict, err, c.want)
			}
		}
	}
}

// Very deep, long and repetitive files are refused soon.
func TestParseIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", MaxBytes-1),
		"objects":  strings.Repeat(`{"a":`, MaxBytes/5),
		"keys":     `{"schema_version":4,"tools":[],` + strings.Repeat(`"a":1,`, MaxBytes/7) + `"b":1}`,
		"string":   `{"schema_version":4,"tools":["` + strings.Repeat(`\u0000`, MaxBytes/7) + `"]}`,
	} {
		start := time.Now()
		Parse("f", []byte(text))
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s took %v", name, d)
		}
	}
}

// A secret that stands anywhere in a lock is in no error and in no warning.
func TestNoSecretShown(t *testing.T) {
	const secret = "sk-Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2"
	ok := fullLock(t)
	for _, old := range []string{`"srv"`, `"does_not_exist"`, `"a"`, `"docs://r"`, `"p"`, `"eve"`, `"string"`, `"text/plain"`, `"sha256:`, `"2026-`, `"test"`, `"name"`, `"pin"`} {
		for _, text := range []string{
			strings.Replace(ok, old, `"`+secret+`"`, 1),
			strings.Replace(ok, old, `"`+secret+`\u001b[2J"`, 1),
			strings.Replace(ok, old, `"`+secret, 1),
			strings.Replace(ok, old, secret, 1),
		} {
			_, warn, err := Parse("f", []byte(text))
			_, serr := ParseStrict("f", []byte(text))
			all := fmt.Sprint(warn, err, serr)
			if strings.Contains(all, secret[:12]) || strings.ContainsAny(all, "\x1b") {
				t.Errorf("with %s replaced: %s", old, all)
			}
		}
	}
}

func TestOlderLevels(t *testing.T) {
	tool := `{"name":"a","description":"x","inputSchema":{"properties":{"p":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	for level := 1; level <= Level; level++ {
		l, err := build(surfaceOf(tool), PinOptions{Now: testTime}, level)
		if err != nil {
			t.Fatal(err)
		}
		if l.Level != level {
			t.Errorf("level %d became %d", level, l.Level)
		}
		text := mustWrite(t, l)
		for key, from := range map[string]int{"schema_skeleton": 2, "annotations_hash": 4, "output_schema_hash": 4, "output_schema_skeleton": 4} {
			if strings.Contains(text, `"`+key+`"`) != (level >= from) {
				t.Errorf("level %d: %s", level, key)
			}
		}
		if strings.Contains(text, `"$ref"`) != (level == 2) {
			t.Errorf("level %d: references", level)
		}
		if d, err := l.Against(surfaceOf(tool)); err != nil || len(d) != 0 {
			t.Errorf("level %d against its own surface: %v %v", level, d, err)
		}
	}
}

func TestInspection(t *testing.T) {
	for _, c := range []struct {
		text string
		want analyze.Inspection // Invalid: only its length counts
	}{
		{`{}`, analyze.Inspection{}},
		{`null`, analyze.Inspection{}},
		{`{"expected_output_charset":"text","may_return_urls":false,"secret_echo_applies":true}`, analyze.Inspection{}},
		{`{"expected_output_charset":"extended","may_return_urls":true,"secret_echo_applies":false}`,
			analyze.Inspection{Charset: analyze.CharsetExtended, MayReturnURLs: true, SecretsOff: true}},
		{`{"expected_output_charset":"binary-ok"}`, analyze.Inspection{Charset: analyze.CharsetBinary}},
		{`{"expected_output_charset":["text"]}`, analyze.Inspection{Invalid: make([]string, 1)}},
		{`{"expected_output_charset":"TEXT"}`, analyze.Inspection{Invalid: make([]string, 1)}},
		{`{"expected_output_charset":""}`, analyze.Inspection{Invalid: make([]string, 1)}},
		{`{"may_return_urls":"yes","secret_echo_applies":0}`, analyze.Inspection{Invalid: make([]string, 2)}},
		{`{"may_return_urls":1,"expected_output_charset":"extended"}`, analyze.Inspection{Charset: analyze.CharsetExtended, Invalid: make([]string, 1)}},
		{`"text"`, analyze.Inspection{Invalid: make([]string, 1)}},
	} {
		text := `{"schema_version":3,"tools":[{"name":"t","inspection":` + c.text + `}]}`
		l, _, err := Parse("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := l.Inspection("t")
		if got.Charset != c.want.Charset || got.MayReturnURLs != c.want.MayReturnURLs || got.SecretsOff != c.want.SecretsOff || len(got.Invalid) != len(c.want.Invalid) {
			t.Errorf("%s: got %+v", c.text, got)
		}
		if o := l.Inspection("other"); o.MayReturnURLs || o.SecretsOff || o.Charset != analyze.CharsetText || o.Invalid != nil {
			t.Errorf("an unlisted tool has %+v", o)
		}
	}
	var none *Lock
	if in := none.Inspection("t"); in.MayReturnURLs {
		t.Error("no lock, yet relaxed")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(fullLock(f)))
	f.Add([]byte(`{"schema_version":1,"tools":[]}`))
	f.Add([]byte(`{"schema_version":3,"tools":[{"name":"t","inspection":{"may_return_urls":1}},5,{"name":"t"}],"pin":[],"server":{"url":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, warn, err := Parse("f", data)
		strict, serr := ParseStrict("f", data)
		if err != nil {
			if serr == nil {
				t.Fatal("strict takes what the runtime refuses")
			}
			return
		}
		if len(warn) > 1 || (serr == nil) != (len(warn) == 0) {
			t.Fatalf("warnings %q, strict %v", warn, serr)
		}
		for _, tool := range l.Tools {
			l.Inspection(tool.Name)
		}
		Diff(l, l)
		if serr != nil {
			return
		}
		out, err := Write(strict)
		if err != nil {
			return // a bad inspection value
		}
		again, err := ParseStrict("f", out)
		if err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
		if again.Overall != strict.Overall {
			t.Fatal("writing changed the digest")
		}
	})
}
