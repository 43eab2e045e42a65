// Package drive plays the client half of a recorded session against a real
// server and reports where its answers differ from those recorded (replay.md,
// "More drivers").
package drive

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/script"
)

// Difference is one place where the live server and the recording part.
type Difference struct {
	Line     int64  `json:"line"` // of the trace
	ID       string `json:"rpc_id,omitempty"`
	Method   string `json:"method"`
	Target   string `json:"target,omitempty"` // the tool, prompt or resource
	Pointer  string `json:"pointer"`          // into the answer; "" is the whole
	Recorded string `json:"recorded"`
	Live     string `json:"live"`
	Note     string `json:"note,omitempty"` // why the two are shown alike
}

// Result sums up a session.
type Result struct {
	Requests      int `json:"requests"` // of the client, sent
	Answers       int `json:"answers"`  // of the server, compared
	Same          int `json:"same"`
	Asked         int `json:"server_requests"` // of the server, answered from the recording
	Notifications int `json:"notifications"`   // of the server, live
	Differences   int `json:"differences"`
}

// Driver plays one session.
type Driver struct {
	Session *script.Session
	// Timeout is the longest wait for one answer; 0: 30 s.
	Timeout time.Duration
	Ignore  []Pointer // places in answers that are not compared
	// MaxFrame is the largest message that is read; 0: 8 MiB.
	MaxFrame int
	// Tell receives the differences, in the order of the recording where the
	// server keeps to it.
	Tell func(*Difference) error
	// Stop, when closed, ends the play.
	Stop <-chan struct{}

	Result Result

	in      io.Writer
	live    chan incoming
	sent    map[jsonrpc.Key]*script.Line // the client's requests that wait
	answers map[int]*script.Line         // by the line of the request
	sentYet map[int]bool                 // likewise
	asks    []*ask
	ended   error
	at      int // line of the recording that is being played
}

// incoming is a message of the live server, or the end of its stream.
type incoming struct {
	raw []byte
	err error
}

// ask is a recorded request of the server with the client's recorded answer.
type ask struct {
	line   *script.Line
	answer *script.Line
	used   bool
}

// errStopped ends a play from outside.
var errStopped = errors.New("interrupted")

// Play writes the client's messages to in and reads the server's from out. It
// returns when all has been said, or nothing more can come; in is not closed.
func (d *Driver) Play(in io.Writer, out io.Reader) error {
	d.in = in
	if d.Timeout <= 0 {
		d.Timeout = 30 * time.Second
	}
	if d.MaxFrame <= 0 {
		d.MaxFrame = 8 << 20
	}
	d.index()
	d.live = make(chan incoming)
	quit := make(chan struct{})
	defer close(quit)
	go func() {
		m := guard.NewMessages(out, d.MaxFrame)
		for {
			raw, err := m.Next()
			select {
			case d.live <- incoming{raw, err}:
			case <-quit:
				return
			}
			if err != nil && !errors.Is(err, guard.ErrOverCap) {
				return
			}
		}
	}()
	return d.play()
}

// index pairs requests with their answers, of both sides.
func (d *Driver) index() {
	d.sent, d.answers, d.sentYet = map[jsonrpc.Key]*script.Line{}, map[int]*script.Line{}, map[int]bool{}
	client, server := map[jsonrpc.Key]*script.Line{}, map[jsonrpc.Key]*ask{}
	for i := range d.Session.Lines {
		l := &d.Session.Lines[i]
		k, ok := jsonrpc.IDKey(l.ID)
		if !ok || l.ID == nil {
			continue
		}
		fromClient := l.Dir == analyze.ClientToServer
		switch {
		case l.IsRequest() && fromClient:
			client[k] = l
		case l.IsRequest():
			a := &ask{line: l}
			server[k] = a
			d.asks = append(d.asks, a)
		case fromClient:
			if a := server[k]; a != nil {
				a.answer = l
				delete(server, k)
			}
		default:
			if q := client[k]; q != nil {
				d.answers[q.Number] = l
				delete(client, k)
			}
		}
	}
}

// play goes through the recording. A message of the client is sent when all
// that stands before it in the recording has come: answers to its requests, and
// the server's requests that it answers.
func (d *Driver) play() error {
	pending := map[jsonrpc.Key]bool{} // answers that must come before the client goes on
	for i := range d.Session.Lines {
		l := &d.Session.Lines[i]
		d.at = i
		k, _ := jsonrpc.IDKey(l.ID)
		if l.Dir == analyze.ServerToClient {
			if l.IsAnswer() {
				pending[k] = true
			}
			continue
		}
		if l.IsAnswer() {
			// Sent when the live server asks: see asked. Here the play waits
			// until it has.
			if err := d.until(func() bool { return d.answeredAsk(l) }, l, "the server asked", "the server did not ask"); err != nil {
				return d.over(err)
			}
			continue
		}
		for id := range pending {
			if err := d.until(func() bool { return d.sent[id] == nil }, d.sent[id], "", ""); err != nil {
				return d.over(err)
			}
			delete(pending, id)
		}
		if l.IsRequest() {
			if d.sent[k] != nil { // the id is used again: what it asked first has no answer
				delete(d.sent, k)
			}
			d.sent[k], d.sentYet[i] = l, true
			d.Result.Requests++
		}
		if err := d.send(l.Raw); err != nil {
			return d.over(err)
		}
	}
	// The rest of the answers that were recorded.
	for k, l := range d.sent {
		if d.answers[l.Number] == nil {
			delete(d.sent, k)
		}
	}
	return d.over(d.until(func() bool { return len(d.sent) == 0 }, nil, "", ""))
}

func (d *Driver) send(raw []byte) error {
	if d.Session.Framing == guard.Newline {
		raw = script.OneLine(raw)
	}
	if _, err := d.in.Write(guard.Wrap(raw, d.Session.Framing)); err != nil && d.ended == nil {
		d.ended = io.EOF // what the server wrote before it went is still read
	}
	return nil
}

// until takes what the server sends until done. l is the message that waits,
// and what to say where the time runs out.
func (d *Driver) until(done func() bool, l *script.Line, recorded, live string) error {
	timer := time.NewTimer(d.Timeout)
	defer timer.Stop()
	for !done() {
		select {
		case m := <-d.live:
			if errors.Is(m.err, guard.ErrOverCap) {
				if err := d.tell(&Difference{Method: "", Recorded: "messages under the cap", Live: m.err.Error()}); err != nil {
					return err
				}
				continue
			}
			if m.err != nil {
				d.ended = io.EOF
				return io.EOF
			}
			if err := d.frame(m.raw); err != nil {
				return err
			}
			timer.Reset(d.Timeout)
		case <-timer.C:
			if l != nil && l.Method == "" { // an answer that nobody has asked for
				return d.tell(&Difference{Line: l.Source, ID: token(l.ID), Method: "answer of the client", Recorded: recorded, Live: live})
			}
			return d.missing(fmt.Sprintf("none within %s", d.Timeout))
		case <-d.Stop:
			return errStopped
		}
	}
	return nil
}

// over ends a play: what still waits will not be answered.
func (d *Driver) over(err error) error {
	if errors.Is(err, io.EOF) || err == nil && d.ended != nil {
		err := d.missing(serverEnded)
		for i := d.at; i < len(d.Session.Lines) && err == nil; i++ {
			l := &d.Session.Lines[i]
			if a := d.answers[i]; a != nil && l.Dir == analyze.ClientToServer && !d.sentYet[i] {
				err = d.tell(d.about(l, a, "", show(a.Raw), serverEnded))
			}
		}
		return err
	}
	return err
}

// missing reports every answer that the recording has and the live server has
// not given.
func (d *Driver) missing(why string) error {
	var first error
	for i := range d.Session.Lines {
		l := &d.Session.Lines[i]
		k, _ := jsonrpc.IDKey(l.ID)
		if l.Dir != analyze.ClientToServer || !l.IsRequest() || d.sent[k] != l {
			continue
		}
		delete(d.sent, k)
		if a := d.answers[l.Number]; a != nil && first == nil {
			first = d.tell(d.about(l, a, "", show(a.Raw), why))
		}
	}
	return first
}

func (d *Driver) tell(x *Difference) error {
	d.Result.Differences++
	if d.Tell == nil {
		return nil
	}
	return d.Tell(x)
}

func (d *Driver) about(q, a *script.Line, pointer, recorded, live string) *Difference {
	return &Difference{Line: a.Source, ID: token(q.ID), Method: q.Method, Target: q.Target, Pointer: pointer, Recorded: recorded, Live: live}
}

func token(id []byte) string { return string(id[:min(len(id), 128)]) }
