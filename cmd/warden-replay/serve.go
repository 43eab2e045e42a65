package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/script"
	"github.com/warden-trace/warden/replay/serve"
)

// sessionFlags choose a recorded session and where the live one is recorded.
type sessionFlags struct {
	Session *string `placeholder:"NAME" help:"Which session of the trace, where there are several." group:"Input"`
	Record  string  `placeholder:"FILE" help:"Record the live session as observed; .zst is compressed. Never replaces a file without --force." group:"Output"`
	Force   bool    `help:"Let --record replace an existing file." group:"Output"`
}

// load reads the session that a driver plays.
func (f *sessionFlags) load(w *program.World, trace string, cfg *replay.Config, in *program.ReadFlags) (*script.Session, error) {
	ro, err := in.Options(w)
	if err != nil {
		return nil, err
	}
	record := []program.Named{{Flag: "--record", Path: f.Record}}
	if err := (&program.Targets{Out: record, Traces: []string{trace}, Read: ro}).Check(w); err != nil {
		return nil, err
	}
	s, err := script.Load(formats.Inputs([]string{trace}, w.Stdin, formats.InputOptions{Options: ro}), script.Options{
		Name: trace, Config: cfg, Formats: ro, Session: f.Session, MaxSize: in.MaxDocument, Warn: func(text string) { w.Warn(name, text) }})
	if err != nil {
		return nil, err
	}
	if s.Passed > 0 {
		w.Warn(name, fmt.Sprintf("%s no message or not recorded whole, and passed over", program.Count(s.Passed, "frame is", "frames are")))
	}
	return s, nil
}

// open starts the recording, if one was asked for, of a server that was started
// by that command (nil: by none).
func (f *sessionFlags) open(w *program.World, command []string) (*guard.Recorder, error) {
	if f.Record == "" {
		return nil, nil
	}
	return guard.Record(f.Record, f.Force, command, w.Now(), func(text string) { w.Warn(name, text) })
}

// observer records and, where findings are asked for, tells of them.
func observer(w *program.World, rec *guard.Recorder, tell bool) func(*guard.Seen) {
	return func(s *guard.Seen) {
		if rec != nil {
			rec.Frame(s)
		}
		for i := range s.Outcome.Findings {
			f := &s.Outcome.Findings[i]
			if !tell || f.Tier == analyze.Note {
				continue
			}
			text := f.Action.String() + " " + f.Rule
			if f.Tool != "" {
				text += " tool " + safe.Name(f.Tool)
			}
			fmt.Fprintf(w.Stderr, "%s: %s: %s\n", name, text, safe.Limit(safe.String(f.Message), 1024))
		}
	}
}

// serveCmd is `warden-replay serve`.
type serveCmd struct {
	Trace string `arg:"" help:"The recording: a trace with one session, or choose one with --session."`

	program.RuleFlags
	program.PostureFlags
	program.ReadFlags
	sessionFlags

	Guard bool `help:"Put the guard's verdicts on the way, with these rules and this posture." group:"Rules"`
	Quiet bool `short:"q" help:"No notes on standard error." group:"Output"`
}

// RawOutput: a client that goes away ends the session.
func (*serveCmd) RawOutput() {}

// Run answers a client on standard input and output.
func (c *serveCmd) Run(w *program.World) error {
	if c.Trace == "-" {
		return program.Fail("give a file", "standard input belongs to the client")
	}
	cfg, warnings, err := program.Configure(w, &c.RuleFlags, &c.PostureFlags, &c.ReadFlags)
	if err != nil {
		return err
	}
	for _, s := range warnings {
		w.Warn(name, s)
	}
	s, err := c.load(w, c.Trace, cfg, &c.ReadFlags)
	if err != nil {
		return err
	}
	rec, err := c.open(w, nil)
	if err != nil {
		return err
	}
	if !c.Guard {
		plain := *cfg
		plain.Posture = replay.Posture{AuditOnly: true}
		cfg = &plain
	}
	server := &serve.Server{Session: s, MaxFrame: cfg.MaxFrame, Note: func(text string) {
		if !c.Quiet {
			fmt.Fprintf(w.Stderr, "%s: %s\n", name, safe.Limit(text, 1024))
		}
	}}
	o := guard.Options{Config: cfg, Now: w.Now, Observe: observer(w, rec, c.Guard && !c.Quiet)}
	err = between(w, o, func(in io.Reader, out io.Writer) error { return server.Serve(in, out) })
	if rec != nil {
		rec.Close()
	}
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if !c.Quiet {
		fmt.Fprintf(w.Stderr, "%s: %s answered (%d by order alone), %d without a recorded answer\n", name, program.Count(server.Answered, "request", "requests"), server.InOrder, server.Unmatched)
	}
	switch {
	case w.Interrupted():
		return program.Status(program.ExitInterrupt)
	case server.Unmatched > 0:
		return program.Status(program.ExitFindings)
	}
	return nil
}

// flushGrace is how long a client may take to read what was said last.
const flushGrace = 5 * time.Second

// between runs a server of our own behind a guard's proxy, on the standard
// streams, until one side ends.
func between(w *program.World, o guard.Options, run func(io.Reader, io.Writer) error) error {
	toServerR, toServerW, err := os.Pipe()
	if err != nil {
		return err
	}
	fromServerR, fromServerW, err := os.Pipe()
	if err != nil {
		return err
	}
	p := guard.NewProxy(o)
	ends := p.Start(guard.Ends{ClientIn: w.Stdin, ClientOut: writerOnly{w.Stdout}, ServerIn: toServerW, ServerOut: fromServerR})
	served := make(chan error, 1)
	go func() {
		err := run(toServerR, fromServerW)
		fromServerW.Close()
		served <- err
	}()
	done := make(chan error, 1)
	go func() {
		var failed error
		client, server := false, false
		broken := p.Broken(analyze.ServerToClient)
		stop := func() { toServerR.Close() } // the server's stream ends, then the server
		for !server {
			select {
			case e := <-ends:
				if e.Dir == analyze.ServerToClient {
					server = true
					continue
				}
				client = true
				failed = e.Err
				go p.EndServer()
			case <-broken:
				broken = nil
				stop()
			case err := <-served:
				if err != nil && !errors.Is(err, os.ErrClosed) && !client {
					failed = err
				}
				served = nil
				p.Alone()
			case <-w.Interrupt:
				stop()
				done <- nil
				return
			}
		}
		p.Close()
		done <- failed
	}()
	err = <-done
	flushed := make(chan struct{})
	go func() { p.Shut(); close(flushed) }()
	select {
	case <-flushed:
	case <-time.After(flushGrace):
	}
	p.Close()
	toServerW.Close()
	fromServerR.Close()
	return err
}

// writerOnly keeps a proxy from closing the standard output.
type writerOnly struct{ io.Writer }
