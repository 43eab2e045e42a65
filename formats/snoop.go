package formats

import (
	"bytes"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// snoopState keeps what consecutive mcpsnoop envelopes mostly share.
type snoopState struct {
	session, conn []byte // raw tokens that key was made of
	key           []byte
	id            []byte // of the session alone
}

// joined is the correlation key: the session, and on HTTP its connection.
func (s *snoopState) joined(session, conn []byte) []byte {
	if s.key != nil && bytes.Equal(s.session, session) && bytes.Equal(s.conn, conn) {
		return s.key
	}
	s.session, s.conn = bytes.Clone(session), bytes.Clone(conn)
	id, c := sessionKey(session), sessionKey(conn)
	s.id = id
	s.key = append(make([]byte, 0, len(id)+1+len(c)), id...)
	if len(c) > 0 {
		s.key = append(append(s.key, '/'), c...)
	}
	return s.key
}

// emitSnoop emits an mcpsnoop envelope (formats.md 3.2).
func (d *lineDecoder) emitSnoop(e *envelope, m *jsonrpc.Message, line []byte, lineNo, base, frameOff int64, visit Visit) {
	r := &d.rec
	*r = Record{Line: lineNo, Offset: base}
	d.fill(r, e)
	r.Session = d.snoop.joined(e.get(keySession), e.get(keyConn))
	r.numbered = d.snoop.id
	if len(r.Session) == 0 {
		r.Session = nil
	}
	if e.has(keyStatus) || e.has(keyHeader) {
		r.HTTP = snoopHTTP(e, line)
	}
	raw, text := e.get(keyFrame), content(e.get(keyText))
	if raw != nil && (len(raw) == 0 || raw[0] == 'n') && text != nil {
		raw = nil
	}
	switch w := wayOf(content(e.get(keyDir))); {
	case w == wayMeta:
		r.Kind, r.Frame = KindMeta, raw
		if raw == nil {
			r.Frame = e.get(keyText)
		}
	case w == wayStderr:
		r.Kind = KindStderr
		r.Frame, _ = jsonrpc.Unquote(nil, text)
		if text == nil {
			r.Frame = raw
		}
	case raw != nil && m != nil:
		r.Frame, r.Size, r.Offset = m.Raw, int64(len(m.Raw)), frameOff
		if len(r.Frame) > d.max {
			overCap(r)
			m = nil
		}
		visit(r, m)
		return
	case raw != nil:
		r.Offset = frameOff
		d.value(r, raw, visit)
		return
	case text != nil:
		// A line on a protocol stream that is no JSON: what the peer saw.
		line, _ := jsonrpc.Unquote(nil, text)
		d.inner(r, line, visit)
		return
	case e.has(keyStatus):
		r.Kind = KindHTTP
	default:
		r.Kind, r.Err = KindBad, "an mcpsnoop envelope without raw or text"
	}
	r.Size = int64(len(r.Frame))
	visit(r, nil)
}

// snoopHeaders are the names under which mcpsnoop keeps headers.
var snoopHeaders = map[string]string{
	"auth_challenge": "WWW-Authenticate", "mcp_method": "Mcp-Method", "mcp_name": "Mcp-Name",
	"mcp_protocol_version": "MCP-Protocol-Version",
}

// snoopHTTP gathers what the recorder kept of the HTTP exchange into the
// canonical http member. line is the whole envelope.
func snoopHTTP(e *envelope, line []byte) []byte {
	out := []byte("{")
	if s := e.get(keyStatus); s != nil {
		out = append(append(out, `"status":`...), s...)
	}
	sep := `"headers":{`
	if len(out) > 1 {
		sep = `,"headers":{`
	}
	empty := len(out)
	add := func(name string, raw []byte) {
		out = append(out, sep...)
		out = jsonrpc.AppendQuoted(out, name)
		out = append(append(out, ':'), raw...)
		sep = ","
	}
	jsonrpc.Each(line, func(key string, value []byte, _ int) bool {
		if name, ok := snoopHeaders[key]; ok && len(value) > 0 && value[0] == '"' {
			add(name, value)
		} else if key == "mcp_param_headers" {
			for _, h := range elements(value) {
				if name, ok := jsonrpc.LookupString(h, "name"); ok {
					if v := jsonrpc.Lookup(h, "value"); len(v) > 0 && v[0] == '"' {
						add(name, v)
					}
				}
			}
		}
		return true
	})
	if len(out) > empty {
		out = append(out, '}')
	}
	return append(out, '}')
}

// elements are the raw elements of an array whose syntax is trusted.
func elements(raw []byte) (out [][]byte) {
	if len(raw) < 2 || raw[0] != '[' {
		return nil
	}
	var l letter
	l.lenient = true
	for i := 1; i < len(raw); {
		for i < len(raw) && (isSpace(raw[i]) || raw[i] == ',') {
			i++
		}
		l.reset()
		n, st := l.feed(raw[i:])
		if st != stateDone {
			break
		}
		out = append(out, raw[i:i+n])
		i += n
	}
	return out
}
