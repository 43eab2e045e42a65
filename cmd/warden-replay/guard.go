package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

// guardCmd is `warden-replay guard`.
type guardCmd struct {
	program.RuleFlags
	program.PostureFlags

	MaxFrameBytes int `default:"8388608" placeholder:"N" help:"Frames over this many bytes are streamed through uninspected (${default})." group:"Limits"`
	MaxInflight   int `default:"1024" placeholder:"N" help:"Requests in flight that are remembered, per direction (${default})." group:"Limits"`

	Strict         bool          `help:"An inspection that can't complete ends the session with exit code 3." group:"Strictness"`
	StrictFrameCap frameCap      `help:"An over-cap frame of the server ends the session (--strict-frame-cap); =both refuses the client's too." group:"Strictness"`
	Grace          time.Duration `default:"5s" help:"Wait between end of input, SIGTERM and SIGKILL (${default})." group:"Limits"`

	Record      string `placeholder:"FILE" help:"Record every frame as observed; .zst is compressed. Never replaces a file without --force." group:"Output"`
	Force       bool   `help:"Let --record replace an existing file." group:"Output"`
	JSON        string `name:"json" placeholder:"FILE" help:"Write findings as JSONL, as they come." group:"Output"`
	Sarif       string `name:"sarif" placeholder:"FILE" help:"Write SARIF 2.1.0 at the end." group:"Output"`
	Parquet     string `name:"parquet" placeholder:"DIR" help:"Write the Parquet tables sessions, frames, calls and findings below DIR at the end." group:"Output"`
	HTML        string `name:"html" placeholder:"FILE" help:"Write a one-page report for a browser at the end." group:"Output"`
	IncludeText bool   `help:"Put frames and payloads, redacted, into the Parquet tables." group:"Output"`
	NoFindings  bool   `help:"No findings on standard error. So it is with --json, --sarif, --parquet or --html too, unless -v is given." group:"Output"`
	NoBanner    bool   `help:"No banner on standard error." group:"Output"`
	Quiet       bool   `short:"q" help:"No banner and no findings on standard error." group:"Output"`
	Verbose     bool   `short:"v" help:"Notes on standard error too, and all findings beside --json, --sarif, --parquet and --html." group:"Output"`

	AllowDegradedPlatform bool `help:"Run on a platform without process groups (Windows), best effort." group:"Strictness"`

	Command []string `complete:"command" arg:"" optional:"" passthrough:"partial" name:"command" help:"The server's command and arguments, after --."`
}

// Help is shown below the flags.
func (guardCmd) Help() string {
	return `What is found is told on standard error, a line a finding. With --json, --sarif,
--parquet or --html the report has it and there are no lines on standard error,
unless -v is given. Standard output is the protocol's alone.

Examples:
  warden-replay guard -- npx -y @modelcontextprotocol/server-filesystem /srv/docs
  warden-replay guard --record session.jsonl -- ./server     what it saw, for later
  warden-replay guard --json findings.jsonl -v -- ./server   a report, and the lines

Exit code: the server's own, or 128 plus the signal that ended it; 3 after a strict
abort, 2 on an error of guard.`
}

// sink reports that findings go to a report, so that standard error has them
// only for who asks (replay.md, "Live guard").
func (c *guardCmd) sink() bool {
	return c.JSON != "" || c.Sarif != "" || c.Parquet != "" || c.HTML != ""
}

// RawOutput: a client that goes away ends the session.
func (*guardCmd) RawOutput() {}

// tells reports that a finding of that tier is a line on standard error. Notes
// are for who asks by -v, and so is everything where a report has it already.
func (c *guardCmd) tells(t analyze.Tier) bool {
	if c.NoFindings || c.Quiet {
		return false
	}
	return c.Verbose || t != analyze.Note && !c.sink()
}

// Run guards one session.
func (c *guardCmd) Run(w *program.World) error {
	signals, stop := catch()
	defer stop()
	command, err := serverCommand(c.Command, "warden-replay guard -- COMMAND ARGUMENTS")
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		if !c.AllowDegradedPlatform {
			return program.Fail("--allow-degraded-platform runs it best effort, with nothing promised",
				"this platform has no process groups, so guard can't promise that no server is left behind")
		}
		w.Warn(name, "no process groups here: signals and clean-up are best effort")
	}
	in := program.ReadFlags{MaxFrameBytes: c.MaxFrameBytes, MaxInflight: c.MaxInflight, ZstdWindowLog: 27, MaxDocument: 1}
	if _, err := in.Options(w); err != nil {
		return err
	}
	cfg, warnings, err := program.Configure(w, &c.RuleFlags, &c.PostureFlags, &in)
	if err != nil {
		return err
	}
	cfg.Strict = c.Strict
	for _, p := range cfg.Profiles {
		if p.RecordingsOnly() {
			return program.Fail("use it with warden-inspect", "--profile %s is for recordings only", p.Name())
		}
	}
	for _, s := range warnings {
		w.Warn(name, s)
	}
	for _, flag := range c.Deprecated() {
		w.Warn(name, flag+" does nothing any more: its rules block by default (--no-block-... turns one off)")
	}
	if err := c.targets().Check(w); err != nil {
		return err
	}
	s, err := c.open(w, cfg, command)
	if err != nil {
		return err
	}
	if c.Grace <= 0 {
		return program.Fail("give a time, 5s for instance", "--grace: %s is no time to wait", c.Grace)
	}
	if !c.Quiet && !c.NoBanner {
		banner(w.Stderr, cfg, c)
	}
	if w.Interrupted() { // before there was a session
		s.close(program.ExitInterrupt)
		return program.Status(program.ExitInterrupt)
	}
	o := guard.RunOptions{
		Options: guard.Options{Config: cfg, StrictCap: guard.StrictCap(c.StrictFrameCap), Now: w.Now, Observe: s.observe},
		Command: command, Stdin: w.Stdin, Stdout: w.Stdout, Stderr: w.Stderr,
		Signals: signals, Grace: c.Grace, Note: s.note,
		Aborted: func(a *replay.Abort) { s.stderr.raw(abortLine(a, c.MaxFrameBytes)) },
	}
	if s.record != nil {
		o.Place = s.record.Place
	}
	if cfg.Allow != nil {
		o.Allow = guard.WatchAllow(c.Allowlist, cfg.Allow, s.note)
	}
	code := guard.Run(o)
	s.close(code)
	return program.Status(code)
}

// targets are what the session leaves and what it is judged by, by name.
func (c *guardCmd) targets() *program.Targets {
	t := &program.Targets{
		Out: []program.Named{{Flag: "--record", Path: c.Record}, {Flag: "--json", Path: c.JSON}, {Flag: "--sarif", Path: c.Sarif},
			{Flag: "--parquet", Path: c.Parquet}, {Flag: "--html", Path: c.HTML}},
		In: c.RuleFlags.Files(),
	}
	for _, p := range c.BlockInjectOnly {
		t.In = append(t.In, program.Named{Flag: "--block-inject-phrase-only", Path: p})
	}
	return t
}

// catch takes over the signals that end a session. SIGPIPE is caught and
// forgotten: a client that stops reading is an error of a write, not the end of
// this process before its server's.
func catch() (<-chan os.Signal, func()) {
	signals, pipe := make(chan os.Signal, 4), make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// nohup, and a shell's background jobs, ask for it to stay ignored.
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	signal.Notify(pipe, syscall.SIGPIPE)
	return signals, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
	}
}

// frameCap is --strict-frame-cap, alone or with =both.
type frameCap guard.StrictCap

// IsBool lets the flag stand without a value.
func (*frameCap) IsBool() bool { return true }

// Decode reads the flag's value, if it has one.
func (f *frameCap) Decode(ctx *kong.DecodeContext) error {
	*f = frameCap(guard.CapServer)
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch v := ctx.Scan.Pop().String(); v {
	case "both":
		*f = frameCap(guard.CapBoth)
	case "true", "server":
	case "false":
		*f = frameCap(guard.CapPass)
	default:
		return fmt.Errorf("--strict-frame-cap takes no value, or both")
	}
	return nil
}
