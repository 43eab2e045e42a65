package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
)

// forms are all handlers, each with what must hold of whatever it wrote.
var forms = []struct {
	name  string
	make  func(io.Writer) Handler
	check func(*testing.T, []byte)
}{
	{"text", func(w io.Writer) Handler { return NewText(w, TextOptions{}, testRun()) }, checkText},
	{"text-verbose", func(w io.Writer) Handler { return NewText(w, TextOptions{Verbose: true}, testRun()) }, checkText},
	{"text-quiet", func(w io.Writer) Handler { return NewText(w, TextOptions{Quiet: true}, testRun()) }, checkText},
	{"text-color", func(w io.Writer) Handler { return NewText(w, TextOptions{Color: true}, testRun()) }, checkColor},
	{"json", func(w io.Writer) Handler { return NewJSON(w, testRun()) }, checkJSONL},
	{"sarif", func(w io.Writer) Handler { return NewSARIF(w, SARIFOptions{}, testRun()) }, func(t *testing.T, b []byte) { validSARIF(t, b) }},
	{"junit", func(w io.Writer) Handler { return NewJUnit(w, JUnitOptions{FailOn: analyze.Block}, testRun()) }, validJUnit},
	{"github", func(w io.Writer) Handler { return NewGitHub(w, true, testRun()) }, checkGitHub},
	{"markdown", func(w io.Writer) Handler { return NewMarkdown(w, testRun()) }, checkMarkdown},
}

func checkText(t *testing.T, b []byte) {
	t.Helper()
	if why := unescaped(string(b)); why != "" {
		t.Errorf("raw in the report: %s", why)
	}
	for line := range bytes.Lines(b) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("::")) || bytes.Contains(line, []byte("##[")) {
			t.Errorf("a runner's command: %.100q", line)
		}
	}
}

var ownColour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func checkColor(t *testing.T, b []byte) {
	t.Helper()
	if open, shut := bytes.Count(b, []byte("\x1b[")), bytes.Count(b, []byte("\x1b[0m")); open != 2*shut {
		t.Errorf("%d sequences, %d of them ends", open, shut)
	}
	checkText(t, ownColour.ReplaceAll(b, nil))
}

func checkJSONL(t *testing.T, b []byte) {
	t.Helper()
	checkText(t, b)
	for line := range bytes.Lines(b) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%.200s: %v", line, err)
		}
		if len(line) > 200<<10 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

var githubLine = regexp.MustCompile(`^(?:::(?:error|warning|notice) (?:file=[^:,]*,)?(?:line=\d+,)?(?:col=\d+,)?title=[^:,]*::.*|warden: .*)$`)

func checkGitHub(t *testing.T, b []byte) {
	t.Helper()
	if why := unescaped(string(b)); why != "" {
		t.Error(why)
	}
	for line := range strings.Lines(string(b)) {
		if !githubLine.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("no workflow command: %.200q", line)
		}
	}
}

// checkMarkdown sees that there is no markup but the handler's own, and that
// each row of a table has the cells of its head.
func checkMarkdown(t *testing.T, b []byte) {
	t.Helper()
	if why := unescaped(string(b)); why != "" {
		t.Error(why)
	}
	if len(b) > 65536 {
		t.Errorf("%d bytes are more than a comment holds", len(b))
	}
	own := regexp.MustCompile(`</?(?:code|sub|summary)>|<br>|<details open>|</details>`)
	if i := bytes.IndexAny(own.ReplaceAll(b, nil), "<>`@[]"); i >= 0 {
		t.Errorf("markup at %.100q", own.ReplaceAll(b, nil)[i:])
	}
	cells := 0
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|")
		if cells > 0 && n != cells {
			t.Errorf("a row of %d cells, not %d: %.200q", n, cells, line)
		}
		cells = n
	}
	if strings.Contains(string(b), "www.") || strings.Contains(string(b), "://") {
		t.Error("an address that would become a link")
	}
}

// nasties are texts that want out of whatever they are put in.
var nasties = []string{
	"<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"><b>", "' onload='x", "]]>", "&amp;&#0;",
	"\x1b[2J\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\", "\u009b31m", "\x00\x08\x7f", "a\r\nb\n::error::x", "::set-output name=a::b", "##[add-path]/tmp",
	"\u202egnp.exe", "\u2066x\u2069", "\u200b\u200d\ufeff", "\U000e0041\U000e007f", "\ufe0f\ufe0f", "\u2028\u2029",
	"\xff\xfe\xed\xa0\x80", "e" + strings.Repeat("\u0301", 50), "\uffff\ufffe", "| cell | cell |", "`code` ``` **bold** [l](http://x) ![i](x)",
	"@everyone #1 www.evil.example https://evil.example a@b.example", "%0A::error::x,y:z%", "../../etc/passwd", "a/../b", "C:\\x", "//host/x", "-", "", "  ",
	planted, "x " + planted + " y", strings.Repeat("A", 2<<20), strings.Repeat("\x1b", 2<<20), strings.Repeat("😀", 1<<19), strings.Repeat("\u0301", 1<<20),
}

// traceName is s, but for the planted secret: names of traces are the user's own
// and are never redacted.
func traceName(s string) string { return strings.ReplaceAll(s, planted, "trace") }

// soil makes a finding all of whose text is s.
func soil(s string, tier analyze.Tier) *analyze.Finding {
	return &analyze.Finding{
		Rule: map[analyze.Tier]string{analyze.Block: "WRD-RES-ANSI", analyze.Monitor: "WRD-RES-INJECT-PHRASE", analyze.Note: "WRD-RES-URL"}[tier],
		// The rule and its fingerprint are ours; all else came with a trace.
		SubRule: "WRD-SEC-X", Tier: tier, Severity: analyze.High, Action: analyze.Blocked, Direction: analyze.ServerToClient,
		RPCID: []byte(mustJSON(s)), Method: s, Tool: s, Pointer: s, Message: s, Snippet: s, Matched: []string{s, s},
		Spans: []analyze.Span{{Start: 0, End: 1 << 30}},
		Place: analyze.Place{Trace: traceName(s), Session: s, Line: 3, Fingerprint: "00112233445566778899aabbccddeeff"},
	}
}

func tellSoiled(h Handler, s string) error {
	one := Counts{Block: 1, Monitor: 1, Note: 1, Rules: map[string]int64{"WRD-RES-ANSI": 1, "WRD-RES-INJECT-PHRASE": 1, "WRD-RES-URL": 1}}
	return errors.Join(
		h.Problem(&Problem{Trace: traceName(s), Line: 2, Message: s, Fatal: true, Parse: true}),
		h.Problem(&Problem{Trace: traceName(s), Message: s}),
		h.Finding(soil(s, analyze.Block)),
		h.Finding(soil(s, analyze.Monitor)),
		h.Finding(soil(s, analyze.Note)),
		h.Trace(&Trace{Name: traceName(s), Format: "bare", Fidelity: "wire-elided", Frames: 3, Inspected: 3, Incomplete: true, Counts: one, SessionsAll: 2, Sessions: []Session{
			{Name: s, Server: s, Protocol: s, Fidelity: "wire", Counts: one, Start: time.Unix(1, 0), End: time.Unix(5, 0)}, {Name: s}}}),
	)
}

// TestHostile tells each report every hostile text in every field.
func TestHostile(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			h := form.make(&b)
			for _, s := range nasties {
				if err := tellSoiled(h, s); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.Close(&Summary{Frames: 3, Inspected: 3, ExitCode: 2, Counts: Counts{Block: 1, Rules: map[string]int64{"WRD-RES-ANSI": 1}}}); err != nil {
				t.Fatal(err)
			}
			form.check(t, b.Bytes())
			if out := b.String(); strings.Contains(out, planted[5:20]) {
				t.Errorf("the planted secret came through: %s", around(out, planted[5:20]))
			}
			if b.Len() > 8<<20 {
				t.Errorf("%d bytes", b.Len())
			}
		})
	}
}

func around(s, what string) string {
	i := strings.Index(s, what)
	return s[max(i-80, 0):min(i+80, len(s))]
}

// TestHostileProperty does the same with texts put together by chance.
func TestHostileProperty(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom(nasties[:len(nasties)-6]), rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 9), func(b []byte) string { return string(b) }))
	for _, form := range forms {
		if form.name == "sarif" {
			continue // its schema check is too slow to run a hundred times
		}
		t.Run(form.name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				var b bytes.Buffer
				h := form.make(&b)
				s := strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(r, "text"), "")
				if err := tellSoiled(h, s); err != nil {
					r.Fatal(err)
				}
				if err := h.Close(&Summary{}); err != nil {
					r.Fatal(err)
				}
				form.check(t, b.Bytes())
				if t.Failed() {
					r.Fatalf("with %q", s)
				}
			})
		})
	}
}

// TestEmptyRun is a run that saw no trace at all.
func TestEmptyRun(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			h := form.make(&b)
			if err := h.Close(&Summary{}); err != nil {
				t.Fatal(err)
			}
			form.check(t, b.Bytes())
			golden(t, "empty-"+form.name, b.Bytes())
		})
	}
}

// target stands for a report's file.
type target struct {
	bytes.Buffer
	fail            error
	closed, aborted int
}

func (o *target) Write(p []byte) (int, error) {
	if o.fail != nil {
		return 0, o.fail
	}
	return o.Buffer.Write(p)
}
func (o *target) Close() error { o.closed++; return o.fail }
func (o *target) Abort()       { o.aborted++ }

// TestOutputs sees each handler end its target in the right way.
func TestOutputs(t *testing.T) {
	full := errors.New("disk full")
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			good := &target{}
			tell(t, form.make(good))
			if good.closed != 1 || good.aborted != 0 || good.Len() == 0 {
				t.Errorf("closed %d times, aborted %d times", good.closed, good.aborted)
			}
			left := &target{}
			h := form.make(left)
			h.Finding(ansi())
			h.Abort()
			h.Abort()
			if left.closed != 0 || left.aborted != 1 {
				t.Errorf("abandoned: closed %d times, aborted %d times", left.closed, left.aborted)
			}
			bad := &target{fail: full}
			h = form.make(bad)
			h.Finding(ansi())
			if err := h.Close(&Summary{Frames: 1}); !errors.Is(err, full) {
				t.Errorf("a full disk gives %v", err)
			}
			if bad.aborted != 1 || bad.closed != 0 {
				t.Errorf("full: closed %d times, aborted %d times", bad.closed, bad.aborted)
			}
		})
	}
}

// TestProblemOfNoTrace is one of the run itself, first of all.
func TestProblemOfNoTrace(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			h := form.make(&b)
			if err := h.Problem(&Problem{Message: "the disk went away", Fatal: true}); err != nil {
				t.Fatal(err)
			}
			if err := h.Close(&Summary{ExitCode: 2}); err != nil {
				t.Fatal(err)
			}
			form.check(t, b.Bytes())
			if !bytes.Contains(b.Bytes(), []byte("the disk went away")) || bytes.Contains(b.Bytes(), []byte(`name=""`)) {
				t.Errorf("not told: %s", b.String())
			}
		})
	}
}

// TestSameTwice sees that a report depends on nothing but what it was told.
func TestSameTwice(t *testing.T) {
	for _, form := range forms {
		var a, b bytes.Buffer
		tell(t, form.make(&a))
		time.Sleep(time.Millisecond)
		tell(t, form.make(&b))
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s differs from itself", form.name)
		}
	}
}

// validJUnit checks a report against the content models of both schemas of
// JUnit reports, Jenkins' and the stricter one of Ant's junitreport.
func validJUnit(t *testing.T, b []byte) {
	t.Helper()
	if why := unescaped(string(b)); why != "" {
		t.Error(why)
	}
	type model struct {
		attrs    string // all of them required, in this order
		children string // a regular expression over the children's names
		text     bool
	}
	models := map[string]model{
		"testsuites": {"", `^(testsuite )*$`, false},
		"testsuite":  {"name package id timestamp hostname tests failures errors time", `^properties (testcase )*system-out system-err $`, false},
		"properties": {"", `^(property )+$`, false},
		"property":   {"name value", `^$`, false},
		"testcase":   {"classname name time", `^(error |failure )?$`, false},
		"error":      {"message type", `^$`, true},
		"failure":    {"message type", `^$`, true},
		"system-out": {"", `^$`, true},
		"system-err": {"", `^$`, true},
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	type open struct{ name, children string }
	var stack []open
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			m, ok := models[e.Name.Local]
			if !ok {
				t.Fatalf("an element %s", e.Name.Local)
			}
			var names []string
			for _, a := range e.Attr {
				names = append(names, a.Name.Local)
			}
			if got := strings.Join(names, " "); got != m.attrs {
				t.Errorf("%s has %q, not %q", e.Name.Local, got, m.attrs)
			}
			if len(stack) > 0 {
				stack[len(stack)-1].children += e.Name.Local + " "
			}
			stack = append(stack, open{name: e.Name.Local})
		case xml.EndElement:
			top := stack[len(stack)-1]
			if !regexp.MustCompile(models[top.name].children).MatchString(top.children) {
				t.Errorf("%s holds %q", top.name, top.children)
			}
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && !models[stack[len(stack)-1].name].text && len(bytes.TrimSpace(e)) > 0 {
				t.Errorf("text in %s: %.80q", stack[len(stack)-1].name, e)
			}
		}
	}
}
