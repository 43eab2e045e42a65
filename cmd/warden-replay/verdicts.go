package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/verify"
)

// verdicts prints what verify says, session by session.
type verdicts struct {
	c     *verifyCmd
	w     *program.World
	sum   verifySummary
	fatal bool
}

// verifySummary is the last line of verify --json.
type verifySummary struct {
	Kind        string `json:"kind"`
	Sessions    int64  `json:"sessions"`
	Agree       int64  `json:"agree"`
	Differ      int64  `json:"differ"`
	NotVerified int64  `json:"not_verified"`
	Frames      int64  `json:"frames"`
	Plays       int64  `json:"plays"`   // frames times setups
	Skipped     int64  `json:"skipped"` // plays that a framing can't carry
	ExitCode    int    `json:"exit_code"`
}

// verifySession is one line of verify --json.
type verifySession struct {
	Kind string `json:"kind"`
	*verify.Session
	Again string `json:"reproduce,omitempty"`
}

func (v *verdicts) session(s *verify.Session) error {
	v.sum.Sessions++
	v.sum.Frames += s.Frames
	v.sum.Plays += s.Frames*int64(s.Setups) - s.Skipped
	v.sum.Skipped += s.Skipped
	switch s.Verdict {
	case verify.Agree:
		v.sum.Agree++
	case verify.Differ:
		v.sum.Differ++
	default:
		v.sum.NotVerified++
	}
	if v.c.JSON {
		j := verifySession{Kind: "verify-session", Session: s}
		if s.Diff != nil {
			j.Again = v.again(s)
		}
		return printJSON(v.w, j)
	}
	where := safe.Name(s.Trace)
	if s.Session != "" {
		where += ", session " + safe.Name(s.Session)
	}
	var err error
	switch {
	case s.Diff != nil:
		d := s.Diff
		at := "at the end"
		if d.Frame >= 0 {
			at = fmt.Sprintf("frame %d (line %d)", d.Frame, d.Line)
		}
		_, err = fmt.Fprintf(v.w.Stdout, "differ        %s: %s, %s, %s\n  offline: %s\n  live:    %s\n  again:   %s\n",
			where, at, d.Setup, d.Stage, safe.Name(d.Offline), safe.Name(d.Live), v.again(s))
	case s.Verdict == verify.NotVerified:
		_, err = fmt.Fprintf(v.w.Stdout, "not verified  %s: %s\n", where, s.Why)
	case !v.c.Quiet:
		more := ""
		for _, l := range s.LeftOut {
			more += fmt.Sprintf("; left out: %s (%d)", l.What, l.N)
		}
		if s.Skipped > 0 {
			more += fmt.Sprintf("; %s skipped: a line can't carry a raw line break", program.Count(s.Skipped, "play", "plays"))
		}
		_, err = fmt.Fprintf(v.w.Stdout, "agree         %s: %s, %s, %s%s\n", where, program.Count(s.Frames, "frame", "frames"), program.Count(s.Findings, "finding", "findings"), program.Count(s.Setups, "setup", "setups"), more)
	}
	return err
}

// total is the last line.
func (v *verdicts) total(code int) error {
	v.sum.Kind, v.sum.ExitCode = "verify-summary", code
	if v.sum.Agree+v.sum.Differ == 0 {
		v.w.Warn(name, "no session was verified")
	}
	switch {
	case v.c.JSON:
		return printJSON(v.w, v.sum)
	case v.fatal && v.sum.Sessions == 0:
		return nil // no sums of what was not read
	}
	_, err := fmt.Fprintf(v.w.Stdout, "%s: %d agree, %d differ, %d not verified; %s, %s\n",
		program.Count(v.sum.Sessions, "session", "sessions"), v.sum.Agree, v.sum.Differ, v.sum.NotVerified, program.Count(v.sum.Frames, "frame", "frames"), program.Count(v.sum.Plays, "play", "plays"))
	return err
}

// again is the command that plays just this session in just this setup, with
// the rules and the posture of this run.
func (v *verdicts) again(s *verify.Session) string {
	words := []string{name}
	traces := v.c.Trace
	for _, a := range withoutTraces(v.w.Args, traces) {
		words = append(words, shellWord(a))
	}
	if len(words) == 1 {
		words = append(words, "verify")
	}
	words = append(words, "--session="+shellWord(s.Session), "--setup="+s.Diff.Setup, "--seed="+strconv.FormatUint(v.c.Seed, 10))
	if st, err := os.Stat(s.Trace); err == nil && st.Mode().IsRegular() {
		traces = []string{s.Trace}
	} else {
		words = append(words, "--only="+shellWord(s.Trace))
	}
	for _, t := range traces {
		words = append(words, shellWord(t))
	}
	return strings.Join(words, " ")
}

// withoutTraces is the command line without its positional arguments and
// without what a reproduction sets itself.
func withoutTraces(args, traces []string) []string {
	out := make([]string, 0, len(args))
	left := len(traces) - 1
	for i := len(args) - 1; i >= 0; i-- { // traces mostly stand last
		if left >= 0 && args[i] == traces[left] {
			left--
			continue
		}
		out = append(out, args[i])
	}
	kept := out[:0:0]
	for i := len(out) - 1; i >= 0; i-- {
		flag, _, joined := strings.Cut(out[i], "=")
		switch flag {
		case "--json", "-q", "--quiet", "--":
			continue
		case "--session", "--setup", "--seed", "--only":
			if !joined {
				i-- // its value
			}
			continue
		}
		kept = append(kept, out[i])
	}
	return kept
}

// shellWord quotes a word for a POSIX shell; what a terminal must not get goes
// as the escapes of $'...'.
func shellWord(s string) string {
	plain := s != ""
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-_./=:,@%+", c) >= 0) {
			plain = false
		}
	}
	switch {
	case plain:
		return s
	case safe.String(s) == s:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(s) {
		if c >= 0x20 && c < 0x7f && c != '\'' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String() + "'"
}

// Problem tells what is wrong with a trace.
func (v *verdicts) Problem(p *report.Problem) error {
	if p.Fatal && !(p.Parse && v.c.AllowParseErrors) {
		v.fatal = true
	}
	if p.Fatal {
		program.PrintError(v.w.Stderr, name, errors.New(secret.Scrub(p.String())))
	}
	return nil
}

// Finding, Trace, Close and Abort: verify reports agreement, not findings.
func (v *verdicts) Finding(*analyze.Finding) error { return nil }
func (v *verdicts) Trace(*report.Trace) error      { return nil }
func (v *verdicts) Close(*report.Summary) error    { return nil }
func (v *verdicts) Abort()                         {}
