package lock

import (
	"strings"
	"testing"
	"time"
)

var testTime = time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("x", 3600))

// surfaceOf makes a surface of tools, all else empty.
func surfaceOf(tools ...string) *Surface {
	s := &Surface{Server: &Launch{Command: "srv"}, Tools: [][]byte{}, Resources: [][]byte{}, Prompts: [][]byte{}, Protocol: "2025-11-25"}
	for _, t := range tools {
		s.Tools = append(s.Tools, []byte(t))
	}
	return s
}

func mustBuild(t testing.TB, s *Surface, o PinOptions) *Lock {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = testTime
	}
	o.Version = "test"
	l, err := Build(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustWrite(t testing.TB, l *Lock) string {
	t.Helper()
	b, err := Write(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct{ name, tool, want string }{
		{"no object", `5`, "tools[0] has no name"},
		{"no name", `{"description":"x"}`, "tools[0] has no name"},
		{"name of another type", `{"name":5}`, "tools[0] has no name"},
		{"annotations of another type", `{"name":"a","annotations":[]}`, `tools[0] "a": annotations: neither an object nor null`},
		{"output schema of another type", `{"name":"a","outputSchema":true}`, `tools[0] "a": outputSchema: neither`},
		{"large integer", `{"name":"a","inputSchema":{"maximum":9007199254740993}}`, "an integer outside"},
		{"key twice", `{"name":"a","name":"b"}`, "an object with a key twice"},
		{"lone surrogate", `{"name":"\ud800"}`, "not valid JSON"},
		{"too deep", `{"name":"a","inputSchema":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "nesting over 512"},
	} {
		_, err := Build(surfaceOf(c.tool), PinOptions{Now: testTime})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := Build(surfaceOf(`{"name":"a"}`, `{"name":"a"}`), PinOptions{}); err == nil || !strings.Contains(err.Error(), "listed twice") {
		t.Errorf("a name twice: %v", err)
	}
	if _, err := Build(&Surface{}, PinOptions{}); err != ErrNoTools {
		t.Errorf("no tools: %v", err)
	}
}

func TestAbsentNullAndEmpty(t *testing.T) {
	one := func(tool string) *Tool {
		l := mustBuild(t, surfaceOf(tool), PinOptions{})
		return &l.Tools[0]
	}
	absent, null, empty := one(`{"name":"a"}`),
		one(`{"name":"a","description":null,"inputSchema":null,"annotations":null,"outputSchema":null}`),
		one(`{"name":"a","description":"","inputSchema":{},"annotations":{},"outputSchema":{}}`)
	if absent.EntryDigest != null.EntryDigest {
		t.Error("absent and null differ")
	}
	if absent.DescriptionHash != empty.DescriptionHash || absent.InputSchemaHash != empty.InputSchemaHash {
		t.Error("an absent description or input schema is not the empty one")
	}
	if absent.AnnotationsHash == empty.AnnotationsHash || absent.OutputSchemaHash == empty.OutputSchemaHash {
		t.Error("absent annotations or output schema are the empty ones")
	}
	if absent.EntryDigest == empty.EntryDigest {
		t.Error("an absent schema and {} have one skeleton")
	}
}

func TestHTTPServerDigest(t *testing.T) {
	s := surfaceOf()
	s.Server = &Launch{URL: "https://x.example/mcp"}
	l := mustBuild(t, s, PinOptions{})
	want, err := Hash([]byte(`{"url":"https://x.example/mcp"}`))
	if err != nil {
		t.Fatal(err)
	}
	if l.Server.Digest != want || l.Server.URL != s.Server.URL {
		t.Errorf("got %+v, want digest %s", l.Server, want)
	}
}

func TestPinFields(t *testing.T) {
	out := mustWrite(t, mustBuild(t, surfaceOf(), PinOptions{Approver: "eve@x", Note: "seen", Actor: "ci", Environment: "ci"}))
	for _, want := range []string{
		`"created_at": "2026-03-04T04:06:07Z"`, `"approved": true`, `"approver": "eve@x"`, `"approved_at": "2026-03-04T04:06:07Z"`,
		`"mcp_protocol_version": "2025-11-25"`, `"note": "seen"`, `"role": "approver"`, `"environment": "ci"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if !strings.HasSuffix(out, "}\n") || strings.HasSuffix(out, "\n\n") || strings.Contains(out, "\t") {
		t.Error("not two-space JSON with one final newline")
	}
	last := -1
	for _, k := range topKeys {
		i := strings.Index(out, "\n  \""+k+"\":")
		if i <= last {
			t.Errorf("%s stands out of order", k)
		}
		last = i
	}
}

func TestRotate(t *testing.T) {
	l := mustBuild(t, surfaceOf(`{"name":"a"}`), PinOptions{})
	withOwn := strings.Replace(mustWrite(t, l), `"approved": false,`, `"x_ticket": {"n": 1.50}, "approved": false,`, 1)
	l, err := ParseStrict("own.lock", []byte(withOwn))
	if err != nil {
		t.Fatal(err)
	}
	first, err := Rotate(l, RotateOptions{Now: testTime, Actor: "bob", Note: "looked"})
	if err != nil {
		t.Fatal(err)
	}
	if first.Overall != l.Overall || first.Pin.Approved || first.Pin.Rotations != 1 || first.Pin.Attestations != 1 {
		t.Errorf("after one rotation: %+v", first.Pin)
	}
	second, err := Rotate(first, RotateOptions{Now: testTime, Approver: "eve"})
	if err != nil {
		t.Fatal(err)
	}
	if !second.Pin.Approved || second.Pin.ApprovedDigest != l.Overall || second.Pin.Rotations != 2 || second.Pin.Attestations != 2 {
		t.Errorf("after an approval: %+v", second.Pin)
	}
	out := mustWrite(t, second)
	for _, want := range []string{`"actor": "bob"`, `"note": "looked"`, `"n": 1.50`, `"rotated_at": "2026-03-04T04:06:07Z"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if d := Diff(l, second); len(d) != 0 {
		t.Errorf("rotating made drift: %v", d)
	}
}

func TestRotateRefuses(t *testing.T) {
	text := mustWrite(t, mustBuild(t, surfaceOf(`{"name":"a"}`), PinOptions{}))
	l, _, err := Parse("x", []byte(strings.Replace(text, `"overall_digest": "sha256:`, `"overall_digest": "sha256:0`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rotate(l, RotateOptions{Now: testTime}); err == nil {
		t.Error("an inconsistent lock was rotated")
	}
}

func TestWriteRefusesBadInspection(t *testing.T) {
	text := strings.Replace(mustWrite(t, mustBuild(t, surfaceOf(`{"name":"a"}`), PinOptions{})),
		`"entry_digest"`, `"inspection": {"may_return_urls": "yes"}, "entry_digest"`, 1)
	l, _, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(l); err == nil || !strings.Contains(err.Error(), "may_return_urls") {
		t.Errorf("got %v", err)
	}
}

func TestKeepInspection(t *testing.T) {
	l := mustBuild(t, surfaceOf(`{"name":"a"}`, `{"name":"b"}`), PinOptions{})
	text := strings.Replace(mustWrite(t, l), `"entry_digest"`, `"inspection": {"may_return_urls": true}, "entry_digest"`, 1)
	old, _, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	again := mustBuild(t, surfaceOf(`{"name":"a"}`, `{"name":"b"}`), PinOptions{Keep: old})
	if !again.Inspection("a").MayReturnURLs || again.Inspection("b").MayReturnURLs {
		t.Error("inspection values were not kept with their tool")
	}
}
