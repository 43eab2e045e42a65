package offline_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/bench/gen"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(t testing.TB) *replay.Config {
	t.Helper()
	cfg := &replay.Config{Rules: ruleset.Builtin()}
	var err error
	if cfg.Catalog, err = catalog.New(catalog.Options{Rules: cfg.Rules}); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// inputs are in-memory traces, by name.
func inputs(traces ...string) iter.Seq2[*formats.Input, error] {
	return func(yield func(*formats.Input, error) bool) {
		for i, s := range traces {
			if !yield(&formats.Input{Name: fmt.Sprintf("t%d.jsonl", i), R: strings.NewReader(s), Size: -1, Explicit: true}, nil) {
				return
			}
		}
	}
}

// scan returns the JSONL report and the summary.
func scan(t testing.TB, o offline.Options, in iter.Seq2[*formats.Input, error]) (string, *report.Summary) {
	t.Helper()
	var b bytes.Buffer
	if o.Config == nil {
		o.Config = config(t)
	}
	o.Handler, o.Fingerprints = report.NewJSON(&b, &report.Run{Rules: o.Config.Rules.Rules}), true
	sum, err := offline.Run(in, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Handler.Close(sum); err != nil {
		t.Fatal(err)
	}
	return b.String(), sum
}

// TestJobsNeverChangeTheOutput: several megabytes of traffic in several
// sessions, and a trace with lines that go wrong, give the same bytes whatever
// the number of workers.
func TestJobsNeverChangeTheOutput(t *testing.T) {
	var b bytes.Buffer
	if _, err := gen.Write(&b, gen.Options{Bytes: 3 << 20, Seed: 7, Sessions: 5, Findings: 0.2}); err != nil {
		t.Fatal(err)
	}
	broken := strings.Repeat(b.String()[:200_000]+"{\n\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"ping\"}\nnot json\n", 3)
	want, sum := scan(t, offline.Options{Jobs: 1}, inputs(b.String(), broken))
	if sum.Counts.Block < 50 || sum.ParseErrors == 0 {
		t.Fatalf("the traces show too little: %+v", sum)
	}
	for _, jobs := range []int{2, 3, 8} {
		if got, _ := scan(t, offline.Options{Jobs: jobs}, inputs(b.String(), broken)); got != want {
			t.Errorf("--jobs %d gives another report", jobs)
		}
	}
}

const exchange = `{"direction":"c2s","ts":"2026-01-01T00:00:00Z","frame":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}}}
{"direction":"s2c","ts":"2026-01-01T00:00:01Z","frame":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}}
`

func fingerprints(report string) (list []string) {
	for _, l := range strings.Split(report, "\n") {
		if _, rest, ok := strings.Cut(l, `"fingerprint":"`); ok {
			list = append(list, rest[:32])
		}
	}
	return list
}

// TestFingerprints: stable over ids, times and lines; the repeats of one
// finding are told apart.
func TestFingerprints(t *testing.T) {
	const key = "AKIAABCDEFGHIJKLMNOP"
	a, _ := scan(t, offline.Options{}, inputs(fmt.Sprintf(exchange, 1, 1, key)+fmt.Sprintf(exchange, 2, 2, key)))
	moved := strings.ReplaceAll("\n\n"+fmt.Sprintf(exchange, 77, 77, key)+fmt.Sprintf(exchange, 5, 5, key), "2026-01-01", "2027-07-07")
	b, _ := scan(t, offline.Options{}, inputs(moved))
	fa, fb := fingerprints(a), fingerprints(b)
	if len(fa) != 2 || fa[0] == fa[1] {
		t.Fatalf("fingerprints %v", fa)
	}
	if fmt.Sprint(fa) != fmt.Sprint(fb) {
		t.Errorf("a new recording has other fingerprints: %v, %v", fa, fb)
	}
	c, _ := scan(t, offline.Options{}, inputs(fmt.Sprintf(exchange, 1, 1, "AKIA"+strings.Repeat("Z", 16))))
	if fc := fingerprints(c); fc[0] != fa[0] {
		t.Errorf("a secret with the same redaction form tells itself: %v, %v", fc, fa)
	}
}

func TestBadLinesAreNamedAndCounted(t *testing.T) {
	out, sum := scan(t, offline.Options{}, inputs(strings.Repeat("{\"direction\":\"c2s\",\"frame\":}\n", 50)+fmt.Sprintf(exchange, 1, 1, "ok")))
	if sum.ParseErrors != 50 || sum.Frames != 2 {
		t.Errorf("%d parse errors, %d frames", sum.ParseErrors, sum.Frames)
	}
	if n := strings.Count(out, `"kind":"problem"`); n != 21 {
		t.Errorf("%d problems are told, want 20 lines and their rest:\n%s", n, out)
	}
	if !strings.Contains(out, "30 more lines") {
		t.Errorf("the rest is not counted:\n%s", out)
	}
}

// TestNothingRecognisedIsNoCleanTrace: JSON lines of another kind.
func TestNothingRecognisedIsNoCleanTrace(t *testing.T) {
	out, sum := scan(t, offline.Options{}, inputs(`{"Direction":"s2c","Frame":{"jsonrpc":"2.0","id":1,"result":{}}}`+"\n"+`{"foo":1}`+"\n"))
	if !strings.Contains(out, `"fatal":true`) || !strings.Contains(out, "no recording of a known form") {
		t.Errorf("%+v\n%s", sum, out)
	}
	if _, sum := scan(t, offline.Options{}, inputs(`{"direction":"s2c","frame":"junk"}`+"\n")); sum.Counts.Rules["WRD-RES-FRAME-ERROR"] != 1 {
		t.Errorf("%+v", sum)
	}
}

// TestADamagedStreamIsReportedAsFarAsItGoes: what came before the fault counts,
// and the trace is marked.
func TestADamagedStreamIsReportedAsFarAsItGoes(t *testing.T) {
	in := func(yield func(*formats.Input, error) bool) {
		r := io.MultiReader(strings.NewReader(fmt.Sprintf(exchange, 1, 1, "AKIAABCDEFGHIJKLMNOP")), faulty{})
		yield(&formats.Input{Name: "x", R: r, Size: -1, Explicit: true}, nil)
	}
	out, sum := scan(t, offline.Options{}, in)
	if sum.Counts.Block != 1 || !strings.Contains(out, `"incomplete":true`) || !strings.Contains(out, "disk on fire") {
		t.Errorf("%+v\n%s", sum, out)
	}
}

type faulty struct{}

func (faulty) Read([]byte) (int, error) { return 0, fmt.Errorf("disk on fire") }

func TestInterrupt(t *testing.T) {
	stop := make(chan struct{})
	endless := func(yield func(*formats.Input, error) bool) {
		yield(&formats.Input{Name: "endless", R: &endlessTrace{stop: stop}, Size: -1, Explicit: true}, nil)
	}
	_, sum := scan(t, offline.Options{Interrupt: stop, Jobs: 2}, endless)
	if !sum.Interrupted || sum.Frames == 0 || sum.Counts.Block == 0 {
		t.Errorf("%+v", sum)
	}
}

// endlessTrace repeats an exchange, and interrupts the run after a while.
type endlessTrace struct {
	n    int
	stop chan struct{}
}

func (e *endlessTrace) Read(b []byte) (int, error) {
	if e.n++; e.n == 2000 {
		close(e.stop)
	}
	return copy(b, fmt.Sprintf(exchange, e.n, e.n, "AKIAABCDEFGHIJKLMNOP")), nil
}

// TestAFailingReportEndsTheRun without a leak or a hang.
func TestAFailingReportEndsTheRun(t *testing.T) {
	_, err := offline.Run(inputs(strings.Repeat(fmt.Sprintf(exchange, 1, 1, "AKIAABCDEFGHIJKLMNOP"), 5000)),
		offline.Options{Config: config(t), Jobs: 3, Handler: full{}})
	if err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}

type full struct{}

func (full) Problem(*report.Problem) error  { return nil }
func (full) Finding(*analyze.Finding) error { return fmt.Errorf("disk full") }
func (full) Trace(*report.Trace) error      { return nil }
func (full) Close(*report.Summary) error    { return nil }
func (full) Abort()                         {}

// stuck delivers an exchange and then waits for ever, deaf to any interrupt.
type stuck struct {
	r       io.Reader
	release chan struct{} // the test is over
}

func (s stuck) Read(b []byte) (int, error) {
	if n, err := s.r.Read(b); err == nil {
		return n, nil
	}
	<-s.release
	return 0, io.EOF
}

// TestInterruptLeavesADeafReader: a read that can't be called off does not hold
// the run, and what had been handed on is reported.
func TestInterruptLeavesADeafReader(t *testing.T) {
	stop, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	in := func(yield func(*formats.Input, error) bool) {
		if !yield(&formats.Input{Name: "first", R: strings.NewReader(fmt.Sprintf(exchange, 1, 1, "AKIAABCDEFGHIJKLMNOP")), Size: -1, Explicit: true}, nil) {
			return
		}
		time.AfterFunc(50*time.Millisecond, func() { close(stop) })
		yield(&formats.Input{Name: "deaf", R: stuck{strings.NewReader(strings.Repeat(fmt.Sprintf(exchange, 1, 1, "AKIAABCDEFGHIJKLMNOP"), 2000)), release}, Size: -1, Explicit: true}, nil)
	}
	out, sum := scan(t, offline.Options{Interrupt: stop, Jobs: 2}, in)
	if !sum.Interrupted || sum.Traces != 2 || sum.Counts.Block < 100 || !strings.Contains(out, `"incomplete":true`) {
		t.Errorf("%+v\n%.500s", sum, out)
	}
}

// TestInterruptWithinAnInput: the reader itself gives up waiting.
func TestInterruptWithinAnInput(t *testing.T) {
	stop := make(chan struct{})
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		io.WriteString(w, fmt.Sprintf(exchange, 1, 1, "AKIAABCDEFGHIJKLMNOP")+`{"direction":"c2s",`)
		close(stop)
	}()
	ro := formats.Options{Interrupt: stop}
	out, sum := scan(t, offline.Options{Interrupt: stop, Formats: ro}, formats.Inputs([]string{"-", "/nonexistent"}, r, formats.InputOptions{Options: ro}))
	if !sum.Interrupted || sum.Traces > 1 || sum.ParseErrors != 0 || strings.Contains(out, "nonexistent") || sum.Traces == 1 && sum.Counts.Block != 1 {
		t.Errorf("%+v\n%s", sum, out)
	}
}

// An id must not tell what stands for a name: two keys of one form are one.
func TestFingerprintsHideSecretNames(t *testing.T) {
	var a, b offline.Fingerprinter
	x := analyze.Finding{Rule: "R", Method: "tools/call", Tool: "AKIAQX7RTYB2KLMN4PSW"}
	y := x
	y.Tool = "AKIAABCDEFGHIJKLMNOP"
	if a.Of(&x) != b.Of(&y) {
		t.Error("the id depends on the secret")
	}
	if y.Tool = "other"; b.Of(&x) == b.Of(&y) {
		t.Error("the id does not depend on the name")
	}
}
