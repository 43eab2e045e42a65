package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/tui"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

// stepCmd is `warden-replay step`.
type stepCmd struct {
	Trace string `arg:"" optional:"" name:"trace" help:"A recording; - is standard input."`

	program.RuleFlags
	program.PostureFlags
	program.ReadFlags

	Baseline      string `default:"warden.baseline.json" placeholder:"FILE" help:"Where decisions are read and written (${default})." group:"Stepper"`
	OnlyUndecided bool   `help:"Show only frames with block findings that the baseline has not decided." group:"Stepper"`
	Where         string `placeholder:"EXPR" help:"Show only frames that EXPR is true for; --where help explains the language." group:"Stepper"`
	Goto          string `placeholder:"PLACE" help:"Begin at a frame (120: its number within the first session, from 0, as in reports and --where), a share (50%) or a time (12:30:05, +5s)." group:"Stepper"`
	Follow        bool   `help:"The recording grows: go on at its end." group:"Stepper"`
	Theme         string `enum:",auto,dark,light" default:"" help:"dark, light, or auto: ask the terminal." group:"Stepper"`
	Colors        string `enum:"auto,none,16,256,full" default:"auto" help:"auto, none, 16, 256 or full." group:"Stepper"`
	ConfigFile    string `name:"config" placeholder:"FILE" help:"Keys and theme (YAML); else warden/step.yaml in the user's configuration folder." group:"Stepper"`
}

// Help is shown below the flags.
func (stepCmd) Help() string {
	return `Examples:
  warden-replay step session.jsonl                     walk through it; ? lists the keys
  warden-replay step --only-undecided session.jsonl    what is left to decide
  warden-replay step --follow live.jsonl               while a guard records it

Exit code: 0; 2 without a terminal, or where the trace could not be read whole.`
}

// RawOutput: the stepper draws on a terminal.
func (*stepCmd) RawOutput() {}

// Run steps through a trace.
func (c *stepCmd) Run(w *program.World) error {
	// A mistake is told before there is a screen to hide it.
	filter := program.WhereFlag{Where: c.Where}
	if done, err := filter.Explain(w); done || err != nil {
		return err
	}
	if _, err := filter.Filter(nil); err != nil {
		return err
	}
	if c.Goto != "" {
		if err := tui.CheckPlace(c.Goto); err != nil {
			return program.Fail("", "--goto: %w", err)
		}
	}
	if c.Trace == "" && c.C2S == "" {
		return program.Fail("warden-replay step TRACE", "no trace to step through")
	}
	out, ok := w.Stdout.(*os.File)
	if !ok || !program.IsTerminal(out) || w.Getenv("TERM") == "dumb" || c.Trace != "-" && !program.IsTerminal(w.Stdin) {
		why := "step needs a terminal"
		if w.Getenv("TERM") == "dumb" {
			why = "step needs a terminal that can move its cursor, and TERM is dumb"
		}
		return program.Fail("warden-inspect frames "+safe.Name(c.Trace)+" lists the frames without one", "%s", why)
	}
	o, err := c.options(w, out)
	if err != nil {
		return err
	}
	defer o.Tape.Close()
	ov := waitFirst(o.Tape)
	if ov.Done && ov.Frames == 0 && ov.Err == nil {
		fmt.Fprintf(w.Stdout, "%s: empty: no frames to step through\n", safe.Name(o.Tape.Name))
		return nil
	}
	if ov.Done && ov.Frames == 0 {
		return program.Fail("", "%s: %w", safe.Name(o.Tape.Name), ov.Err)
	}
	in := w.Stdin
	if c.Trace == "-" {
		in = nil // the keys come from the terminal itself
	}
	// Collect early only where memory gets tight, so that a large trace stays a
	// small program and a small one is not kept waiting.
	debug.SetMemoryLimit(150 << 20)
	// One more than there are processors: a key never waits until work on the
	// trace lets go of one; the system has it run at once.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	if err := tui.Run(*o, in, out, w.Interrupt); err != nil {
		return program.Fail("", "step: %w", err)
	}
	return c.after(w, o.Tape)
}

// after says on leaving what a reader should know, and how it ends.
func (c *stepCmd) after(w *program.World, t *tape.Tape) error {
	ov := t.Overview()
	name := safe.Name(t.Name)
	if ov.Blocks > 0 {
		fmt.Fprintf(w.Stdout, "%s: %d of %d block findings undecided\n", name, ov.Open, ov.Blocks)
	} else if ov.Done {
		fmt.Fprintf(w.Stdout, "%s: no block findings; %s\n", name, program.Count(ov.Frames, "frame", "frames"))
	}
	switch {
	case ov.Err != nil:
		return program.Fail("", "%s: damaged: %w; what came before was shown", name, ov.Err)
	case ov.Bad > 0 && !c.Follow:
		return program.Fail("", "%s: %s could not be read", name, program.Count(ov.Bad, "line", "lines"))
	case w.Interrupted():
		return program.Status(program.ExitInterrupt)
	}
	return nil
}

// waitFirst waits a moment for the first frames, so that an empty or broken
// trace is a sentence and no screen.
func waitFirst(t *tape.Tape) tape.Overview {
	for range 40 {
		if ov := t.Overview(); ov.Frames > 0 || ov.Done {
			return ov
		}
		time.Sleep(5 * time.Millisecond)
	}
	return t.Overview()
}

func (c *stepCmd) options(w *program.World, out *os.File) (*tui.Options, error) {
	cfg, warnings, err := program.Configure(w, &c.RuleFlags, &c.PostureFlags, &c.ReadFlags)
	if err != nil {
		return nil, err
	}
	for _, s := range warnings {
		w.Warn(name, s)
	}
	if _, err := (&program.WhereFlag{Where: c.Where}).Filter(cfg.Rules); err != nil {
		return nil, err // an id that these rules don't have
	}
	ro, err := c.Options(w)
	if err != nil {
		return nil, err
	}
	conf, keys, err := c.config(w)
	if err != nil {
		return nil, err
	}
	ledger, err := tui.OpenLedger(c.Baseline, w.Now)
	if err != nil {
		return nil, err
	}
	to := tape.Options{Config: cfg, Formats: ro, Follow: c.Follow, Decided: ledger.Decided}
	var t *tape.Tape
	if c.C2S != "" {
		if c.Trace != "" || c.Follow {
			return nil, program.Fail("", "--c2s and --s2c take the place of TRACE, and can't be followed")
		}
		t, err = tape.OpenPair(c.C2S, c.S2C, w.Stdin, to)
	} else {
		t, err = tape.Open(c.Trace, w.Stdin, to)
	}
	if err != nil {
		return nil, program.Fail("", "%w", err)
	}
	theme := c.Theme
	if theme == "" {
		theme = conf.Theme
	}
	profile := c.profile(w, out)
	return &tui.Options{Tape: t, Ledger: ledger, Rules: cfg.Rules, Config: cfg, Formats: ro, CaseArgs: c.caseArgs, Keys: keys,
		Paint:         func(dark bool) *paint.Painter { return paint.New(profile, dark) },
		Dark:          theme == "dark" || theme != "light" && lipgloss.HasDarkBackground(),
		OnlyUndecided: c.OnlyUndecided, Where: c.Where, Follow: c.Follow, Goto: c.Goto, Now: w.Now}, nil
}

func (c *stepCmd) config(w *program.World) (*tui.Config, *tui.KeyMap, error) {
	path, asked := c.ConfigFile, c.ConfigFile != ""
	if !asked {
		if dir := w.Getenv("XDG_CONFIG_HOME"); dir != "" {
			path = filepath.Join(dir, "warden", "step.yaml")
		} else if dir, err := os.UserConfigDir(); err == nil {
			path = filepath.Join(dir, "warden", "step.yaml")
		}
	}
	conf, keys, err := tui.LoadConfig(path, asked)
	if err != nil {
		return nil, nil, program.Fail("keys: {next: [n, ctrl+n]}, theme: light", "%w", err)
	}
	return conf, keys, nil
}

// environ shows the program's environment to termenv.
type environ struct{ get func(string) string }

func (e environ) Environ() []string        { return os.Environ() }
func (e environ) Getenv(key string) string { return e.get(key) }

func (c *stepCmd) profile(w *program.World, out *os.File) termenv.Profile {
	switch c.Colors {
	case "none":
		return termenv.Ascii
	case "16":
		return termenv.ANSI
	case "256":
		return termenv.ANSI256
	case "full":
		return termenv.TrueColor
	}
	if w.Getenv("NO_COLOR") != "" {
		return termenv.Ascii
	}
	return termenv.NewOutput(out, termenv.WithEnvironment(environ{w.Getenv}), termenv.WithTTY(true)).EnvColorProfile()
}

// caseArgs are the flags of this run that decide what is found, for the
// expectation of a case in dir: its paths are relative to that folder.
func (c *stepCmd) caseArgs(dir string) []string {
	var out []string
	for _, set := range []any{c.RuleFlags, c.PostureFlags} {
		v := reflect.ValueOf(set)
		for i := range v.NumField() {
			f, x := v.Type().Field(i), v.Field(i)
			if x.IsZero() || x.Interface() == any(f.Tag.Get("default")) || f.Tag.Get("hidden") != "" {
				continue
			}
			flag := f.Tag.Get("name")
			if flag == "" {
				flag = kebab(f.Name)
			}
			file := f.Tag.Get("placeholder") == "FILE"
			switch x := x.Interface().(type) {
			case bool:
				out = append(out, "--"+flag)
			case []string:
				for _, s := range x {
					out = append(out, "--"+flag, relative(dir, s, file))
				}
			default:
				out = append(out, "--"+flag, relative(dir, fmt.Sprint(x), file))
			}
		}
	}
	return out
}

func relative(dir, path string, file bool) string {
	if !file || filepath.IsAbs(path) {
		return path
	}
	from, err1 := filepath.Abs(dir)
	to, err2 := filepath.Abs(path)
	if errors.Join(err1, err2) != nil {
		return path
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// kebab is a field's name as a flag.
func kebab(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
