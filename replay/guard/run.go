package guard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/warden-trace/warden/analyze"
)

// RunOptions configure a guarded child.
type RunOptions struct {
	Options
	Command []string // argument array; never a shell
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer // the child's stderr goes here untouched
	Signals <-chan os.Signal
	Grace   time.Duration // between EOF, SIGTERM and SIGKILL; 0: DefaultGrace
	Tick    time.Duration // how often time passes for deadlines; 0: never
	// Note receives one-line notes for the user. It must not block for long.
	Note func(string)
}

// DefaultGrace is the time a peer is given at each step of a teardown.
const DefaultGrace = 5 * time.Second

// Exit codes of a guard that its child does not decide.
const (
	exitInternal = 2
	exitAborted  = 3
)

// Run starts the child behind a proxy and returns the exit code for guard: the
// child's own, 128 plus the signal that ended it, 3 after a strict abort, 2 if
// the child could not be started or had to be killed. Whatever the way out, no
// process of the child's group is left.
func Run(o RunOptions) int {
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	c, err := startChild(&o)
	if err != nil {
		o.Note("can't start the server: " + err.Error())
		return exitInternal
	}
	p := NewProxy(o.Options)
	r := &runner{o: &o, child: c, proxy: p}
	r.ends = p.Start(Ends{ClientIn: o.Stdin, ClientOut: o.Stdout, ServerIn: c.stdin, ServerOut: c.stdout})
	code := r.wait()
	c.sweep()
	p.Close()
	return code
}

// child is the guarded process.
type child struct {
	cmd    *exec.Cmd
	stdin  *os.File // our ends
	stdout *os.File
	exited chan struct{} // closed when the process is gone
	state  *os.ProcessState
}

func startChild(o *RunOptions) (*child, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no command given")
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, o.Stderr
	ownGroup(cmd)
	err = cmd.Start()
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		var e *exec.Error
		if errors.As(err, &e) {
			err = e.Err // the command's own words stay out of our notes
		}
		return nil, err
	}
	c := &child{cmd: cmd, stdin: inW, stdout: outR, exited: make(chan struct{})}
	go func() {
		// Not cmd.Wait: with a stderr that is no file it would wait for
		// grandchildren that hold it.
		c.state, _ = cmd.Process.Wait()
		close(c.exited)
	}()
	return c, nil
}

// code is the exit code that the child's end asks for.
func (c *child) code() int {
	select {
	case <-c.exited:
	default:
		return exitInternal // it could not be ended
	}
	if c.state == nil {
		return exitInternal
	}
	if n := c.state.ExitCode(); n >= 0 {
		return n
	}
	if ws, ok := c.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return exitInternal
}

// runner waits for the first thing that ends a session and takes the rest down
// in order.
type runner struct {
	o      *RunOptions
	child  *child
	proxy  *Proxy
	ends   <-chan End
	client bool // the client's stream has ended
	server bool // the server's stream has ended
	killed bool
}

func (r *runner) wait() int {
	var tick <-chan time.Time
	if r.o.Tick > 0 {
		t := time.NewTicker(r.o.Tick)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case e := <-r.ends:
			r.ended(e)
			if e.Dir == analyze.ServerToClient {
				r.stop() // stdout is closed: nothing can be answered any more
				return r.finish()
			}
			r.stop()
			return r.finish()
		case <-r.child.exited:
			return r.finish()
		case <-r.proxy.Broken(analyze.ServerToClient):
			r.stop()
			return r.finish()
		case <-r.proxy.Aborted():
			r.stop()
			r.finish()
			return exitAborted
		case sig := <-r.o.Signals:
			r.child.signal(sig)
			r.await(2)
			return r.finish()
		case <-tick:
			r.proxy.Tick()
		}
	}
}

func (r *runner) ended(e End) {
	side := "client"
	if e.Dir == analyze.ServerToClient {
		side = "server"
		r.server = true
	} else {
		r.client = true
	}
	if e.Partial {
		r.o.Note("the " + side + "'s last frame was cut short; it was discarded")
	}
	if e.Err != nil {
		r.o.Note("reading from the " + side + " failed: " + reason(e.Err))
	}
}

// reason is an error without the path that it may name.
func reason(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// stop takes the child down in steps: EOF, then SIGTERM, then SIGKILL, each
// after a grace.
func (r *runner) stop() {
	out := r.proxy.toServer
	out.close()
	select {
	case <-out.done:
	case <-r.child.exited:
	case <-time.After(r.o.Grace):
	}
	r.child.stdin.Close()
	r.await(1)
}

// await waits for the child through what is left of the steps: 1 EOF has been
// sent, 2 a signal has been sent.
func (r *runner) await(step int) {
	for {
		select {
		case <-r.child.exited:
			return
		case e := <-r.ends:
			r.ended(e)
			if r.client && r.server {
				r.ends = nil
			}
			continue
		case sig := <-r.o.Signals:
			r.child.signal(sig)
			step = max(step, 2)
			continue
		case <-time.After(r.o.Grace):
		}
		switch step {
		case 1:
			r.child.signal(syscall.SIGTERM)
			step = 2
		case 2:
			r.killed = true
			r.child.signal(syscall.SIGKILL)
			step = 3
		default:
			return // even SIGKILL takes time on a process stuck in the kernel
		}
	}
}

// finish drains what the child wrote, answers what still waits, and flushes.
func (r *runner) finish() int {
	// Whatever of the group is left holds the pipe open: it is ended, and
	// with it the stream.
	out := r.proxy.toClient
	for step := 0; !r.server && step <= 3; {
		select {
		case e := <-r.ends:
			r.ended(e)
			continue
		case <-time.After(r.drainWait(step)):
		}
		if out.full() {
			// The client is slow, or gone for good: what it can't take holds
			// up the stream, not a process.
			if r.client {
				out.drop()
			}
			continue
		}
		switch step {
		case 0:
			r.child.signal(syscall.SIGTERM)
		case 1:
			r.child.signal(syscall.SIGKILL)
		default:
			// Something outside of the group holds the pipe.
			r.child.stdout.Close()
		}
		step++
	}
	if !r.proxyAborted() {
		r.proxy.Gone(fmt.Sprintf("exit code %d", r.child.code()))
	}
	out.close()
	if r.client {
		// Nobody may be reading any more: a grace, then what is left is lost.
		select {
		case <-out.done:
		case <-time.After(r.o.Grace):
			out.drop()
		}
	} else {
		r.flush(out)
	}
	r.child.stdin.Close()
	r.child.stdout.Close()
	r.proxy.toServer.drop()
	if r.killed {
		return exitInternal
	}
	return r.child.code()
}

// flush waits until a client that is still there has read everything, or goes.
func (r *runner) flush(out *outbox) {
	for {
		select {
		case <-out.done:
			return
		case e := <-r.ends:
			r.ended(e)
			if r.client {
				select {
				case <-out.done:
				case <-time.After(r.o.Grace):
					out.drop()
				}
				return
			}
		case <-r.o.Signals:
			out.drop()
			return
		}
	}
}

// drainWait is how long the server's stream may stay open after its process is
// gone before the rest of its group is ended.
func (r *runner) drainWait(step int) time.Duration {
	if step == 0 {
		return min(r.o.Grace, 250*time.Millisecond)
	}
	return r.o.Grace
}

func (r *runner) proxyAborted() bool {
	select {
	case <-r.proxy.Aborted():
		return true
	default:
		return false
	}
}
