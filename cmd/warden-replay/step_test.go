//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/baseline"
)

// console is a terminal with a reader and fingers.
type console struct {
	t   *testing.T
	pty *os.File
	tty *os.File
	mu  sync.Mutex
	out bytes.Buffer
}

func newConsole(t *testing.T) *console {
	t.Helper()
	m, s, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	pty.Setsize(m, &pty.Winsize{Rows: 30, Cols: 100})
	c := &console{t: t, pty: m, tty: s}
	t.Cleanup(func() { m.Close(); s.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := m.Read(buf)
			c.mu.Lock()
			c.out.Write(buf[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return c
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// until waits for the text to be drawn after what was there before.
func (c *console) until(from int, text string) {
	c.t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if s := c.text(); strings.Contains(s[from:], text) {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("%q was never drawn: %q", text, c.text()[from:])
		}
	}
}

func (c *console) press(keys, until string) {
	c.t.Helper()
	n := len(c.text())
	if _, err := io.WriteString(c.pty, keys); err != nil {
		c.t.Fatal(err)
	}
	c.until(n, until)
}

func (c *console) world(env map[string]string, args ...string) *program.World {
	return &program.World{Args: args, Stdin: c.tty, Stdout: c.tty, Stderr: c.tty, Now: time.Now, Interrupt: make(chan struct{}),
		Getenv: func(k string) string {
			if v, ok := env[k]; ok {
				return v
			}
			return map[string]string{"TERM": "tmux-256color"}[k]
		}}
}

func TestStepInATerminal(t *testing.T) {
	c := newConsole(t)
	file := filepath.Join(t.TempDir(), "baseline.json")
	code := make(chan int, 1)
	go func() {
		code <- Run(c.world(nil, "step", "--theme", "dark", "--config", os.DevNull, "--baseline", file, "../../corpus/sessions/review.jsonl"))
	}()
	c.until(0, "Where to look first")
	c.press("\x1b", "initialize")
	c.press("n", "WRD-SEC-OPENAI")
	c.press("3", "-32001")
	c.press("t", "true positive")
	c.press("f", "note:")
	c.press("made up\r", "4 of 5 undecided")
	pty.Setsize(c.pty, &pty.Winsize{Rows: 10, Cols: 40})
	c.press("q", "4 of 5 block findings undecided")
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
	if !strings.Contains(c.text(), "\x1b[?1049l") || !strings.HasSuffix(strings.TrimSpace(c.text()), "undecided") {
		t.Errorf("the terminal was not given back: %q", c.text()[max(0, len(c.text())-300):])
	}
	b, err := baseline.Load(file)
	if err != nil || b.Len() != 1 || b.Entries()[0].Reason != "made up" {
		t.Errorf("the baseline: %+v, %v", b.Entries(), err)
	}
}

func TestStepWithoutAScreen(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.jsonl", `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	for _, c := range []struct {
		name string
		env  map[string]string
		args []string
		code int
		want string
	}{
		{"dumb terminal", map[string]string{"TERM": "dumb"}, []string{good}, 2, "TERM is dumb"},
		{"empty", nil, []string{write("empty.jsonl", "")}, 0, "no frames to step through"},
		{"white space", nil, []string{write("blank.jsonl", "\n\n  \n")}, 0, "no frames to step through"},
		{"binary", nil, []string{write("b", "\x00\x01\x02")}, 2, "no recording of a known form"},
		{"damaged", nil, []string{write("d.zst", "\x28\xb5\x2f\xfd\xff\xff")}, 2, "d.zst: zstd"},
		{"missing", nil, []string{filepath.Join(dir, "none")}, 2, "no such file"},
		{"hostile name", nil, []string{filepath.Join(dir, "a\x1b]0;x\x07b")}, 2, `a\x1b]0;x\x07b`},
		{"folder", nil, []string{dir}, 2, "a directory"},
		{"nothing", nil, nil, 2, "no trace to step through"},
		{"broken baseline", nil, []string{"--baseline", write("bl", "{"), good}, 2, "bl"},
		{"field of no frame", nil, []string{"--where", "teir == 1", good}, 2, "did you mean tier?"},
		{"number for a text", nil, []string{"--where", "tool == 1", good}, 2, "--where: "},
		{"no place", nil, []string{"--goto", "foo", good}, 2, `--goto: "foo" is no place: a frame (120, +10)`},
		{"more than all", nil, []string{"--goto", "101%", good}, 2, "is no place"},
		{"help of the language", nil, []string{"--where", "help"}, 0, "Fields of frames and findings:"},
		{"broken keys", nil, []string{"--config", write("k.yaml", "keys: {fly: [x]}"), good}, 2, `no command "fly"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			con := newConsole(t)
			if got := Run(con.world(c.env, append([]string{"step"}, c.args...)...)); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			con.until(0, c.want)
			if strings.Contains(con.text(), "\x1b") {
				t.Errorf("escape sequences: %q", con.text())
			}
		})
	}
	var out, errs bytes.Buffer
	w := &program.World{Args: []string{"step", good}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, Now: time.Now}
	if code := Run(w); code != 2 || !strings.Contains(errs.String(), "step needs a terminal") || !strings.Contains(errs.String(), "warden-inspect frames") {
		t.Errorf("without a terminal: exit code %d, %q", code, errs.String())
	}
}

func TestCaseArgsAreRelativeToTheCase(t *testing.T) {
	c := stepCmd{}
	c.Lock, c.Coverage, c.NoBlockANSI, c.Ruleset = "rules/x.lock", "full", true, []string{"/abs/r.yaml"}
	got := strings.Join(c.caseArgs("corpus/new"), " ")
	if want := "--lock ../../rules/x.lock --ruleset /abs/r.yaml --no-block-ansi"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
