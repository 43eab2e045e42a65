package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/teatest"

	"github.com/warden-trace/warden/tui/tape"
)

// attacks are what a trace may try on a terminal, one of each kind.
var attacks = map[string]string{
	"CSI":               "\x1b[2J\x1b[31mred\x1b[10;10H",
	"CSI of eight bits": "\u009b2J",
	"OSC 0":             "\x1b]0;owned\x07",
	"OSC 8":             "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
	"OSC 52":            "\x1b]52;c;b3duZWQ=\x07",
	"unterminated OSC":  "\x1b]2;swallow all that follows",
	"DCS":               "\x1bP$q\"p\x1b\\",
	"APC":               "\x1b_Gf=100;AAAA\x1b\\",
	"PM and SOS":        "\x1b^x\x1b\\\x1bXx\x1b\\",
	"C1":                "\u0080\u0085\u0090\u009d0;x\u009c\u009f",
	"raw C1 bytes":      "\x9b2J\x9d0;x\x9c",
	"BEL and backspace": "\x07\x08\x08\x08safe",
	"CR and VT and FF":  "over\rwrite\x0b\x0c",
	"DEL and NUL":       "\x7f\x00",
	"reset":             "\x1bc\x1b(0qqq\x0e\x0f",
	"bidi":              "a\u202egpj.exe\u202c\u2066x\u2069\u061c\u200f",
	"tags":              "\U000e0041\U000e0042\U000e007f",
	"zero width":        "a\u200bb\u200c\u200d\u2060\ufeff\u00adc",
	"variation":         "x\ufe0f\U000e0100",
	"separators":        "a\u2028b\u2029c",
	"combining storm":   "e" + strings.Repeat("\u0301\u0489", 400),
	"private use":       "\ue000\U000f0000\U0010ffff",
	"not UTF-8":         "\xff\xfe\xc0\x80\xed\xa0\x80",
	"wide":              "漢字テスト🙂🏳️‍🌈👩‍👩‍👧",
	"runner":            "::error::x ##[command]",
}

// quoted is s as the inside of a JSON string: raw where JSON allows it, so that
// both spellings are tried.
func quoted(s string, escaped bool) string {
	if !utf8.ValidString(s) {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] < 0x20 || s[i] == '"' || s[i] == '\\' {
				fmt.Fprintf(&b, `\u%04x`, s[i])
			} else {
				b.WriteByte(s[i])
			}
		}
		return b.String()
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r < 0x20 || escaped && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hostileTrace has the attack in every place that the stepper shows.
func hostileTrace(s string) string {
	var b strings.Builder
	for _, esc := range []bool{false, true} {
		q := quoted(s, esc)
		for _, f := range []string{
			`{"jsonrpc":"2.0","id":"` + q + `","method":"initialize","params":{"protocolVersion":"` + q + `"}}`,
			`{"jsonrpc":"2.0","id":"` + q + `","result":{"protocolVersion":"` + q + `","serverInfo":{"name":"` + q + `","version":"` + q + `"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + q + `","arguments":{"` + q + `":"` + q + `"}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + q + ` sk-FAKEFAKEFAKEFAKEFAKEFAKE http://10.0.0.1/ ` + q + `"}],"` + q + `":1}}`,
			`{"jsonrpc":"2.0","id":2,"method":"` + q + `"}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"` + q + `","data":"` + q + `"}}`,
			`[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + q + `"}},"` + q + `"]`,
		} {
			for _, dir := range []string{"c2s", "s2c"} {
				fmt.Fprintf(&b, `{"direction":"%s","session":"%s","ts":"2026-01-01T00:00:00Z","frame":%s}`+"\n", dir, q, f)
			}
		}
	}
	b.WriteString(strings.ReplaceAll(s, "\n", " ") + " no JSON at all\n")
	return b.String()
}

var ours = regexp.MustCompile("\x1b\\[0(;[0-9]+)*m")

// raw names the first thing in a screen that no trace may have put there.
func raw(screen string) string {
	s := ours.ReplaceAllString(screen, "")
	marks := 0
	for i, r := range s {
		switch {
		case r == '\n':
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			return fmt.Sprintf("a byte that is no UTF-8 at %d", i)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co):
			return fmt.Sprintf("%U near %q", r, s[max(0, i-20):min(len(s), i+20)])
		case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Bidi_Control, unicode.Join_Control):
			return fmt.Sprintf("invisible %U", r)
		}
		if unicode.Is(unicode.M, r) {
			if marks++; marks > 4 {
				return "a stack of combining marks"
			}
		} else {
			marks = 0
		}
	}
	return ""
}

// walk presses what shows every pane, view, prompt and window.
var walk = []string{"esc", "1", "2", "3", "3", "4", "j", "tab", "enter", "j", "tab", "enter", "esc", "tab", "n", "d", "n", "x", "c", "]", "]", "[",
	"t", "t", "enter", "u", "v", "v", "v", "v", "z", "tab", "tab", "z", "s", "enter", "g", "G", "?", "esc", "l", "h", "}", "f", "enter", "y", "U", "esc", "esc"}

func TestHostileTracesReachNoTerminal(t *testing.T) {
	for name, s := range attacks {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, strings.NewReplacer("/", "_", "\x00", "_").Replace(s[:min(len(s), 60)])+".jsonl")
			if err := os.WriteFile(file, []byte(hostileTrace(s)), 0o600); err != nil {
				file = filepath.Join(dir, "trace.jsonl") // the file system refuses the name
				if err := os.WriteFile(file, []byte(hostileTrace(s)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d := (&driver{t: t, dir: dir}).open(file)
			w, h := 120, 40
			d.shown = func(view string) {
				if why := raw(view); why != "" {
					t.Fatalf("%s came through", why)
				}
				fits(t, view, w, h)
			}
			for _, size := range [][2]int{{120, 40}, {40, 10}, {80, 24}} {
				w, h = size[0], size[1]
				d.send(tea.WindowSizeMsg{Width: w, Height: h})
				d.keys(walk...)
				d.keys("/").types(s).keys("enter", "esc", ":").types(s).keys("enter")
				d.keys("w", "ctrl+u").types(filepath.Join(dir, "none", s)).keys("enter")
			}
			for _, c := range strings.SplitAfter(d.copy.String(), "\x07") {
				if c != "" && !regexp.MustCompile("^\x1b\\]52;c;[A-Za-z0-9+/=]*\x07$").MatchString(c) {
					t.Fatalf("the clipboard was sent %q", c)
				}
			}
		})
	}
}

// What the program itself may tell a terminal: cursor, screen, modes, colours.
var (
	control   = regexp.MustCompile("\x1b\\[\\??[0-9;]*[A-HJKSTfhlmr]|\x1b\\[>[0-9;]*[mu]")
	clipboard = regexp.MustCompile("\x1b\\]52;c;[A-Za-z0-9+/=]*\x07")
)

func TestEveryByteThatReachesTheTerminal(t *testing.T) {
	var all strings.Builder
	for _, s := range attacks {
		all.WriteString(hostileTrace(s))
	}
	d := drive(t, all.String())
	o := d.a.o
	var err error
	if o.Tape, err = tape.Open(filepath.Join(d.dir, "trace.jsonl"), nil, tape.Options{Config: o.Config, Decided: o.Ledger.Decided}); err != nil {
		t.Fatal(err)
	}
	defer o.Tape.Close()
	tm := teatest.NewTestModel(t, New(o), teatest.WithInitialTermSize(100, 30))
	teatest.WaitFor(t, tm.Output(), func(b []byte) bool { return bytes.Contains(b, []byte("Where to look first")) }, teatest.WithDuration(5*time.Second))
	for range 3 {
		for _, k := range walk {
			tm.Send(keyMsg(k))
			time.Sleep(time.Millisecond)
		}
	}
	tm.Send(tea.WindowSizeMsg{Width: 40, Height: 10})
	for _, k := range append(walk, "G", "p", "p", "d") {
		tm.Send(keyMsg(k))
		time.Sleep(2 * time.Millisecond)
	}
	tm.Send(keyMsg("q"))
	out, err := io.ReadAll(tm.FinalOutput(t, teatest.WithFinalTimeout(10*time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10000 {
		t.Fatalf("only %d bytes were drawn", len(out))
	}
	rest := control.ReplaceAllString(string(out), "")
	rest = clipboard.ReplaceAllString(rest, "")
	rest = strings.NewReplacer("\r", "", "\n", "").Replace(rest)
	if why := raw(rest); why != "" {
		t.Fatalf("%s reached the terminal", why)
	}
}

func TestHugeLines(t *testing.T) {
	big, err := json.Marshal(strings.Repeat("\x1b[31m漢\u202e", 250_000) + "sk-FAKEFAKEFAKEFAKEFAKEFAKE" + strings.Repeat("x", 100_000))
	if err != nil {
		t.Fatal(err)
	}
	name, _ := json.Marshal(strings.Repeat("n\u202e", 100_000))
	d := drive(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+string(name)+`}}`+"\n"+
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":`+string(big)+`}]}}`+"\n")
	d.shown = func(view string) {
		if why := raw(view); why != "" {
			t.Fatalf("%s came through", why)
		}
		fits(t, view, 120, 40)
	}
	start := time.Now()
	d.keys(walk...)
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("a walk over a line of %d bytes took %v", len(big), took)
	}
}
