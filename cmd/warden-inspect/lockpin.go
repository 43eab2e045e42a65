package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
)

// lockPinCmd is `lock pin`.
type lockPinCmd struct {
	Trace    string `arg:"" name:"trace" help:"The recorded session, or - for standard input."`
	Output   string `short:"o" placeholder:"FILE" help:"Write the lock to FILE instead of standard output."`
	Force    bool   `help:"Replace a lock that is there."`
	Approver string `placeholder:"ID" help:"Who approves the surface; without one the lock is pinned but not approved."`
	Note     string `placeholder:"TEXT" help:"A note for the approval."`
	Keep     string `placeholder:"LOCK" help:"A lock whose inspection values tools of the same name keep."`
	lockReports
	lockLaunch
}

// Help is printed by --help.
func (lockPinCmd) Help() string {
	return `Examples:
  warden-inspect lock pin session.jsonl -o warden.lock -- npx server-everything
  warden-inspect lock pin session.jsonl --approver eve@example.com -o warden.lock
  warden-inspect lock pin later.jsonl --keep warden.lock --force -o warden.lock`
}

// Run pins the surface of one recording.
func (c *lockPinCmd) Run(w *program.World) error {
	if c.Note != "" && c.Approver == "" {
		return program.Fail("give --approver ID too", "--note goes with an approval")
	}
	// The lock may take the place of the one whose values it keeps.
	if err := c.apart(w, c.Output, []string{c.Trace}); err != nil {
		return err
	}
	if err := c.apart(w, "", nil, program.Named{Flag: "--keep", Path: c.Keep}); err != nil {
		return err
	}
	if !c.Force {
		if err := kept(c.Output, "lock check compares with it, --force replaces it with what it approves"); err != nil {
			return err
		}
	}
	var keep *lock.Lock
	if c.Keep != "" {
		var err error
		if keep, err = readLock(c.Keep); err != nil {
			return err
		}
	}
	s, err := surfaceOf(w, c.Trace, &c.lockLaunch)
	if err != nil {
		return err
	}
	env := "local"
	if w.Getenv("CI") != "" {
		env = "ci"
	}
	l, err := lock.Build(s, lock.PinOptions{
		Version: program.Version, Now: w.Now(), Approver: c.Approver, Note: c.Note,
		Actor: w.Getenv("USER"), Environment: env, Keep: keep,
	})
	if err != nil {
		return program.Fail("such a surface has no one meaning and can't be pinned", "%s: %w", c.Trace, err)
	}
	text, err := lock.Write(l)
	if err != nil {
		return err
	}
	out := c.Output
	if out == "" {
		out = "-"
	}
	if out == "-" && (c.JSON == "-" || c.SARIF == "-") {
		return program.Fail("give -o FILE for the lock", "the lock and a report can't share standard output")
	}
	if err := writeFile(w, out, func(o io.Writer) error { _, err := o.Write(text); return err }); err != nil {
		return err
	}
	for _, n := range unseen(s) {
		w.Warn("warden-inspect", n)
	}
	said := fmt.Sprintf("pinned %s of %s: %s", surfaceCounts(l), c.Trace, l.Overall)
	if out != "-" {
		fmt.Fprintln(w.Stderr, safe.String(said))
	}
	return lockDone(w, c.lockReports, c.Trace, "lock-pin", l)
}

// surfaceOf reads the surface that a recording shows.
func surfaceOf(w *program.World, trace string, launch *lockLaunch) (*lock.Surface, error) {
	s, err := openSurface(w, trace)
	if errors.Is(err, lock.ErrNoTools) {
		return nil, program.Fail("record a session in which the client lists the tools, all pages of them", "%s: %w", trace, err)
	}
	if err != nil {
		return nil, err
	}
	return s, launch.apply(w, s)
}

// unseen says what a recording does not show of a surface.
func unseen(s *lock.Surface) []string {
	var out []string
	if s.Server == nil {
		out = append(out, "the recording does not tell the launch command (give it after --, or --url)")
	}
	if s.Resources == nil {
		out = append(out, "the recording has no complete resources/list")
	}
	if s.Prompts == nil {
		out = append(out, "the recording has no complete prompts/list")
	}
	return out
}

func surfaceCounts(l *lock.Lock) string {
	return fmt.Sprintf("%s, %s, %s", program.Count(len(l.Tools), "tool", "tools"), program.Count(len(l.Resources), "resource", "resources"), program.Count(len(l.Prompts), "prompt", "prompts"))
}

// lockDone writes the reports of a command that made or read one lock without
// comparing it.
func lockDone(w *program.World, out lockReports, about, kind string, l *lock.Lock) error {
	err := writeFile(w, out.JSON, func(o io.Writer) error {
		return report.WriteJSONLine(o, struct {
			Kind      string `json:"kind"`
			File      string `json:"file"`
			Level     int    `json:"schema_version"`
			Digest    string `json:"overall_digest"`
			Approved  bool   `json:"approved"`
			Tools     int    `json:"tools"`
			Resources int    `json:"resources"`
			Prompts   int    `json:"prompts"`
			Code      int    `json:"exit_code"`
			Version   string `json:"version"`
		}{kind, about, l.Level, l.Overall, l.Pin.Approved, len(l.Tools), len(l.Resources), len(l.Prompts), program.ExitClean, program.Version})
	})
	if err != nil {
		return err
	}
	r := &driftReport{w: w, about: about}
	return r.sarif(out.SARIF, nil, program.ExitClean)
}
