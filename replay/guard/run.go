package guard

import (
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay"
)

// RunOptions configure a guarded child.
type RunOptions struct {
	Options
	Command []string // argument array; never a shell
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer        // the child's stderr goes here untouched
	Signals <-chan os.Signal // each is passed on to the child's group and ends the session
	Grace   time.Duration    // between EOF, SIGTERM and SIGKILL; 0: DefaultGrace
	// Note receives one-line notes for the user. It must not block for long.
	Note func(string)
	// Aborted is told why a strict session has ended.
	Aborted func(*replay.Abort)
}

// DefaultGrace is the time a peer is given at each step of a teardown.
const DefaultGrace = 5 * time.Second

// Exit codes of a guard that its child does not decide (replay.md).
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
		what := "can't start the server"
		if len(o.Command) > 0 {
			what += " " + safe.Name(o.Command[0])
		}
		o.Note(what + ": " + err.Error())
		return exitInternal
	}
	o.Deadlines = o.Config.RequestTimeout > 0
	r := &runner{o: &o, child: c, proxy: NewProxy(o.Options)}
	r.ends = r.proxy.Start(Ends{ClientIn: o.Stdin, ClientOut: o.Stdout, ServerIn: c.stdin, ServerOut: c.stdout})
	r.wait()
	r.finish()
	c.sweep()
	r.proxy.Close()
	if a := r.proxy.Abort(); a != nil {
		if o.Aborted != nil {
			o.Aborted(a)
		}
		return exitAborted
	}
	if r.killed || r.fault {
		return exitInternal
	}
	return c.code()
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
	killed bool // the child had to be killed
	fault  bool // guard itself failed
}

// step is how far the taking down of the child has come.
type step int

const (
	draining   step = iota // what waits for it is still written
	ended                  // its stdin is closed
	terminated             // its group was asked to end
	killed                 // its group was killed
)

// wait returns when the child is gone, or can't be got rid of.
func (r *runner) wait() {
	select {
	case e := <-r.ends:
		// The client has left, or the server's stdout is closed and nothing
		// can be answered any more.
		r.ended(e)
		if r.fault {
			r.child.signal(syscall.SIGTERM)
			r.down(terminated)
			return
		}
		r.down(draining)
	case <-r.child.exited:
	case <-r.proxy.Broken(analyze.ServerToClient):
		r.client = true // who does not read will not be waited for
		r.down(draining)
	case <-r.proxy.Broken(analyze.ClientToServer):
		r.down(draining) // the server does not read any more: it is about to go
	case <-r.proxy.Aborted():
		r.down(draining)
	case sig := <-r.o.Signals:
		r.child.signal(sig)
		r.down(terminated)
	}
}

func (r *runner) ended(e End) {
	side := "client"
	if e.Dir == analyze.ServerToClient {
		side, r.server = "server", true
	} else {
		r.client = true
	}
	if r.client && r.server {
		r.ends = nil
	}
	switch {
	case e.Fault != "":
		r.fault = true
		r.o.Note("internal error (" + e.Fault + ") on the " + side + "'s stream; the session ends")
	case e.Partial:
		r.o.Note("the " + side + "'s last frame was cut short; it was discarded")
	case e.Err != nil:
		r.o.Note("reading from the " + side + " failed: " + bare(e.Err).Error())
	}
}

// down takes the child down in steps, each after a grace: what waits is
// written, EOF, SIGTERM, SIGKILL. It returns when the child is gone.
func (r *runner) down(at step) {
	var drained <-chan struct{}
	if at == draining {
		r.proxy.toServer.close()
		drained = r.proxy.toServer.done
	}
	timer := time.NewTimer(r.o.Grace)
	defer timer.Stop()
	for {
		select {
		case <-r.child.exited:
			return
		case <-drained:
			drained = nil
			r.child.stdin.Close()
			at = max(at, ended)
			timer.Reset(r.o.Grace)
		case e := <-r.ends:
			r.ended(e)
		case sig := <-r.o.Signals:
			r.child.signal(sig)
			if at < terminated {
				at = terminated
				timer.Reset(r.o.Grace)
			}
		case <-timer.C:
			switch at {
			case draining: // it does not read: no more is waited for
				drained = nil
				r.proxy.toServer.drop()
				r.child.stdin.Close()
				at = ended
			case ended:
				r.child.signal(syscall.SIGTERM)
				at = terminated
			case terminated:
				r.killed = true
				r.child.signal(syscall.SIGKILL)
				at = killed
			default:
				return // even SIGKILL takes time on a process stuck in the kernel
			}
			timer.Reset(r.o.Grace)
		}
	}
}

// finish drains what the child wrote, answers what still waits, and flushes.
func (r *runner) finish() {
	r.proxy.Alone()
	out := r.proxy.toClient
	r.drain(out)
	r.proxy.Gone("exit code " + strconv.Itoa(r.child.code()))
	out.close()
	r.flush(out)
	r.child.stdin.Close()
	r.child.stdout.Close()
	r.proxy.toServer.drop()
}

// firstDrain is how long the server's stream may stay open after its process
// is gone before the rest of its group is asked to end.
const firstDrain = 250 * time.Millisecond

// drain reads the server's stream to its end. Whatever of the group is left
// holds it open: that is ended, and with it the stream.
func (r *runner) drain(out *outbox) {
	wait := min(r.o.Grace, firstDrain)
	still := newPatience(out, r.o.Grace)
	for at := ended; !r.server; {
		select {
		case e := <-r.ends:
			r.ended(e)
			continue
		case <-r.o.Signals:
			// Asked again: whoever holds the stream goes at once.
			r.child.signal(syscall.SIGKILL)
			if at == killed {
				out.drop()
			}
			at = killed
		case <-time.After(wait):
			if waiting, _ := out.progress(); waiting > out.limit {
				// The client holds up the stream, not a process. One that has
				// closed its own side may be gone for good.
				if r.client && still.over() {
					out.drop()
				}
				continue
			}
			switch at {
			case ended:
				r.child.signal(syscall.SIGTERM)
				at = terminated
			case terminated:
				r.child.signal(syscall.SIGKILL)
				at = killed
			default:
				// Something outside of the group holds the pipe.
				r.child.stdout.Close()
			}
			wait = min(r.o.Grace, time.Second)
		}
	}
}

// flush waits until the client has read everything, or is gone: who is still
// there may take its time, of who has closed its side some progress is asked.
func (r *runner) flush(out *outbox) {
	still := newPatience(out, r.o.Grace)
	check := time.NewTicker(max(r.o.Grace/4, time.Millisecond))
	defer check.Stop()
	for {
		select {
		case <-out.done:
			return
		case e := <-r.ends:
			r.ended(e)
		case <-r.o.Signals:
			out.drop()
			return
		case <-check.C:
			if r.client && still.over() {
				out.drop()
				return
			}
		}
	}
}

// patience is how long a reader may take nothing before it counts as gone.
type patience struct {
	out   *outbox
	grace time.Duration
	taken int64
	since time.Time
}

func newPatience(out *outbox, grace time.Duration) *patience {
	return &patience{out: out, grace: grace, taken: -1}
}

func (p *patience) over() bool {
	_, n := p.out.progress()
	if now := time.Now(); n != p.taken {
		p.taken, p.since = n, now
	} else if now.Sub(p.since) >= p.grace {
		return true
	}
	return false
}
