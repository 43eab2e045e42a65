package serve

import (
	"errors"
	"fmt"
	"io"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/script"
)

// Server answers one client from a recording. Its zero value with a Session is
// ready.
type Server struct {
	Session *script.Session
	// Note receives one-line notes for the user.
	Note func(string)
	// MaxFrame is the largest message that is read; 0: 8 MiB.
	MaxFrame int

	Answered  int // requests that were answered from the recording
	InOrder   int // of these, with other parameters: matched by order alone
	Unmatched int // requests that got an error

	book    *book
	out     io.Writer
	framing guard.Framing
	running []*run // exchanges that wait for an answer of the client
}

// run is an exchange in progress: what is left to be sent.
type run struct {
	id, token []byte // the live client's
	left      []*script.Line
	answer    *script.Line
	after     []*script.Line
	waits     jsonrpc.Key // the server request whose answer it waits for
}

// maxRunning bounds the exchanges that wait at a time: a client that asks and
// never answers gets no further ones.
const maxRunning = 4096

// maxID bounds the bytes of a live id or token that is echoed.
const maxID = 64 << 10

// Serve reads the client's messages from in and writes the server's to out,
// until the stream ends.
func (s *Server) Serve(in io.Reader, out io.Writer) error {
	s.book, s.out = newBook(s.Session), out
	if s.Note == nil {
		s.Note = func(string) {}
	}
	if s.MaxFrame <= 0 {
		s.MaxFrame = 8 << 20
	}
	messages := guard.NewMessages(in, s.MaxFrame)
	begun := false
	for {
		raw, err := messages.Next()
		if errors.Is(err, guard.ErrOverCap) {
			s.Note(err.Error())
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the client: %w", err)
		}
		s.framing = messages.Framing()
		if !begun {
			begun = true
			if err := s.sendAll(s.book.first, nil); err != nil {
				return err
			}
		}
		if err := s.frame(raw); err != nil {
			return fmt.Errorf("writing to the client: %w", err)
		}
	}
}

// frame takes one frame of the client: a message, or a batch of them.
func (s *Server) frame(raw []byte) error {
	var f jsonrpc.Frame
	jsonrpc.Read(raw, analyze.Full, &f)
	if f.Err != "" || len(f.Msgs) == 0 {
		s.Unmatched++
		return s.refuse([]byte("null"), -32700, "parse error: the frame is no JSON-RPC message", "")
	}
	for i := range f.Msgs {
		if f.Errs[i] != "" {
			if err := s.refuse([]byte("null"), -32600, "invalid request: an element of the batch is no message", ""); err != nil {
				return err
			}
			continue
		}
		if err := s.message(&f.Msgs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) message(m *jsonrpc.Message) error {
	if m.Has&jsonrpc.HasMethod == 0 || m.IsResponse() {
		return s.answered(m.ID)
	}
	l := &script.Line{Dir: analyze.ClientToServer, Raw: m.Raw, ID: m.ID, Method: string(m.Method), Params: m.Params, Target: script.Target(m.Params)}
	if len(m.ID) > maxID {
		l.ID = []byte("null")
	}
	if l.Method == "notifications/cancelled" {
		s.cancel(script.Member(l.Params, "requestId"))
	}
	e, exact := s.book.find(l)
	if l.ID == nil {
		if e == nil {
			return nil
		}
		e.used = true
		return s.start(&run{after: e.after})
	}
	if e == nil {
		if l.Method == "ping" { // its answer is always the same
			s.Answered++
			return s.send(append(append([]byte(`{"jsonrpc":"2.0","id":`), l.ID...), `,"result":{}}`...))
		}
		return s.unmatched(l)
	}
	e.used = true
	if e.answer == nil && !e.cancelled {
		s.Unmatched++
		return s.refuse(l.ID, codeUnmatched, "the recording ends before the answer to this request", l.Method)
	}
	if !exact {
		s.InOrder++
		s.Note(fmt.Sprintf("id %s, %s: matched by order, the parameters differ from those recorded", safe.Name(string(l.ID)), about(l)))
	}
	token := script.Member(l.Params, "_meta", "progressToken")
	if len(token) > maxID {
		token = nil
	}
	return s.start(&run{id: l.ID, token: token, left: e.before, answer: e.answer, after: e.after})
}

// codeUnmatched is the error for a request that the recording can't answer.
const codeUnmatched = -32000

// unmatched refuses a request, and says what the recording lacks.
func (s *Server) unmatched(l *script.Line) error {
	s.Unmatched++
	code, why := codeUnmatched, "the recording has no further answer to such a request"
	if !s.book.known[l.Method] {
		code, why = -32601, "the recording has no request of this method"
	} else if l.Target != "" && len(s.book.byKind[kind(l)]) == 0 {
		why = "the recording has no request of this method about this name"
	}
	s.Note(fmt.Sprintf("id %s, %s: %s", safe.Name(string(l.ID)), about(l), why))
	return s.refuse(l.ID, code, why, l.Method)
}

func about(l *script.Line) string {
	if l.Target == "" {
		return safe.Name(l.Method)
	}
	return safe.Name(l.Method) + " " + safe.Name(l.Target)
}

func (s *Server) refuse(id []byte, code int, why, method string) error {
	b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":`, id, code)
	b = jsonrpc.AppendQuoted(b, "warden: "+why)
	b = append(b, `,"data":{"warden":true,"stage":"serve"`...)
	if method != "" {
		b = jsonrpc.AppendQuoted(append(b, `,"method":`...), safe.Name(method))
	}
	return s.send(append(b, "}}}"...))
}

// start runs an exchange as far as it goes without the client.
func (s *Server) start(r *run) error {
	if len(s.running) >= maxRunning {
		s.running = s.running[1:] // the one that has waited longest gets no answer
	}
	done, err := s.advance(r)
	if !done && err == nil {
		s.running = append(s.running, r)
	}
	return err
}

// advance sends what comes next. A request of the server waits for the client's
// answer, as it did when it was recorded.
func (s *Server) advance(r *run) (done bool, err error) {
	for len(r.left) > 0 {
		l := r.left[0]
		r.left = r.left[1:]
		if err := s.sendLine(l, r.token); err != nil {
			return true, err
		}
		if k, ok := jsonrpc.IDKey(l.ID); l.IsRequest() && ok {
			r.waits = k
			return false, nil
		}
	}
	if r.answer != nil {
		s.Answered++
		if err := s.send(script.WithID(r.answer.Raw, r.id)); err != nil {
			return true, err
		}
	}
	return true, s.sendAll(r.after, r.token)
}

func (s *Server) sendAll(lines []*script.Line, token []byte) error {
	for _, l := range lines {
		if err := s.sendLine(l, token); err != nil {
			return err
		}
	}
	return nil
}

// sendLine sends a message of the server. Progress goes under the live client's
// token; a client that gave none is told of none.
func (s *Server) sendLine(l *script.Line, token []byte) error {
	if l.Method == "notifications/progress" {
		if token == nil {
			return nil
		}
		return s.send(script.WithToken(l.Raw, token))
	}
	return s.send(l.Raw)
}

func (s *Server) send(raw []byte) error {
	if s.framing == guard.Newline {
		raw = script.OneLine(raw)
	}
	_, err := s.out.Write(guard.Wrap(raw, s.framing))
	return err
}

// answered lets the exchanges go on that wait for this answer of the client.
func (s *Server) answered(id []byte) error {
	k, ok := jsonrpc.IDKey(id)
	if !ok {
		return nil
	}
	for i, r := range s.running {
		if r.waits != k {
			continue
		}
		done, err := s.advance(r)
		if done {
			s.running = append(s.running[:i], s.running[i+1:]...)
		}
		return err
	}
	return nil
}

// cancel forgets an exchange that the client has given up: no answer follows.
func (s *Server) cancel(id []byte) {
	k, ok := jsonrpc.IDKey(id)
	if !ok {
		return
	}
	for i, r := range s.running {
		if have, _ := jsonrpc.IDKey(r.id); have == k && r.id != nil {
			s.running = append(s.running[:i], s.running[i+1:]...)
			return
		}
	}
}
