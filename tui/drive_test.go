package tui

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/tui/paint"
	"github.com/warden-trace/warden/tui/tape"
)

// driver runs an App without a terminal: what Update asks for is carried out at
// once, one thing after the other.
type driver struct {
	t     *testing.T
	a     *App
	dir   string
	copy  bytes.Buffer
	quit  bool
	shown func(string) // sees every screen, if set
}

func testConfig(t testing.TB) *replay.Config {
	t.Helper()
	cat, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Config{Catalog: cat, Rules: ruleset.Builtin(), MaxInflight: 1024, MaxFrame: 8 << 20}
}

var day = time.Date(2026, 8, 3, 12, 0, 0, 0, time.UTC)

// drive opens a trace of those lines.
func drive(t *testing.T, trace string, change ...func(*Options)) *driver {
	t.Helper()
	d := &driver{t: t, dir: t.TempDir()}
	path := filepath.Join(d.dir, "trace.jsonl")
	if err := os.WriteFile(path, []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	return d.open(path, change...)
}

func (d *driver) open(path string, change ...func(*Options)) *driver {
	d.t.Helper()
	now := func() time.Time { return day }
	ledger, err := OpenLedger(filepath.Join(d.dir, "baseline.json"), now)
	if err != nil {
		d.t.Fatal(err)
	}
	o := Options{Ledger: ledger, Rules: ruleset.Builtin(), Config: testConfig(d.t), Keys: DefaultKeys(), Dark: true, Now: now, Clipboard: &d.copy,
		Paint: func(dark bool) *paint.Painter { return paint.New(termenv.ANSI256, dark) }}
	for _, f := range change {
		f(&o)
	}
	if o.Tape == nil {
		o.Tape, err = tape.Open(path, nil, tape.Options{Config: o.Config, Formats: o.Formats, Decided: ledger.Decided, Follow: o.Follow})
		if err != nil {
			d.t.Fatal(err)
		}
	}
	d.t.Cleanup(o.Tape.Close)
	d.a = New(o)
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	if !o.Follow {
		d.do(d.a.Init())
	}
	return d
}

func (d *driver) send(m tea.Msg) {
	d.t.Helper()
	_, cmd := d.a.Update(m)
	d.look()
	d.do(cmd)
}

func (d *driver) look() {
	s := d.a.View()
	if d.shown != nil {
		d.shown(s)
	}
}

func (d *driver) do(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			d.do(c)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		d.send(m)
	}
}

// keys presses one key after the other; words of several letters are named
// keys.
func (d *driver) keys(keys ...string) *driver {
	d.t.Helper()
	for _, k := range keys {
		d.send(keyMsg(k))
	}
	return d
}

// types types a text into a prompt.
func (d *driver) types(s string) *driver {
	d.t.Helper()
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)})
	return d
}

var named = map[string]tea.KeyType{"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
	"backspace": tea.KeyBackspace, "ctrl+u": tea.KeyCtrlU, "ctrl+w": tea.KeyCtrlW, "ctrl+c": tea.KeyCtrlC, "shift+tab": tea.KeyShiftTab}

func keyMsg(k string) tea.KeyMsg {
	if t, ok := named[k]; ok {
		return tea.KeyMsg{Type: t}
	}
	if k == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// screen is what a reader sees, without its colours.
func (d *driver) screen() string { return sgr.ReplaceAllString(d.a.View(), "") }

func (d *driver) sees(parts ...string) *driver {
	d.t.Helper()
	s := d.screen()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			d.t.Fatalf("the screen lacks %q:\n%s", p, s)
		}
	}
	return d
}

func (d *driver) lacks(parts ...string) *driver {
	d.t.Helper()
	s := d.screen()
	for _, p := range parts {
		if strings.Contains(s, p) {
			d.t.Fatalf("the screen has %q:\n%s", p, s)
		}
	}
	return d
}
