package report

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Bounds, in bytes, on what one field of a report holds. A trace may name a
// tool with two megabytes and have a thousand findings on it; without bounds a
// report could be far larger than its trace.
const (
	maxName    = 512  // tool, method, session, id
	maxText    = 4096 // message, snippet, pointer, trace
	maxNumber  = 64   // digits of an id that is a number
	maxMatched = 1000 // entries of matched phrases, and spans
)

// view is a finding as a report may show it: redacted and bounded, not yet
// escaped for any medium.
type view struct {
	*analyze.Finding
	tool, session, method     string
	message, snippet, pointer string
	trace                     string
	id                        rpcID
}

// rpcID is a request id as a report may show it.
type rpcID struct {
	kind idKind
	text string // the number's token, or the string's value
}

type idKind uint8

const (
	idNone   idKind = iota // no id, null, or what is no id (true, an array)
	idNumber               // text is a JSON number of bounded length
	idString               // text is the decoded string
	idHuge                 // a number too long to be shown whole: text is a cut form
)

// lens makes views. It keeps one name of each kind, since findings come in
// runs that share theirs.
type lens struct {
	tool, session, method, id safe.Namer
	message, trace, matched   safe.Namer
	snippet, pointer          safe.Namer
	v                         view
	seen                      *lens // of all reports of the run, for view alone

	rawID  []byte
	lastID rpcID
}

func newLens(run *Run) *lens {
	scrub := run.Scrub
	if scrub == nil {
		scrub = secret.Scrub
	}
	name := safe.Namer{Scrub: scrub, Max: maxName}
	text := safe.Namer{Scrub: scrub, Max: maxText}
	l := lens{
		tool: name, session: name, method: name, id: name, matched: name,
		message: text, snippet: text, pointer: text,
		// Trace paths are never redacted (catalog.md, "Redaction").
		trace: safe.Namer{Max: maxText},
	}
	if run.seen == nil {
		seen := l
		run.seen = &seen
	}
	l.seen = run.seen
	return &l
}

// view returns f's view; it is good until the next call.
func (l *lens) view(f *analyze.Finding) *view {
	s := l.seen
	l.v = view{
		Finding: f,
		tool:    s.tool.Raw(f.Tool),
		session: s.session.Raw(f.Session),
		method:  s.method.Raw(f.Method),
		message: s.message.Raw(f.Message),
		snippet: s.snippet.Raw(f.Snippet),
		pointer: s.pointer.Raw(f.Pointer),
		trace:   s.trace.Raw(f.Trace),
		id:      s.rpcID(f.RPCID),
	}
	return &l.v
}

// rpcID reads the raw token of an id. Tokens come from a lenient reading too,
// so nothing is taken for granted: what is no number and no string counts as
// none.
func (l *lens) rpcID(raw []byte) rpcID {
	if l.rawID != nil && bytes.Equal(raw, l.rawID) {
		return l.lastID
	}
	id := l.readID(raw)
	if len(raw) <= maxName {
		l.rawID, l.lastID = append(l.rawID[:0], raw...), id
	}
	return id
}

func (l *lens) readID(raw []byte) rpcID {
	switch {
	case len(raw) == 0:
		return rpcID{}
	case raw[0] == '"':
		if len(raw) > safe.MaxScan {
			return rpcID{kind: idString, text: safe.Omitted(len(raw))}
		}
		if n := len(raw) - 1; n > 0 && raw[n] == '"' && plainID(raw[1:n]) {
			return rpcID{kind: idString, text: l.id.Raw(string(raw[1:n]))}
		}
		// encoding/json reads stray bytes and half surrogates as U+FFFD and is
		// strict otherwise, which is what is wanted here.
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return rpcID{}
		}
		return rpcID{kind: idString, text: l.id.Raw(text)}
	case raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9':
		if len(raw) > maxNumber {
			head := raw[:maxNumber/2]
			if len(bytes.Trim(head, "0123456789+-.eE")) > 0 {
				return rpcID{}
			}
			return rpcID{kind: idHuge, text: string(head) + safe.Omitted(len(raw))}
		}
		if !isNumber(raw) {
			return rpcID{}
		}
		return rpcID{kind: idNumber, text: string(raw)}
	}
	return rpcID{}
}

// plainID reports a string's content that stands for itself.
func plainID(in []byte) bool {
	for _, c := range in {
		if c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// isNumber reports a JSON number by the letter.
func isNumber(b []byte) bool {
	i, n := 0, len(b)
	digits := func() bool {
		at := i
		for i < n && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > at
	}
	if i < n && b[i] == '-' {
		i++
	}
	zero := i < n && b[i] == '0'
	at := i
	if !digits() || zero && i > at+1 {
		return false
	}
	if i < n && b[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < n && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < n && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == n
}

// shown is the id for a person: a number as it is, a string in quotes, "" for
// none. Still to be escaped.
func (id rpcID) shown() string {
	if id.kind == idString {
		return strconv.Quote(id.text)
	}
	return id.text
}

// told is the message, and that a baseline accepts the finding no more where
// its entry's day is past.
func (v *view) told() string {
	if s := v.Suppressed; s != nil && s.Expired {
		return v.message + " (" + isOver(s) + ")"
	}
	return v.message
}

func isOver(s *analyze.Suppression) string { return "accepted until " + s.Expires + ", which is over" }
