package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/drive"
	"github.com/warden-trace/warden/replay/guard"
)

// driveCmd is `warden-replay drive`.
type driveCmd struct {
	Trace string `arg:"" help:"The recording: a trace with one session, or choose one with --session."`

	program.ReadFlags
	sessionFlags

	Ignore  []string      `placeholder:"POINTER" sep:"none" help:"JSON Pointer into the answers that is not compared, with all below it; * stands for any one segment." group:"Comparison"`
	Timeout time.Duration `default:"30s" help:"Longest wait for one answer (${default})." group:"Limits"`
	Grace   time.Duration `default:"5s" help:"Wait between end of input, SIGTERM and SIGKILL (${default})." group:"Limits"`
	JSON    bool          `name:"json" help:"One JSON object a difference, and the sums last." group:"Output"`

	AllowDegradedPlatform bool `help:"Run on a platform without process groups (Windows), best effort." group:"Limits"`

	Command []string `complete:"command" arg:"" passthrough:"partial" name:"command" help:"The server's command and arguments, after --."`
}

// driveSummary is the last line of drive --json.
type driveSummary struct {
	Kind string `json:"kind"`
	drive.Result
	ServerExit int `json:"server_exit"`
	ExitCode   int `json:"exit_code"`
}

// driveDifference is one line of drive --json.
type driveDifference struct {
	Kind string `json:"kind"`
	*drive.Difference
}

// told is how many differences a person is told; the rest are counted.
const told = 200

// Run plays the recorded client against a real server.
func (c *driveCmd) Run(w *program.World) error {
	command, err := serverCommand(c.Command, "warden-replay drive TRACE -- COMMAND ARGUMENTS")
	switch {
	case err != nil:
		return err
	case c.Grace <= 0 || c.Timeout <= 0:
		return program.Fail("give a time, 5s for instance", "--grace and --timeout must be more than nothing")
	case runtime.GOOS == "windows" && !c.AllowDegradedPlatform:
		return program.Fail("--allow-degraded-platform runs it best effort, with nothing promised",
			"this platform has no process groups, so drive can't promise that no server is left behind")
	}
	d := &drive.Driver{Timeout: c.Timeout, MaxFrame: c.MaxFrameBytes, Stop: w.Interrupt}
	for _, s := range c.Ignore {
		p, err := drive.ParsePointer(s)
		if err != nil {
			return program.Fail("write a pointer into the answer, /result/content/0/text for instance", "--ignore: %w", err)
		}
		d.Ignore = append(d.Ignore, p)
	}
	cfg, _, err := program.Configure(w, &program.RuleFlags{Coverage: "full"}, &program.PostureFlags{AuditOnly: true}, &c.ReadFlags)
	if err != nil {
		return err
	}
	if d.Session, err = c.load(w, c.Trace, cfg, &c.ReadFlags); err != nil {
		return err
	}
	rec, err := c.open(w, command)
	if err != nil {
		return err
	}
	d.Tell = func(x *drive.Difference) error { return c.tell(w, d.Result.Differences, x) }
	code, err := c.play(w, d, cfg, rec, command)
	if rec != nil {
		rec.Close()
	}
	if err != nil {
		return err
	}
	return c.sum(w, d, code)
}

// play runs the server behind a proxy that blocks nothing, which also takes it
// down in the end, with all of its process group.
func (c *driveCmd) play(w *program.World, d *drive.Driver, cfg *replay.Config, rec *guard.Recorder, command []string) (code int, err error) {
	in, toServer, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	fromServer, out, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	signals, stop := catch()
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- guard.Run(guard.RunOptions{
			Options: guard.Options{Config: cfg, Now: w.Now, Observe: observer(w, rec, false)},
			Command: command, Stdin: in, Stdout: out, Stderr: w.Stderr, Signals: signals, Grace: c.Grace,
			Note: func(text string) { fmt.Fprintf(w.Stderr, "%s: %s\n", name, safe.Limit(safe.String(text), 1024)) },
		})
		out.Close()
	}()
	err = d.Play(toServer, fromServer)
	toServer.Close()
	go drain(fromServer) // what comes after the last answer must not hold the server up
	code = <-ended
	in.Close()
	if w.Interrupted() {
		err = nil
	}
	return code, err
}

func drain(f *os.File) {
	buf := make([]byte, 64<<10)
	for {
		if _, err := f.Read(buf); err != nil {
			f.Close()
			return
		}
	}
}

func (c *driveCmd) tell(w *program.World, n int, x *drive.Difference) error {
	if c.JSON {
		return printJSON(w, driveDifference{"drive-difference", x})
	}
	if n > told {
		return nil
	}
	what := safe.Name(x.Method)
	if x.Target != "" {
		what += " " + safe.Name(x.Target)
	}
	if x.ID != "" {
		what = "id " + safe.Name(x.ID) + " " + what
	}
	if x.Line > 0 {
		what = fmt.Sprintf("line %d, %s", x.Line, what)
	}
	if x.Pointer != "" {
		what += " at " + safe.Name(x.Pointer)
	}
	text := fmt.Sprintf("differs  %s\n  recorded: %s\n  live:     %s\n", what, x.Recorded, x.Live)
	if x.Note != "" {
		text += "  note:     " + x.Note + "\n"
	}
	_, err := io.WriteString(w.Stdout, text)
	return err
}

func (c *driveCmd) sum(w *program.World, d *drive.Driver, server int) error {
	r := &d.Result
	code := program.Outcome{Found: r.Differences > 0, Interrupted: w.Interrupted()}.ExitCode()
	if c.JSON {
		if err := printJSON(w, driveSummary{"drive-summary", *r, server, code}); err != nil {
			return err
		}
		return driven(code)
	}
	if r.Differences > told {
		fmt.Fprintf(w.Stdout, "%s; --json tells all of them\n", program.Count(r.Differences-told, "more difference", "more differences"))
	}
	_, err := fmt.Fprintf(w.Stdout, "%s, %s compared: %d the same; %s; %s of the server answered; the server's exit code %d\n",
		program.Count(r.Requests, "request", "requests"), program.Count(r.Answers, "answer", "answers"), r.Same, program.Count(r.Differences, "difference", "differences"), program.Count(r.Asked, "request", "requests"), server)
	if err != nil {
		return err
	}
	return driven(code)
}

// driven is how a run that was summed up ends.
func driven(code int) error {
	if code == program.ExitInterrupt {
		return program.Interrupted("the session was not played to its end")
	}
	return program.Status(code)
}

func printJSON(w *program.World, x any) error { return report.WriteJSONLine(w.Stdout, x) }
