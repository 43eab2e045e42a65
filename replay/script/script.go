// Package script reads one recorded session whole, as the lines that its two
// sides speak, for the drivers that play one side of it against a live other
// (replay.md, "More drivers").
package script

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/offline"
)

// Line is one message of a session. A batch is as many lines as it has
// messages.
type Line struct {
	Dir    analyze.Direction
	Number int   // from 0, in the session
	Frame  int   // number of its frame in the session
	Source int64 // line of the trace
	Raw    []byte
	ID     []byte // raw token; nil without
	Method string // "" for an answer
	Params []byte
	Target string // params.name or params.uri
	Error  bool   // an answer that is an error
}

// IsRequest reports a message that asks for an answer.
func (l *Line) IsRequest() bool { return l.Method != "" && l.ID != nil }

// IsAnswer reports the answer to a request.
func (l *Line) IsAnswer() bool { return l.Method == "" && l.ID != nil }

// Key is what two requests have in common that ask for the same: the method
// and the canonical parameters, without what belongs to one run (_meta).
func (l *Line) Key() string { return Key(l.Method, l.Params) }

// Key is the key of a request with that method and those raw parameters.
func Key(method string, params []byte) string {
	p := params
	if Member(params, "_meta") != nil {
		var b bytes.Buffer
		b.WriteByte('{')
		jsonrpc.Each(params, func(k string, v []byte, _ int) bool {
			if k != "_meta" {
				if b.Len() > 1 {
					b.WriteByte(',')
				}
				b.Write(jsonrpc.AppendQuoted(nil, k))
				b.WriteByte(':')
				b.Write(v)
			}
			return true
		})
		b.WriteByte('}')
		p = b.Bytes()
	}
	if c := jsontext.Value(bytes.Clone(p)); len(c) > 0 && c.Canonicalize() == nil {
		p = c
	}
	if s := string(bytes.TrimSpace(p)); s != "" && s != "{}" && s != "null" {
		return method + " " + s
	}
	return method
}

// Member is the raw value at a path of exact keys; nil where there is none.
func Member(raw []byte, path ...string) []byte {
	if raw == nil {
		return nil
	}
	return jsonrpc.Lookup(raw, path...)
}

// Target is params.name or params.uri: what a request is about.
func Target(params []byte) string {
	for _, key := range []string{"name", "uri"} {
		if s, ok := jsonrpc.LookupString(params, key); ok {
			return s
		}
	}
	return ""
}

// Session is a recorded session.
type Session struct {
	Trace, Name string
	Framing     guard.Framing // of its frames
	Lines       []Line
	Passed      int // frames that are no messages, or were not recorded whole
}

// Options choose and bound what is loaded.
type Options struct {
	Name    string // of what is loaded, for errors
	Config  *replay.Config
	Formats formats.Options
	Session *string // its name; nil: the only one
	MaxSize int64   // bytes of all messages; 0: DefaultMaxSize
	Warn    func(string)
}

// DefaultMaxSize bounds a session that is held in memory.
const DefaultMaxSize = 256 << 20

// Error is why a session could not be loaded, and what to do about it.
type Error struct{ text, hint string }

func (e *Error) Error() string { return e.text }

// Advice says what to do.
func (e *Error) Advice() string { return e.hint }

// Load reads one session. An error names the trace, and is an Error where there
// is something to do about it.
func Load(inputs iter.Seq2[*formats.Input, error], o Options) (*Session, error) {
	l := &loader{o: o, stop: make(chan struct{}), sessions: map[*replay.Session]*Session{}}
	if l.o.MaxSize <= 0 {
		l.o.MaxSize = DefaultMaxSize
	}
	_, err := offline.Run(inputs, offline.Options{Config: o.Config, Formats: o.Formats, Jobs: 1, Handler: l,
		Observe: l.observe, Interrupt: l.stop})
	switch {
	case l.err != nil:
		return nil, l.err
	case err != nil:
		return nil, err
	case l.all == 0:
		return nil, l.wrong("name a recording of a session", "no session in it: there are no frames")
	case len(l.found) == 0:
		return nil, l.wrong("choose one of these with --session", "no session %q; there are: %s", safe.Name(*o.Session), l.listed())
	case len(l.found) > 1 && l.traces > 1:
		return nil, l.wrong("name one trace", "%d sessions in %d traces", l.all, l.traces)
	case len(l.found) > 1:
		return nil, l.wrong("choose one with --session", "%d sessions: %s", l.all, l.listed())
	}
	return l.found[0], nil
}

// wrong is an error about all that was loaded.
func (l *loader) wrong(hint, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if l.o.Name != "" {
		text = safe.Name(l.o.Name) + ": " + text
	}
	return &Error{text, hint}
}

// listed names sessions.
func (l *loader) listed() string {
	list := strings.Join(l.names, ", ")
	if more := l.all - len(l.names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// namedSessions is how many sessions an error names.
const namedSessions = 10

type loader struct {
	o        Options
	sessions map[*replay.Session]*Session
	found    []*Session
	names    []string
	all      int
	trace    string // of the latest session
	traces   int    // that have a session
	size     int64
	stop     chan struct{}
	err      error
}

func (l *loader) fail(err error) {
	if l.err == nil {
		l.err = err
		close(l.stop)
	}
}

func (l *loader) observe(o *offline.Observation) {
	if o.Record == nil || l.err != nil {
		return
	}
	s, known := l.sessions[o.Session]
	if !known {
		l.all++
		if l.traces == 0 || l.trace != o.Trace {
			l.trace = o.Trace
			l.traces++
		}
		if len(l.names) < namedSessions {
			l.names = append(l.names, fmt.Sprintf("%q", safe.Name(o.Session.Name)))
		}
		if l.o.Session == nil || *l.o.Session == o.Session.Name {
			s = &Session{Trace: o.Trace, Name: o.Session.Name, Framing: guard.Newline}
			l.found = append(l.found, s)
		}
		l.sessions[o.Session] = s
	}
	if s == nil || len(l.found) > 1 {
		return
	}
	r := o.Record
	if r.Flags&formats.ContentLength != 0 {
		s.Framing = guard.ContentLength
	}
	if r.Kind != formats.KindFrame || o.Event.Frame == nil || r.Flags&(formats.Truncated|formats.Elided) != 0 || o.Outcome.Dir == analyze.Unknown {
		s.Passed++
		return
	}
	parts := o.Event.Frame.Parts()
	for i := range parts {
		m := &parts[i].Msg
		if parts[i].Err != "" || m.Raw == nil {
			s.Passed++
			continue
		}
		if l.size += int64(len(m.Raw)) + 256; l.size > l.o.MaxSize {
			l.fail(&Error{fmt.Sprintf("%s: the session is too large to be held in memory (%d bytes at most)", safe.Name(o.Trace), l.o.MaxSize),
				"--max-document-bytes raises the bound"})
			return
		}
		s.add(m, o)
	}
	if len(parts) == 0 {
		s.Passed++
	}
}

// add keeps one message.
func (s *Session) add(m *jsonrpc.Message, o *offline.Observation) {
	raw := bytes.Clone(m.Raw)
	n := Line{Dir: o.Outcome.Dir, Number: len(s.Lines), Frame: o.Event.Place.Frame, Source: o.Record.Line, Raw: raw,
		ID: bytes.Clone(m.ID), Error: m.Has&jsonrpc.HasError != 0}
	if m.Has&jsonrpc.HasMethod != 0 && !m.IsResponse() {
		n.Method, n.Params = string(m.Method), bytes.Clone(m.Params)
		n.Target = Target(n.Params)
	} else if !m.IsResponse() {
		s.Passed++
		return
	}
	s.Lines = append(s.Lines, n)
}

// Problem, Finding, Trace, Close and Abort make the loader a report handler.
func (l *loader) Problem(p *report.Problem) error {
	if !p.Fatal {
		return nil
	}
	switch {
	case p.Parse && l.o.Warn != nil:
		l.o.Warn(secret.Scrub(p.String()) + "; it is passed over")
	case p.Parse:
	case p.Trace == "": // the input could not be opened
		l.fail(&Error{secret.Scrub(p.String()), "check the name and its permissions"})
	case p.Offset > 0: // damaged there
		l.fail(&Error{secret.Scrub(p.String()), "warden-inspect convert makes a recording of what can be read of it"})
	default:
		l.fail(&Error{secret.Scrub(p.String()), ""})
	}
	return nil
}
func (l *loader) Finding(*analyze.Finding) error { return nil }
func (l *loader) Trace(*report.Trace) error      { return nil }
func (l *loader) Close(*report.Summary) error    { return nil }
func (l *loader) Abort()                         {}
