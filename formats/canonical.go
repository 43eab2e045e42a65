package formats

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// AppendCanonical appends rec as a line of the canonical form, with its line
// feed (formats.md, "The canonical form"). The frame's bytes are embedded as
// they are; bytes that are not one JSON object or array, or hold a raw line
// break, go as raw_b64. What the form has no place for (KindBad, KindStderr)
// appends nothing.
func AppendCanonical(dst []byte, rec *Record) []byte {
	l := canonLine{append(dst, '{'), true}
	switch rec.Kind {
	case KindBad, KindStderr:
		return dst
	case KindMeta:
		l.json("meta", rec.Frame)
	}
	if rec.Dir != analyze.Unknown {
		l.text("direction", rec.Dir.String())
	}
	if rec.TS != 0 {
		l.key("ts")
		l.b = append(l.b, '"')
		l.b = time.Unix(0, rec.TS).UTC().AppendFormat(l.b, time.RFC3339Nano)
		l.b = append(l.b, '"')
	}
	switch rec.Kind {
	case KindFrame:
		if embeddable(rec) {
			l.key("frame")
			l.b = append(l.b, rec.Frame...)
		} else {
			l.base64("raw_b64", rec.Frame)
		}
	case KindOverCap:
		l.overCap(rec)
	case KindText:
		l.json("text", rec.Frame)
	case KindBinary:
		if rec.Frame != nil {
			l.base64("binary_b64", rec.Frame)
		} else {
			l.number("binary_len", rec.Size)
		}
	}
	if len(rec.Session) > 0 {
		l.text("session", string(rec.Session))
	}
	if rec.Seq >= 0 {
		l.number("seq", rec.Seq)
	}
	if rec.Flags&ContentLength != 0 {
		l.text("framing", "content-length")
	}
	if rec.Candidate != nil {
		l.json("candidate", rec.Candidate)
	}
	for _, f := range [...]struct {
		f    Flags
		name string
	}{{Truncated, "truncated"}, {Elided, "elided"}, {Redacted, "redacted"}, {Synthetic, "synthetic"}, {Batched, "batch"}} {
		if rec.Flags&f.f != 0 || f.f == Truncated && rec.Kind == KindOverCap {
			l.json(f.name, []byte("true"))
		}
	}
	if rec.HTTP != nil {
		l.json("http", rec.HTTP)
	}
	return append(l.b, '}', '\n')
}

// embeddable reports a frame that comes back as it is from `"frame":`.
func embeddable(rec *Record) bool {
	f := rec.Frame
	if len(f) == 0 || bytes.IndexByte(f, '\n') >= 0 {
		return false
	}
	if !opensValue(f[0]) && (rec.Flags&Embedded == 0 || jsonInside(f) != nil) {
		return false
	}
	var l letter
	n, st := l.feed(f)
	return st == stateDone && n == len(f)
}

// jsonInside is the object or array that a JSON string holds; nil if none.
func jsonInside(raw []byte) []byte {
	c := content(raw)
	if c == nil {
		return nil
	}
	if t, _ := trimSpace(c); len(t) == 0 || !opensValue(t[0]) && t[0] != '\\' {
		return nil
	}
	inner, ok := jsonrpc.Unquote(nil, c)
	if !ok {
		return nil
	}
	if inner, _ = trimSpace(inner); len(inner) == 0 || !opensValue(inner[0]) {
		return nil
	}
	return inner
}

type canonLine struct {
	b     []byte
	first bool
}

func (l *canonLine) key(k string) {
	if !l.first {
		l.b = append(l.b, ',')
	}
	l.first = false
	l.b = append(append(append(l.b, '"'), k...), '"', ':')
}

func (l *canonLine) text(k, v string) {
	l.key(k)
	l.b = jsonrpc.AppendQuoted(l.b, v)
}

func (l *canonLine) number(k string, n int64) {
	l.key(k)
	l.b = strconv.AppendInt(l.b, n, 10)
}

func (l *canonLine) base64(k string, v []byte) {
	l.key(k)
	l.b = append(l.b, '"')
	l.b = base64.StdEncoding.AppendEncode(l.b, v)
	l.b = append(l.b, '"')
}

// json embeds a value beside the frame. A raw line break stands only between
// tokens and becomes a space; what is no JSON (a lenient reader took it)
// becomes null, so that the line stays readable.
func (l *canonLine) json(k string, raw []byte) {
	l.key(k)
	var by letter
	if n, st := by.feed(raw); st != stateDone || !blank(raw[n:]) {
		raw = []byte("null")
	}
	from := len(l.b)
	l.b = append(l.b, raw...)
	for i, c := range l.b[from:] {
		if c == '\n' || c == '\r' {
			l.b[from+i] = ' '
		}
	}
}

// overCap writes what is known of a frame that was too large to record.
func (l *canonLine) overCap(rec *Record) {
	l.key("over_cap")
	in := canonLine{append(l.b, '{'), true}
	in.number("size", rec.Size)
	if s := rec.Skim; s != nil {
		if s.Has&jsonrpc.HasID != 0 && s.ID != nil {
			in.json("id", s.ID)
		}
		if s.Has&jsonrpc.HasMethod != 0 {
			in.text("method", string(s.Method))
		}
		if s.Has&jsonrpc.HasName != 0 {
			in.text("name", string(s.Name))
		}
		if s.Has&jsonrpc.HasResult != 0 {
			in.json("result", []byte("true"))
		}
		if s.Has&jsonrpc.HasError != 0 {
			in.json("error", []byte("true"))
		}
	}
	l.b = append(in.b, '}')
}
