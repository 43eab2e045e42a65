package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay/offline"
)

// lockCmd is `warden-inspect lock` (lock.md, "Commands").
type lockCmd struct {
	Pin    lockPinCmd    `cmd:"" help:"Build a lock from the surface that a recorded session shows."`
	Check  lockCheckCmd  `cmd:"" help:"Report how a recorded session's surface differs from a lock (exit 1 on any difference)."`
	Diff   lockDiffCmd   `cmd:"" help:"Report how the second lock differs from the first (exit 1 on any difference)."`
	Verify lockVerifyCmd `cmd:"" help:"Check that a lock is complete and its digests recompute (exit 2 if not)."`
	Rotate lockRotateCmd `cmd:"" help:"Append an attestation to a lock, its content staying as it is."`
}

// lockReports are the reports that every lock command can write.
type lockReports struct {
	JSON  string `name:"json" placeholder:"FILE" help:"Also write JSONL to FILE (- is standard output)."`
	SARIF string `name:"sarif" placeholder:"FILE" help:"Also write SARIF 2.1.0 to FILE, the drift as findings."`
}

// apart refuses outputs that share a place, or that are read too: the traces, and
// the files in.
func (r *lockReports) apart(w *program.World, output string, traces []string, in ...program.Named) error {
	return (&program.Targets{
		Out:    []program.Named{{Flag: "--output", Path: output}, {Flag: "--json", Path: r.JSON}, {Flag: "--sarif", Path: r.SARIF}},
		Traces: traces, In: in,
	}).Check(w)
}

// lockLaunch is how the server of a recording is reached.
type lockLaunch struct {
	URL     string   `name:"url" placeholder:"URL" help:"The server's URL, for one that is reached over HTTP."`
	Command []string `complete:"command" arg:"" optional:"" name:"cmd" help:"After --: the server's launch command, where the recording does not tell it."`
}

// apply puts what the command line says of the server over what the recording
// says.
func (l *lockLaunch) apply(w *program.World, s *lock.Surface) error {
	if len(l.Command) > 0 && !slices.Contains(w.Args, "--") {
		return program.Fail("one trace at a time; put -- before the server's command", "unexpected argument %q", l.Command[0])
	}
	switch {
	case l.URL != "" && len(l.Command) > 0:
		return program.Fail("", "--url and a launch command exclude each other")
	case l.URL != "":
		s.Server = &lock.Launch{URL: l.URL}
	case len(l.Command) > 0:
		s.Server = &lock.Launch{Command: l.Command[0], Args: l.Command[1:]}
	}
	return nil
}

// driftReport writes what a lock command found.
type driftReport struct {
	w       *program.World
	head    string   // first line of the text
	clean   string   // the text when nothing differs
	notes   []string // what could not be compared
	about   string   // the file that findings stand in
	against string   // the baseline
}

// write gives the drift to every output and returns the exit code as an error.
func (r *driftReport) write(text string, out lockReports, drift []lock.Drift) error {
	code := program.ExitClean
	if len(drift) > 0 {
		code = program.ExitFindings
	}
	if text == "" {
		text = "-"
	}
	if out.JSON == "-" || out.SARIF == "-" {
		if text == "-" {
			text = "" // a report that takes standard output is alone there
		}
	}
	for _, o := range []struct {
		file string
		to   func(io.Writer) error
	}{
		{text, func(w io.Writer) error { return r.text(w, drift) }},
		{out.JSON, func(w io.Writer) error { return r.json(w, drift, code) }},
	} {
		if err := writeFile(r.w, o.file, o.to); err != nil {
			return err
		}
	}
	if err := r.sarif(out.SARIF, drift, code); err != nil {
		return err
	}
	return program.Status(code)
}

// writeFile writes one output whole or not at all; no name, no output.
func writeFile(w *program.World, file string, to func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	t, err := target.Create(file, w.Stdout)
	if err != nil {
		return err
	}
	if err := to(t); err != nil {
		t.Abort()
		return err
	}
	return t.Close()
}

func (r *driftReport) text(w io.Writer, drift []lock.Drift) error {
	var b strings.Builder
	if len(drift) == 0 {
		b.WriteString(safe.String(r.clean) + "\n")
	} else {
		fmt.Fprintf(&b, "%s: %s\n", safe.String(r.head), program.Count(len(drift), "difference", "differences"))
	}
	for _, d := range drift {
		fmt.Fprintf(&b, "  %-8s  %s  %s\n            %s\n", d.Severity, safe.String(d.Target), d.Class, safe.String(d.Detail))
	}
	for _, n := range r.notes {
		fmt.Fprintf(&b, "  note: %s\n", safe.String(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counted is "1 tool" or "2 tools".

func (r *driftReport) json(w io.Writer, drift []lock.Drift, code int) error {
	for _, d := range drift {
		line := struct {
			Kind string `json:"kind"`
			lock.Drift
			Severity string `json:"severity"`
			Rule     string `json:"rule_id"`
			Level    string `json:"level"`
			Tier     string `json:"tier"`
			File     string `json:"file"`
			Against  string `json:"against"`
		}{"drift", d, d.Severity.String(), d.Rule(), d.Severity.Level(), d.Tier().String(), r.about, r.against}
		if err := report.WriteJSONLine(w, line); err != nil {
			return err
		}
	}
	return report.WriteJSONLine(w, struct {
		Kind    string   `json:"kind"`
		Drift   int      `json:"drift"`
		Notes   []string `json:"notes,omitempty"`
		Code    int      `json:"exit_code"`
		Version string   `json:"version"`
	}{"run-summary", len(drift), r.notes, code, program.Version})
}

func (r *driftReport) sarif(file string, drift []lock.Drift, code int) error {
	if file == "" {
		return nil
	}
	t, err := target.Create(file, r.w.Stdout)
	if err != nil {
		return err
	}
	rules := ruleset.Builtin()
	run := &report.Run{Version: program.Version, Ruleset: rules.Hash(), Rules: rules.Rules, Start: r.w.Now()}
	h := report.NewSARIF(t, report.SARIFOptions{}, run)
	counts := report.Counts{Rules: map[string]int64{}}
	var prints offline.Fingerprinter
	for _, d := range drift {
		f := d.Finding()
		f.Trace = r.about
		f.Fingerprint = prints.Of(&f)
		switch f.Tier {
		case analyze.Block:
			counts.Block++
		case analyze.Monitor:
			counts.Monitor++
		default:
			counts.Note++
		}
		counts.Rules[f.Rule]++
		if err := h.Finding(&f); err != nil {
			h.Abort()
			return err
		}
	}
	for _, n := range r.notes {
		if err := h.Problem(&report.Problem{Trace: r.about, Message: n}); err != nil {
			h.Abort()
			return err
		}
	}
	if err := h.Trace(&report.Trace{Name: r.about, Format: "surface", Counts: counts}); err != nil {
		h.Abort()
		return err
	}
	return h.Close(&report.Summary{Traces: 1, Counts: counts, ExitCode: code})
}

// readLock reads a lock for a lock command: any fault is an error.
func readLock(file string) (*lock.Lock, error) {
	data, err := lockBytes(file)
	if err != nil {
		return nil, err
	}
	l, err := lock.ParseStrict(file, data)
	if err != nil {
		return nil, program.Fail("warden-inspect lock verify lists all that is wrong; nothing was written", "%w", err)
	}
	return l, nil
}

// lockBytes reads no more of a file than a lock may have.
func lockBytes(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, program.Fail("name a lock file, as lock pin writes it", "%s: %w", file, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, lock.MaxBytes+1))
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, program.Fail("", "%s: %w", file, err)
	}
	return data, nil
}
