package pretty

import (
	"bytes"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
)

// Finder finds the secrets in a text: byte ranges in order that don't overlap,
// good until the next call.
type Finder func(text []byte) []secret.Match

// Frame is a frame whose secrets are known, so that every layout shows them in
// their redaction form. What stands in quotes is a string and is read as it is
// decoded, however it is escaped; what does not is text.
type Frame struct {
	bare    []byte           // as it came
	raw     []byte           // the same with the secrets outside of strings redacted
	secrets map[int][]hidden // of strings in raw, by their place
	holds   bool             // any secret
	masked  []byte
}

// hidden is a secret in a string: its code points behind the first few give way
// to its form.
type hidden struct {
	from, to int // code points that are not shown
	form     string
}

// NewFrame looks for the secrets in raw. Without a finder there are none.
func NewFrame(raw []byte, find Finder) *Frame {
	f := &Frame{bare: raw, raw: raw}
	if find == nil {
		return f
	}
	if t := bytes.TrimLeft(raw, " \t\r\n"); len(t) > 0 && bytes.IndexByte([]byte(`{["`), t[0]) < 0 {
		if found := find(raw); len(found) > 0 { // no JSON: a text, quotes and all
			raw = secret.Replace(raw, found)
			f.raw, f.holds = raw, true
		}
	}
	var out, text []byte
	kept := 0 // bytes of raw that are in out
	for i := 0; i < len(raw); {
		open := len(raw)
		if n := bytes.IndexByte(raw[i:], '"'); n >= 0 {
			open = i + n
		}
		for _, m := range find(raw[i:open]) {
			out = append(out, raw[kept:i+m.Start]...)
			out = secret.AppendRedacted(out, raw[i+m.Start:i+m.End])
			kept = i + m.End
		}
		if open == len(raw) {
			break
		}
		i = stringEnd(raw, open)
		body := inside(raw[open:i])
		t := body
		if bytes.IndexByte(body, '\\') >= 0 || !utf8.Valid(body) {
			text, _ = jsonrpc.Unquote(text[:0], body)
			t = text
		}
		if found := find(t); len(found) > 0 {
			if f.secrets == nil {
				f.secrets = map[int][]hidden{}
			}
			f.secrets[len(out)+open-kept] = hide(t, found)
		}
	}
	f.holds = f.holds || kept > 0 || len(f.secrets) > 0
	if kept > 0 {
		f.raw = append(out, raw[kept:]...)
	}
	return f
}

// hide counts in code points where the secrets of a text stand.
func hide(text []byte, found []secret.Match) []hidden {
	out := make([]hidden, len(found))
	at, cp := 0, 0
	for i, m := range found {
		cp += utf8.RuneCount(text[at:m.Start])
		gone := text[m.Start:m.End]
		n := utf8.RuneCount(gone)
		keep := min(4, n/2)
		form := secret.AppendRedacted(nil, gone)
		for range keep {
			_, size := utf8.DecodeRune(form)
			form = form[size:]
		}
		out[i] = hidden{cp + keep, cp + n, string(form)}
		at, cp = m.End, cp+n
	}
	return out
}

// inside is what stands between the quotes of a string token, whose last one may
// be missing.
func inside(tok []byte) []byte {
	tok = tok[1:]
	if n := len(tok); n > 0 && tok[n-1] == '"' {
		escapes := 0
		for escapes < n-1 && tok[n-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			tok = tok[:n-1]
		}
	}
	return tok
}

// Bytes is the frame with its secrets in their redaction form, else as it came.
func (f *Frame) Bytes() []byte {
	switch {
	case len(f.secrets) == 0:
		return f.raw
	case f.masked != nil:
		return f.masked
	}
	out := make([]byte, 0, len(f.raw))
	for i := 0; i < len(f.raw); {
		n := bytes.IndexByte(f.raw[i:], '"')
		if n < 0 {
			out = append(out, f.raw[i:]...)
			break
		}
		out = append(out, f.raw[i:i+n]...)
		i += n
		end := stringEnd(f.raw, i)
		out = f.token(out, i, end)
		i = end
	}
	f.masked = out
	return out
}

// token appends the string that stands at [i, end) with its secrets redacted.
func (f *Frame) token(dst []byte, i, end int) []byte {
	gone := f.secrets[i]
	if len(gone) == 0 {
		return append(dst, f.raw[i:end]...)
	}
	tok := f.raw[i:end]
	dst = append(dst, tok[0])
	body := inside(tok)
	cp := 0
	for at := 0; at < len(body); cp++ {
		n := unitLen(body[at:])
		for len(gone) > 0 && gone[0].to <= cp {
			gone = gone[1:]
		}
		switch {
		case len(gone) == 0:
			dst = append(dst, body[at:]...)
			return append(dst, tok[1+len(body):]...)
		case cp < gone[0].from:
			dst = append(dst, body[at:at+n]...)
		case cp == gone[0].from:
			dst = append(dst, gone[0].form...)
		}
		at += n
	}
	return append(dst, tok[1+len(body):]...)
}

// unitLen is the length of the character or escape that b begins with: one code
// point of the decoded string.
func unitLen(b []byte) int {
	if b[0] == '\\' {
		return escapeLen(b)
	}
	_, n := utf8.DecodeRune(b)
	return n
}
