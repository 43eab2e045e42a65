//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warden-trace/warden/cmd/program"
)

// exchange is a call whose answer is found to hold a secret.
const exchange = `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"AKIAABCDEFGHIJKLMNOP"}]}}}
`

// start prepares the program, which is in the PATH that testscript.Main has set
// up.
func start(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}

// interrupted sends SIGINT to a program that has had time to begin waiting and
// returns the exit code.
func interrupted(t *testing.T, cmd *exec.Cmd, begin time.Duration) int {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(begin)
	cmd.Process.Signal(syscall.SIGINT)
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
		}
	}()
	cmd.Wait()
	close(ended)
	return cmd.ProcessState.ExitCode()
}

// TestInterruptWhileWaiting: whatever the program waits for, SIGINT ends it, and
// what has come is reported.
func TestInterruptWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(exchange), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		args  []string
		input string // "": standard input stays silent
		found bool
	}{
		{"pipe", []string{"-", "--json", "r"}, exchange, true},
		{"pipe, a line cut short", []string{"-", "--json", "r"}, exchange + `{"direction":"c2s","fra`, true},
		{"silent pipe", []string{"-", "--json", "r"}, "", false},
		{"FIFO without a writer", []string{"fifo", "--json", "r"}, "", false},
		{"half of a pair", []string{"--c2s", "fifo", "--s2c", "s.jsonl", "--json", "r"}, "", false},
		{"after a file", []string{"s.jsonl", "fifo", "--json", "r"}, "", true},
		{"report without a reader", []string{"s.jsonl", "--json", "fifo"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Nothing tells that the program waits, and a busy machine may not even
			// have begun it: it gets more time before it fails.
			var err error
			for begin := 400 * time.Millisecond; begin < 10*time.Second; begin *= 4 {
				if err = attempt(t, dir, c.args, c.input, c.found, begin); err == nil {
					return
				}
			}
			t.Error(err)
		})
	}
}

// attempt interrupts the program once and says what is wrong with what it leaves.
func attempt(t *testing.T, dir string, args []string, input string, found bool, begin time.Duration) error {
	os.Remove(filepath.Join(dir, "r"))
	cmd := start(t, dir, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if input != "" {
		go io.WriteString(in, input)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if code := interrupted(t, cmd, begin); code != program.ExitInterrupt {
		return fmt.Errorf("exit code %d; %s%s", code, &out, &errs)
	}
	holdsNothingHidden(t, dir)
	if args[len(args)-1] == "fifo" {
		return nil
	}
	report, err := os.ReadFile(filepath.Join(dir, "r"))
	if err != nil {
		return err
	}
	if got := bytes.Contains(report, []byte("WRD-RES-SECRET-ECHO")); got != found {
		return fmt.Errorf("found: %v\n%s", got, report)
	}
	if !bytes.Contains(report, []byte(`"parse_errors":0`)) || !bytes.Contains(report, []byte(`"exit_code":130`)) {
		return fmt.Errorf("%s", report)
	}
	return nil
}

// waiting runs the program on a standard input that stays open, interrupts it and
// gives what it wrote. Nothing tells that the program has read what there is, so
// it gets more time until done says that it had.
func waiting(t *testing.T, dir string, args []string, done func(out, errs string) error) {
	t.Helper()
	var err error
	for begin := 400 * time.Millisecond; begin < 10*time.Second; begin *= 4 {
		cmd := start(t, dir, args...)
		in, e := cmd.StdinPipe()
		if e != nil {
			t.Fatal(e)
		}
		go io.WriteString(in, exchange)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		code := interrupted(t, cmd, begin)
		in.Close()
		if err = done(out.String(), errs.String()); err == nil && code != program.ExitInterrupt {
			err = fmt.Errorf("exit code %d", code)
		}
		if err == nil {
			return
		}
		err = fmt.Errorf("%w\n%s%s", err, &out, &errs)
	}
	t.Error(err)
}

// TestInterruptLeavesTheEarlierFile: part of a copy or a list never takes the
// place of what was there, and the user is told.
func TestInterruptLeavesTheEarlierFile(t *testing.T) {
	for _, args := range [][]string{
		{"redact", "-"}, {"convert", "-"}, {"convert", "--zstd", "-"}, {"frames", "-"}, {"stats", "-"}, {"stats", "--json", "-"},
		{"baseline", "create", "-", "--force"}, {"lock", "pin", "-", "--force"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			for _, earlier := range []string{"earlier", ""} {
				dir := t.TempDir()
				file := filepath.Join(dir, "f")
				if earlier != "" {
					if err := os.WriteFile(file, []byte(earlier), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				waiting(t, dir, append(args, "-o", "f"), func(out, errs string) error {
					if b, _ := os.ReadFile(file); string(b) != earlier {
						t.Fatalf("the file holds %q", b)
					}
					if errs != "warden-inspect: interrupted: nothing was written\n" || out != "" {
						return fmt.Errorf("it says something else")
					}
					return nil
				})
				holdsNothingHidden(t, dir)
			}
		})
	}
}

// TestInterruptedStatsSaySo: sums of a part are never given out as those of all.
func TestInterruptedStatsSaySo(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--json", `"interrupted":true`},
		{"--top=9", "interrupted: these are the sums of what was read until then"},
	} {
		waiting(t, t.TempDir(), []string{"stats", "-", c.flag}, func(out, errs string) error {
			if !strings.Contains(out, c.want) || errs != "warden-inspect: interrupted: the output is not complete\n" {
				return fmt.Errorf("no %q", c.want)
			}
			return nil
		})
	}
}

// TestInterruptedReportsSaySo: each report of an interrupted scan says that it is
// one of a part, and calls no trace damaged. Tables can't say so, and are not
// written.
func TestInterruptedReportsSaySo(t *testing.T) {
	dir := t.TempDir()
	formats := []string{"json", "sarif", "junit", "markdown", "html"}
	args := []string{"-", "--parquet", "p", "--format", "github", "-o", "github"}
	for _, f := range formats {
		args = append(args, "--"+f, f)
	}
	says := func(names ...string) error {
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			if text := string(b); !strings.Contains(text, "interrupted: this is what was found until then") && !strings.Contains(text, `"interrupted":true`) ||
				strings.Contains(text, "damaged and was") || strings.Contains(text, "damaged:") || !strings.Contains(text, "WRD-RES-SECRET-ECHO") {
				return fmt.Errorf("%s: %s", name, b)
			}
		}
		return nil
	}
	waiting(t, dir, args, func(_, errs string) error {
		if _, err := os.Stat(filepath.Join(dir, "p")); err == nil {
			t.Error("there are tables")
		}
		if !strings.Contains(errs, "interrupted: the tables of --parquet were not written") {
			return fmt.Errorf("it says %q", errs)
		}
		return says(append(formats, "github")...)
	})
	for _, more := range []string{"-v", "-q"} {
		waiting(t, dir, []string{"-", "-o", "text", more}, func(_, errs string) error {
			if errs != "warden-inspect: interrupted: the reports hold what was found until then\n" {
				return fmt.Errorf("it says %q", errs)
			}
			return says("text")
		})
	}
	holdsNothingHidden(t, dir)
}

func holdsNothingHidden(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// TestClosedStandardOutput: "| head" ends that report; the others are complete,
// the exit code is the run's, and nobody is told of it.
func TestClosedStandardOutput(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(strings.Repeat(exchange, 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"s.jsonl", "--format", "json", "--json", "r", "--sarif", "w"}, 1},
		{[]string{"s.jsonl", "-v", "--audit-only"}, 0},
		{[]string{"frames", "s.jsonl"}, 0},
		{[]string{"convert", "s.jsonl"}, 0},
		{[]string{"stats", "s.jsonl"}, 0},
		{[]string{"rules", "list"}, 0},
		{[]string{"rules", "show", "WRD-RES-ANSI"}, 0},
		{[]string{"--where", "help"}, 0},
		{[]string{"completion", "bash"}, 0},
		{[]string{"man"}, 0},
		{[]string{"version"}, 0},
		{[]string{"--help"}, 0},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := start(t, dir, c.args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &errs
		cmd.Run()
		w.Close()
		if code := cmd.ProcessState.ExitCode(); code != c.code || errs.Len() > 0 {
			t.Errorf("%v: %v, %s", c.args, cmd.ProcessState, &errs)
		}
	}
	report, err := os.ReadFile(filepath.Join(dir, "r"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(report, []byte(`{"kind":"run-summary","frames":4000,`)) {
		t.Errorf("the report is not complete: %d bytes", len(report))
	}
	log, err := os.ReadFile(filepath.Join(dir, "w"))
	if err != nil || !json.Valid(log) {
		t.Errorf("the SARIF log: %v", err)
	}
	holdsNothingHidden(t, dir)
}

// TestProblemIsToldOnce: what can't be read is told on standard error too, but not
// where the report goes to the same place.
func TestProblemIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		args  []string
		one   bool
		times int
	}{
		{[]string{"nofile"}, true, 1},
		{[]string{"nofile"}, false, 2},
		{[]string{"nofile", "-o", "r"}, true, 1},
	} {
		cmd := start(t, t.TempDir(), c.args...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if c.one {
			cmd.Stderr = &out // the same pipe
		}
		cmd.Run()
		if n := strings.Count(out.String()+errs.String(), "nofile: no such file"); n != c.times {
			t.Errorf("%v: told %d times\n%s%s", c.args, n, &out, &errs)
		}
	}
}

// TestSecondInterruptLeavesNothing: asked twice, a program that can't end by
// itself (its reader does not read) is ended, and its temporary files go.
func TestSecondInterruptLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(strings.Repeat(exchange, 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := start(t, dir, "s.jsonl", "--format", "json", "--sarif", "w")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for range 2 {
		time.Sleep(300 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGINT)
	}
	cmd.Wait()
	if st := cmd.ProcessState.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	holdsNothingHidden(t, dir)
}

// TestStandardInputIsAnInput: a redirected file is no target.
func TestStandardInputIsAnInput(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, []byte(exchange), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := start(t, dir, "-", "--json", "s.jsonl")
	cmd.Stdin = in
	out, _ := cmd.CombinedOutput()
	if !bytes.Contains(out, []byte("it is read too (standard input")) || cmd.ProcessState.ExitCode() != program.ExitError {
		t.Errorf("%v: %s", cmd.ProcessState, out)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != exchange {
		t.Errorf("the trace is now %q, %v", b, err)
	}
}
