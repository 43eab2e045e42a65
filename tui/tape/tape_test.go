package tape

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

func config(t testing.TB) *replay.Config {
	t.Helper()
	cat, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Config{Catalog: cat, Rules: ruleset.Builtin(), MaxInflight: 1024, MaxFrame: 8 << 20}
}

// traffic is a trace of interleaved sessions with calls that overlap, tasks,
// findings, and a second session under the same key.
func traffic(frames int) []byte {
	var b bytes.Buffer
	open := make([][]int, 3)
	for i := 0; b.Len() == 0 || i < frames; i++ {
		s := i % 3
		line := func(dir, frame string) {
			fmt.Fprintf(&b, `{"direction":"%s","session":"s%d","ts":"2026-01-01T00:%02d:%02d.%03dZ","frame":%s}`+"\n", dir, s, i/60000%60, i/1000%60, i%1000, frame)
		}
		switch {
		case i < 3 || i%397 < 3 && len(open[s]) == 0:
			line("c2s", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
			open[s] = append(open[s], 0)
		case len(open[s]) == 0 || i%7 < 3 && len(open[s]) < 5:
			line("c2s", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d","arguments":{"n":%d}}}`, i, i%5, i))
			open[s] = append(open[s], i)
		default:
			id := open[s][0]
			open[s] = open[s][1:]
			text := "plain"
			if i%11 == 0 {
				text = "see http://10.0.0.1/ \\u001b[31mred"
			}
			line("s2c", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s %d"}]}}`, id, text, i))
		}
	}
	return b.Bytes()
}

func open(t testing.TB, name string, data []byte) *Tape {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return openPath(t, path, Options{Config: config(t)})
}

func openPath(t testing.TB, path string, o Options) *Tape {
	t.Helper()
	tp, err := Open(path, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tp.Close)
	<-tp.ended
	return tp
}

// seen is what the offline analysis makes of each frame of a file: what the
// tape must show, whatever way it gets there.
func seen(t testing.TB, path string) []string {
	t.Helper()
	var out []string
	inputs := formats.Inputs([]string{path}, nil, formats.InputOptions{})
	h := &collect{}
	_, err := offline.Run(inputs, offline.Options{Config: config(t), Jobs: 1, Handler: h, Fingerprints: true,
		Observe: func(o *offline.Observation) {
			if o.Record == nil {
				return
			}
			out = append(out, describe(o.Session.Name, o.Event.Place.Frame, o.Record, o.Outcome, o.Session.Machine.State()))
		}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func describe(session string, n int, r *formats.Record, o *replay.Outcome, after replay.State) string {
	findings := slices.Clone(o.Findings)
	for i := range findings {
		// Columns are counted for reports that point into a file; a step shows the
		// frame itself.
		findings[i].Column, findings[i].EndColumn = 0, 0
	}
	fs, err := json.Marshal(findings)
	if err != nil {
		panic(err)
	}
	st, err := json.Marshal(after)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s %d line %d off %d ts %d %q -> %s %s %q %q %s %s", session, n, r.Line, r.Offset, r.TS, r.Frame, o.Dir, o.Verdict, o.Bytes, o.Replies,
		strings.ReplaceAll(string(fs), "null", "[]"), st)
}

type collect struct{ prints []string }

func (c *collect) Problem(*report.Problem) error { return nil }
func (c *collect) Finding(f *analyze.Finding) error {
	c.prints = append(c.prints, f.Fingerprint)
	return nil
}
func (c *collect) Trace(*report.Trace) error   { return nil }
func (c *collect) Close(*report.Summary) error { return nil }
func (c *collect) Abort()                      {}

func step(t testing.TB, tp *Tape, i int) string {
	t.Helper()
	s, err := tp.Step(context.Background(), i)
	if err != nil {
		t.Fatalf("frame %d: %v", i+1, err)
	}
	numbered(t, tp, s)
	s.Outcome.Findings = placed(s)
	return describe(s.Session, s.InOrder, s.Record, &s.Outcome, s.After)
}

// numbered holds the index's number of a frame against the machine's, both ways.
func numbered(t testing.TB, tp *Tape, s *Step) {
	t.Helper()
	want := s.InOrder
	if s.Record.Kind == formats.KindBad {
		want = -1
	}
	if got := tp.Number(s.Frame); got != want {
		t.Fatalf("frame %d of the trace has number %d, want %d", s.Frame, got, want)
	}
	if session, ok := tp.SessionOf(s.Frame); want >= 0 && (!ok || tp.Numbered(&session, want) != s.Frame) {
		t.Fatalf("number %d of session %q is frame %d of the trace, want %d", want, session.Name, tp.Numbered(&session, want), s.Frame)
	}
}

// Stepping to any frame in any order shows what a straight run shows there.
func TestSteppingIsExact(t *testing.T) {
	data := traffic(3000)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	want := seen(t, path)
	tp := openPath(t, path, Options{Config: config(t)})
	if n := tp.Overview().Frames; n != len(want) {
		t.Fatalf("%d frames in the index, %d in the trace", n, len(want))
	}
	check := func(t interface{ Fatalf(string, ...any) }, tb testing.TB, i int) {
		if got := step(tb, tp, i); got != want[i] {
			t.Fatalf("frame %d:\n%s", i+1, apart(got, want[i]))
		}
	}
	for i := len(want) - 1; i > len(want)-600; i-- { // back, one by one
		check(t, t, i)
	}
	rapid.Check(t, func(r *rapid.T) {
		i := rapid.IntRange(0, len(want)-1).Draw(r, "frame")
		for range rapid.IntRange(1, 8).Draw(r, "moves") {
			check(r, t, i)
			i = min(max(i+rapid.SampledFrom([]int{1, 1, -1, -1, 2, -300, 700}).Draw(r, "by"), 0), len(want)-1)
		}
	})
}

// Every way of storing a trace gives the same tape.
func TestWrappingsGiveTheSameTape(t *testing.T) {
	data := traffic(600)
	dir := t.TempDir()
	files := map[string][]byte{"plain.jsonl": data}
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(data)
	g.Close()
	files["t.jsonl.gz"] = gz.Bytes()
	enc, _ := zstd.NewWriter(nil)
	files["t.jsonl.zst"] = enc.EncodeAll(data, nil)
	var sk bytes.Buffer
	w, err := seekable.NewWriter(&sk, enc)
	if err != nil {
		t.Fatal(err)
	}
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 10_000)
		w.Write(rest[:n])
		rest = rest[n:]
	}
	w.Close()
	files["seek.jsonl.zst"] = sk.Bytes()
	files["bom.jsonl"] = append([]byte("\xef\xbb\xbf"), data...)
	var want []string
	for _, name := range []string{"plain.jsonl", "t.jsonl.gz", "t.jsonl.zst", "seek.jsonl.zst", "bom.jsonl"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			t.Fatal(err)
		}
		tp := openPath(t, path, Options{Config: config(t)})
		if direct := tp.at != nil; direct != (name == "plain.jsonl" || name == "seek.jsonl.zst" || name == "bom.jsonl") {
			t.Errorf("%s: read where it stands: %v", name, direct)
		}
		all := seen(t, path)
		if want == nil {
			want = all
		}
		for i := 0; i < len(all); i += 7 {
			if got := step(t, tp, i); got != all[i] {
				t.Fatalf("%s frame %d:\n%s", name, i+1, apart(got, all[i]))
			}
		}
	}
}

// The corpus holds every form that is read: all of it steps like it scans.
func TestTheCorpusStepsAsItScans(t *testing.T) {
	var files []string
	for _, p := range []string{"forms/*.jsonl", "forms/*.zst", "forms/*.gz", "sessions/*.jsonl", "real/*.jsonl", "catalog/*.jsonl"} {
		m, err := filepath.Glob("../../corpus/" + p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, m...)
	}
	if len(files) < 60 {
		t.Fatalf("only %d traces found", len(files))
	}
	for _, f := range files {
		want := seen(t, f)
		h := &collect{}
		if _, err := offline.Run(formats.Inputs([]string{f}, nil, formats.InputOptions{}), offline.Options{Config: config(t), Jobs: 1, Handler: h, Fingerprints: true}); err != nil {
			t.Fatal(err)
		}
		tp := openPath(t, f, Options{Config: config(t)})
		var prints []string
		n := 0
		for i := range tp.Overview().Frames {
			s, err := tp.Step(context.Background(), i)
			if err != nil {
				t.Fatalf("%s frame %d: %v", f, i+1, err)
			}
			numbered(t, tp, s)
			if s.Record.Kind == formats.KindBad {
				continue
			}
			for _, x := range s.Findings {
				prints = append(prints, x.Fingerprint)
			}
			s.Outcome.Findings = placed(s)
			if got := describe(s.Session, s.InOrder, s.Record, &s.Outcome, s.After); n < len(want) && got != want[n] {
				t.Fatalf("%s frame %d:\n%s", f, i+1, apart(got, want[n]))
			}
			n++
		}
		if n != len(want) {
			t.Errorf("%s: %d frames, want %d", f, n, len(want))
		}
		if strings.Join(prints, " ") != strings.Join(h.prints, " ") {
			t.Errorf("%s: fingerprints %v, the scan's are %v", f, prints, h.prints)
		}
	}
}

func TestFollowsAGrowingFile(t *testing.T) {
	lines := bytes.SplitAfter(traffic(60), []byte("\n"))
	path := filepath.Join(t.TempDir(), "live.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tp, err := Open(path, nil, Options{Config: config(t), Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	until := func(n int) {
		t.Helper()
		for end := time.Now().Add(5 * time.Second); tp.Overview().Frames != n; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d frames, want %d", tp.Overview().Frames, n)
			}
		}
	}
	until(0)
	f.Write(lines[0])
	f.Write(lines[1][:20]) // half a line is no line yet
	until(1)
	f.Write(lines[1][20:])
	until(2)
	for _, l := range lines[2:40] {
		f.Write(l)
	}
	until(40)
	if _, err := tp.Step(context.Background(), 39); err != nil {
		t.Error(err)
	}
	if tp.Overview().Done {
		t.Error("a followed file is never done")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"binary": "\x00\x01\x02\x03\x00", "prose": "hello\nworld\n", "damaged.zst": "\x28\xb5\x2f\xfd\xff\xff\xff"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if tp, err := Open(path, nil, Options{Config: config(t)}); err == nil {
			<-tp.ended
			if tp.Overview().Err == nil {
				t.Errorf("%s was opened", name)
			}
			tp.Close()
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error does not name it: %v", name, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Open(path, nil, Options{Config: config(t)}); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestLongNamesKeepNoHalfSecret: names are cut for the list, wherever that falls in
// a key, and half a key is none that is known for one.
func TestLongNamesKeepNoHalfSecret(t *testing.T) {
	const key = "AKIAQX7RTYB2KLMN4PSW"
	for before := maxLabel - len(key) - 2; before <= maxLabel+2; before++ {
		name := strings.Repeat("x", before) + " " + key + " and more"
		tp := open(t, "t.jsonl", fmt.Appendf(nil, `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}}`+"\n", name))
		row := tp.Rows([]int{0})[0]
		if len(row.Tool) > maxLabel || strings.Contains(row.Tool, key[:8]) {
			t.Fatalf("%d bytes before the key: %q", before, row.Tool)
		}
	}
}

func TestDamageIsToldAfterWhatCameBefore(t *testing.T) {
	enc, _ := zstd.NewWriter(nil)
	whole := enc.EncodeAll(traffic(2000), nil)
	tp := open(t, "cut.jsonl.zst", whole[:len(whole)-20])
	if ov := tp.Overview(); ov.Err == nil || !ov.Done {
		t.Errorf("damage was not told: %+v", ov)
	}
}

func TestSearchFindsBothWaysAndSpellings(t *testing.T) {
	tp := open(t, "t.jsonl", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Fetch"}}
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Say \"Hello\"\nworld"}]}}
{"jsonrpc":"2.0","id":2,"method":"ping"}
`))
	for _, c := range []struct {
		needle string
		from   int
		back   bool
		want   int
	}{
		{"fetch", -1, false, 0}, {"FETCH", -1, false, -1}, {"Fetch", -1, false, 0}, {"hello", -1, false, 1}, {`say "hello"` + "\nworld", -1, false, 1},
		{"ping", -1, false, 2}, {"fetch", 2, true, 1}, {"fetch", 1, true, 0}, {"fetch", 0, true, -1}, {"nowhere", -1, false, -1},
	} {
		got, err := tp.Search(context.Background(), c.from, c.back, c.needle, nil)
		if err != nil || got != c.want {
			t.Errorf("%q from %d, back %v: %d (%v), want %d", c.needle, c.from, c.back, got, err, c.want)
		}
	}
}

// apart shows two texts from where they part.
func apart(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	i = max(i-80, 0)
	return " got …" + got[i:min(i+400, len(got))] + "\nwant …" + want[i:min(i+400, len(want))]
}

// placed are the findings of the frame itself as the stepper shows them, with
// place, time and fingerprint.
func placed(s *Step) []analyze.Finding {
	out := []analyze.Finding{}
	for i := range s.Findings {
		if !s.Findings[i].AtEnd {
			out = append(out, s.Findings[i].Finding)
		}
	}
	return out
}
