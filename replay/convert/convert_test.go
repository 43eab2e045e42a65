package convert_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/archive"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/convert"
	"github.com/warden-trace/warden/replay/offline"
	"github.com/warden-trace/warden/replay/redact"
)

const corpus = "../../corpus"

var config = func() *replay.Config {
	c, err := catalog.New(catalog.Options{})
	if err != nil {
		panic(err)
	}
	return &replay.Config{Rules: ruleset.Builtin(), Catalog: c, Dry: true}
}()

// read is what a recording holds, as far as a copy must keep it.
type read struct {
	frames   []string
	findings []analyze.Finding
	bad      int
}

func (r *read) Problem(p *report.Problem) error {
	if p.Parse {
		r.bad++
	}
	return nil
}

func (r *read) Finding(f *analyze.Finding) error {
	c := *f
	c.RPCID, c.Tool = []byte(secret.Scrub(string(f.RPCID))), secret.Scrub(f.Tool)
	r.findings = append(r.findings, c)
	return nil
}
func (*read) Trace(*report.Trace) error   { return nil }
func (*read) Close(*report.Summary) error { return nil }
func (*read) Abort()                      {}

// run reads a recording; w, if set, copies it.
func run(t *testing.T, name string, in io.Reader, w *convert.Writer) *read {
	t.Helper()
	r := &read{}
	o := offline.Options{Config: config, Handler: r, Fingerprints: true}
	o.Observe = func(o *offline.Observation) {
		if w != nil {
			w.Observe(o)
		}
		rec := o.Record
		if rec == nil {
			return
		}
		frame := string(rec.Frame)
		switch rec.Kind {
		case formats.KindText, formats.KindMeta:
			frame = string(bytes.Map(func(c rune) rune { // a line break between tokens becomes a space
				if c == '\n' || c == '\r' {
					return ' '
				}
				return c
			}, rec.Frame))
		case formats.KindOverCap, formats.KindHTTP:
			frame = ""
		}
		r.frames = append(r.frames, fmt.Sprintf("%d %d %s %q %s %d", rec.Kind, rec.TS, o.Outcome.Dir, rec.Session, frame, rec.Size))
	}
	if w != nil {
		o.Meta = w.Meta
	}
	input := &formats.Input{Name: name, R: in, Size: -1, Explicit: true}
	if _, err := offline.Run(func(yield func(*formats.Input, error) bool) { yield(input, nil) }, o); err != nil {
		t.Fatal(err)
	}
	if w != nil {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// recordings goes through the corpus, the archives' members as well.
func recordings(t *testing.T, visit func(t *testing.T, name string, data []byte)) {
	n := 0
	for in, err := range formats.Inputs([]string{corpus}, nil, formats.InputOptions{}) {
		if err != nil {
			t.Log(err)
			continue
		}
		data, err := io.ReadAll(in.R)
		if err != nil {
			continue // damaged on purpose
		}
		n++
		t.Run(in.Name, func(t *testing.T) { visit(t, in.Name, data) })
	}
	if n < 50 {
		t.Errorf("only %d recordings in %s", n, corpus)
	}
}

var same = cmp.Options{cmpopts.IgnoreFields(analyze.Place{}, "Trace", "Line", "Offset", "Column", "EndColumn"), cmpopts.EquateEmpty()}

// A copy in the canonical form has the same frames, byte for byte, and the rules
// find the same in it.
func TestCopyIsTheRecording(t *testing.T) {
	recordings(t, func(t *testing.T, name string, data []byte) {
		var copied bytes.Buffer
		a := run(t, name, bytes.NewReader(data), &convert.Writer{W: &copied, Source: true})
		if len(a.frames) == 0 {
			return
		}
		b := run(t, "copy.jsonl", bytes.NewReader(copied.Bytes()), nil)
		if b.bad > 0 {
			t.Errorf("%d lines of the copy can't be read", b.bad)
		}
		if d := cmp.Diff(a.frames, b.frames); d != "" {
			t.Errorf("frames:\n%s", d)
		}
		if d := cmp.Diff(a.findings, b.findings, same); d != "" {
			t.Errorf("findings:\n%s", d)
		}
		// A copy of the copy differs in its source alone.
		var once, twice bytes.Buffer
		run(t, name, bytes.NewReader(data), &convert.Writer{W: &once})
		run(t, "copy.jsonl", bytes.NewReader(once.Bytes()), &convert.Writer{W: &twice})
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("copied twice:\n%s", cmp.Diff(once.String(), twice.String()))
		}
	})
}

// The rules find in a redacted copy what they find in the original.
func TestRedactedCopyKeepsFindings(t *testing.T) {
	recordings(t, func(t *testing.T, name string, data []byte) {
		r, err := redact.New(redact.Options{Catalog: config.Catalog, Rules: config.Rules})
		if err != nil {
			t.Fatal(err)
		}
		var copied bytes.Buffer
		a := run(t, name, bytes.NewReader(data), &convert.Writer{W: &copied, Redact: r})
		if len(a.frames) == 0 {
			return
		}
		b := run(t, "copy.jsonl", bytes.NewReader(copied.Bytes()), nil)
		opts := append(slices.Clone(same), cmpopts.IgnoreFields(analyze.Finding{}, "Snippet"))
		if d := cmp.Diff(a.findings, b.findings, opts); d != "" || r.Unsure > 0 {
			t.Errorf("unsure %d:\n%s", r.Unsure, d)
		}
	})
}

// Sessions of different files stay apart in one copy.
func TestSessionsOfTwoFiles(t *testing.T) {
	trace := `{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{}}}` + "\n" + `{"direction":"s2c","frame":{"id":1,"result":{}},"session":"x"}` + "\n"
	var copied bytes.Buffer
	w := &convert.Writer{W: &copied}
	run(t, "a.jsonl", bytes.NewReader([]byte(trace)), w)
	run(t, "b.jsonl", bytes.NewReader([]byte(trace)), w)
	want := `{"meta":{"warden_trace":1}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{}}}
{"direction":"s2c","frame":{"id":1,"result":{}},"session":"x"}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{}},"session":"b.jsonl"}
{"direction":"s2c","frame":{"id":1,"result":{}},"session":"b.jsonl:x"}
`
	if d := cmp.Diff(want, copied.String()); d != "" {
		t.Error(d)
	}
}

// What is written in one call can be read from a jump to its first byte.
func TestSeekableCopy(t *testing.T) {
	path := t.TempDir() + "/c.zst"
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := archive.NewSeekableWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	var whole []byte
	var starts []int
	for i := range 4000 {
		line := fmt.Appendf(nil, "{\"line\":%d,\"text\":\"%0*d\"}\n", i, i%3000, i)
		starts = append(starts, len(whole))
		whole = append(whole, line...)
		if _, err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f, err = os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec, _ := zstd.NewReader(nil)
	defer dec.Close()
	r, err := seekable.NewReader(f, dec)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.SeekTable()
	if err != nil || table.NumFrames() < 4 || int(table.Size()) != len(whole) {
		t.Fatalf("%d frames, %d bytes of %d, %v", table.NumFrames(), table.Size(), len(whole), err)
	}
	for _, i := range []int{3999, 0, 2000, 1234, 3998} {
		got := make([]byte, 40)
		n, err := r.ReadAt(got, int64(starts[i]))
		if err != nil && err != io.EOF || !bytes.Equal(got[:n], whole[starts[i]:starts[i]+n]) || n < 20 {
			t.Errorf("line %d: %q, %v", i, got[:n], err)
		}
	}
	// Any reader of zstd reads it whole.
	f.Seek(0, io.SeekStart)
	plain, _ := zstd.NewReader(f)
	defer plain.Close()
	if all, err := io.ReadAll(plain); err != nil || !bytes.Equal(all, whole) {
		t.Errorf("read whole: %d bytes, %v", len(all), err)
	}
}
