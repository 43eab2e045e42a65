//go:build unix

package guard

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/warden-trace/warden/replay"
)

// rig is a guard in this process between this test, as the client, and a
// scripted server in a process of its own.
type rig struct {
	t       *testing.T
	in      *os.File // what the client writes to
	outFile *os.File // what the client reads from
	out     *lines   // nil until read is called
	stderr  *lines
	signals chan os.Signal
	code    chan int
	group   int

	mu    sync.Mutex
	notes []string
	found []string // rules of findings, in order
	abort *replay.Abort
}

const shortGrace = 150 * time.Millisecond

// guarded starts a guard before the scripted server. When the test ends it
// must have left no process and no goroutine.
func guarded(t *testing.T, change func(*RunOptions), name string, args ...string) *rig {
	t.Helper()
	before := goleak.IgnoreCurrent()
	r := &rig{t: t, signals: make(chan os.Signal, 4), code: make(chan int, 1)}
	pipe := func() (*os.File, *os.File) {
		a, b, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return a, b
	}
	clientIn, in := pipe()
	out, clientOut := pipe()
	errR, errW := pipe()
	r.in, r.outFile, r.stderr = in, out, readLines(errR)
	o := RunOptions{
		Options: Options{Config: testConfig(t, nil), Observe: r.observe},
		Command: role(t, name, args...), Stdin: clientIn, Stdout: clientOut, Stderr: errW,
		Signals: r.signals, Grace: shortGrace, Note: r.note,
		Aborted: func(a *replay.Abort) { r.abort = a },
	}
	if change != nil {
		change(&o)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		code := Run(o)
		clientOut.Close() // as the end of the process would
		clientIn.Close()
		errW.Close()
		r.code <- code
	}()
	t.Cleanup(func() {
		r.in.Close()
		select {
		case <-done:
		case <-time.After(longest):
			t.Fatal("the guard does not end")
		}
		r.nothingLeft()
		r.outFile.Close()
		if r.out != nil {
			<-r.out.end
		}
		errR.Close()
		<-r.stderr.end
		goleak.VerifyNone(t, before)
	})
	r.group = r.pid()
	return r
}

func (r *rig) observe(s *Seen) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range s.Outcome.Findings {
		r.found = append(r.found, s.Outcome.Findings[i].Rule)
	}
}

func (r *rig) note(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, s)
}

func (r *rig) said(what string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(strings.Join(r.notes, "\n"), what)
}

// pid reads the process id that a scripted program tells.
func (r *rig) pid() int {
	r.t.Helper()
	line := r.stderr.next(r.t)
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	if err != nil {
		r.t.Fatalf("the server says %q", line)
	}
	return n
}

func (r *rig) read() *lines {
	if r.out == nil {
		r.out = readLines(r.outFile)
	}
	return r.out
}

func (r *rig) send(format string, args ...any) {
	r.t.Helper()
	if _, err := fmt.Fprintf(r.in, format+"\n", args...); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) exit() int {
	r.t.Helper()
	select {
	case code := <-r.code:
		return code
	case <-time.After(longest):
		r.t.Fatal("the guard does not end")
	}
	return 0
}

// nothingLeft fails if a process of the server's group is alive.
func (r *rig) nothingLeft() {
	r.t.Helper()
	if left := alive(r.group); len(left) > 0 {
		r.t.Errorf("processes of the server's group are left: %v", left)
		syscall.Kill(-r.group, syscall.SIGKILL)
	}
}

// alive lists the processes of a group that are no zombies.
func alive(group int) (pids []string) {
	if syscall.Kill(-group, 0) != nil {
		return nil
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		return []string{strconv.Itoa(group)} // no /proc here: the kill has said it
	}
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(f) > 2 && string(f[0]) != "Z" && string(f[0]) != "X" && string(f[2]) == strconv.Itoa(group) {
			pids = append(pids, string(bytes.Fields(b)[0]))
		}
	}
	return pids
}
