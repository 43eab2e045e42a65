package formats

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// envelope is what one line says around its frame: raw JSON values that point
// into the line.
type envelope struct {
	seen    uint32 // bit k: key k was there
	twice   uint32 // bit k: key k stood twice, and what it says is not the same to every reader
	odd     uint32 // bit k: key k stood there in another case, which is not that key
	val     [keyCount][]byte
	at      [keyCount]int // where in the line each value begins
	frameAt key           // keyFrame or keyAlias: which holds the frame in hand
}

func (e *envelope) has(k key) bool { return e.seen>>k&1 == 1 }

// get is the raw value of k, nil where it is missing.
func (e *envelope) get(k key) []byte {
	if !e.has(k) {
		return nil
	}
	return e.val[k]
}

func (e *envelope) put(k key, raw []byte, at int) {
	if e.has(k) {
		switch k {
		case keyAlias:
			// Several names for a frame: the value that is most like one.
			if frameRank(raw) <= frameRank(e.val[k]) {
				return
			}
		case keyTS:
			return // the first of `ts` and its aliases
		case keyVersion, keyMessage, keyHeader:
		default:
			e.twice |= 1 << k
		}
	}
	if holdsFrame>>k&1 == 1 {
		e.twice |= e.seen & holdsFrame &^ (1 << k) // frame beside raw_b64: two frames
	}
	e.seen |= 1 << k
	e.val[k], e.at[k] = raw, at
}

// holdsFrame are the keys whose value is the frame.
const holdsFrame = 1<<keyFrame | 1<<keyRawB64

// frameRank orders the values that may be a frame: an object with members of a
// message, any object, an array, a string that holds JSON, anything else.
func frameRank(raw []byte) int {
	switch {
	case len(raw) == 0:
		return 0
	case raw[0] == '{':
		if bytes.Contains(raw, []byte(`"jsonrpc"`)) || bytes.Contains(raw, []byte(`"method"`)) {
			return 5
		}
		return 4
	case raw[0] == '[':
		return 3
	case raw[0] == '"' && len(raw) > 2 && (raw[1] == '{' || raw[1] == '['):
		return 2
	}
	return 1
}

// isEnvelope tells an envelope from an object that is a bare frame without
// `jsonrpc`: it has a direction, or the canonical names of content.
func (e *envelope) isEnvelope() bool {
	const sure = 1<<keyDir | 1<<keyFrame | 1<<keyRawB64 | 1<<keyHTTP | 1<<keyMeta | 1<<keyBinaryB64 | 1<<keyBinaryLen | 1<<keyOverCap
	if e.seen&(1<<keyVersion) != 0 {
		return false
	}
	if e.seen&sure != 0 {
		return true
	}
	return e.has(keyAlias) && !e.has(keyMessage) && frameRank(e.val[keyAlias]) > 1
}

// fill sets the members that all kinds of records share.
func (d *lineDecoder) fill(r *Record, e *envelope) {
	r.Dir = d.dir(e)
	if d.o.Dir != analyze.Unknown && r.Dir == analyze.Unknown {
		r.Dir = d.o.Dir
	}
	if raw := e.get(keyTS); raw != nil {
		r.TS = d.time(raw)
	}
	if raw := e.get(keySession); raw != nil {
		r.Session = sessionKey(raw)
	}
	r.Seq = -1
	if raw := e.get(keySeq); raw != nil {
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && n >= 0 {
			r.Seq = n
		}
	}
	const flags = 1<<keyTruncated | 1<<keyElided | 1<<keyRedacted | 1<<keySynthetic | 1<<keyBatch | 1<<keyFraming
	if e.seen&flags != 0 {
		r.Flags |= e.flags()
	}
	r.Candidate, r.HTTP = e.get(keyCandidate), e.get(keyHTTP)
}

func (e *envelope) flags() Flags {
	var f Flags
	for _, p := range [...]struct {
		k key
		f Flags
	}{{keyTruncated, Truncated}, {keyElided, Elided}, {keyRedacted, Redacted}, {keySynthetic, Synthetic}} {
		if isTrue(e.get(p.k)) {
			f |= p.f
		}
	}
	if raw := e.get(keyBatch); raw != nil && !bytes.Equal(raw, []byte("false")) && !bytes.Equal(raw, []byte("null")) {
		f |= Batched
	}
	if bytes.Equal(e.get(keyFraming), []byte(`"content-length"`)) {
		f |= ContentLength
	}
	return f
}

func (d *lineDecoder) dir(e *envelope) analyze.Direction {
	raw := e.get(keyDir)
	if raw == nil {
		if um := e.get(keyUnderMeta); um != nil {
			raw = jsonrpc.Lookup(um, "dir")
		}
	}
	word := content(raw)
	if word == nil {
		return analyze.Unknown
	}
	return wayOf(word).direction(d.out)
}

func (d *lineDecoder) time(raw []byte) int64 {
	if c := content(raw); c != nil {
		raw = c
	}
	loc := d.o.Location
	if loc == nil {
		loc = time.UTC
	}
	ns, _ := parseTime(raw, loc)
	return ns
}

// sessionKey is the decoded string, or another value as it is spelled; null
// says nothing.
func sessionKey(raw []byte) []byte {
	c := content(raw)
	switch {
	case c == nil && (len(raw) == 0 || raw[0] == 'n'):
		return nil
	case c == nil:
		return raw
	case len(c) == 0:
		return nil
	case bytes.IndexByte(c, '\\') >= 0:
		c, _ = jsonrpc.Unquote(nil, c)
	}
	return c
}

// emit hands on the record of an envelope whose frame, if it has one that is
// strict JSON and an object, was parsed into m. base is the offset of line[0].
func (d *lineDecoder) emit(e *envelope, m *jsonrpc.Message, lineNo, base, frameOff int64, visit Visit) {
	r := &d.rec
	*r = Record{Line: lineNo, Offset: base}
	d.fill(r, e)
	if e.frameAt != keyNone && m != nil {
		r.Frame, r.Size = m.Raw, int64(len(m.Raw))
		r.Offset = frameOff
		if len(r.Frame) > d.max {
			overCap(r)
			m = nil
		}
		visit(r, m)
		return
	}
	k := keyNone
	for _, c := range [...]key{keyFrame, keyRawB64, keyOverCap, keyMeta, keyBinaryB64, keyBinaryLen, keyText, keyAlias, keyHTTP} {
		if !e.has(c) || c == keyText && e.has(keyAlias) && frameRank(e.val[keyAlias]) > 1 {
			continue
		}
		if c == keyMeta && (e.has(keyDir) || e.has(keyAlias)) {
			continue // another tool's note beside a frame
		}
		k = c
		break
	}
	raw := e.val[k]
	switch k {
	case keyNone:
		r.Kind, r.Err = KindBad, "a record without a frame"
	case keyFrame, keyAlias:
		r.Offset = frameOff
		d.value(r, raw, visit)
		return
	case keyRawB64:
		d.base64(r, raw, visit)
		return
	case keyOverCap:
		r.Kind = KindOverCap
		r.Flags |= Truncated
		r.Skim = readOverCap(raw)
		r.Size = r.Skim.Size
	case keyMeta:
		r.Kind, r.Frame = KindMeta, raw
	case keyHTTP:
		r.Kind = KindHTTP
	case keyText:
		r.Kind, r.Frame = KindText, raw
		if line := content(raw); line != nil && wayOf(content(e.get(keyDir))) == wayStderr {
			r.Kind = KindStderr
			r.Frame, _ = jsonrpc.Unquote(nil, line)
		}
	case keyBinaryB64:
		r.Kind = KindBinary
		var err error
		if r.Frame, err = decodeBase64(raw); err != nil {
			r.Kind, r.Err = KindBad, "binary_b64 is no base64"
		}
	case keyBinaryLen:
		r.Kind = KindBinary
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || n < 0 {
			r.Kind, r.Err = KindBad, "binary_len is no count"
		} else {
			r.Size = n
		}
	}
	if r.Frame != nil {
		r.Size = int64(len(r.Frame))
	}
	visit(r, nil)
}

// value emits a frame that is no strict JSON object: a batch, no message at
// all, or JSON inside a string.
func (d *lineDecoder) value(r *Record, raw []byte, visit Visit) {
	if in := jsonInside(raw); in != nil {
		d.inner(r, in, visit)
		return
	}
	r.Frame, r.Size = raw, int64(len(raw))
	if len(raw) > 0 && raw[0] != '{' && raw[0] != '[' {
		r.Flags |= Embedded
	}
	if len(raw) > d.max {
		overCap(r)
	}
	visit(r, nil)
}

// inner emits a frame whose bytes do not stand in the chunk.
func (d *lineDecoder) inner(r *Record, frame []byte, visit Visit) {
	r.Size = int64(len(frame))
	if len(frame) > d.max {
		r.Frame = frame
		overCap(r)
		visit(r, nil)
		return
	}
	buf := make([]byte, len(frame), len(frame)+jsonrpc.Pad)
	copy(buf, frame)
	r.Frame = buf
	var p jsonrpc.Parser
	p.Load(buf)
	var m jsonrpc.Message
	if end, ok := p.Message(0, len(buf), &m); ok && p.Space(end) >= len(buf) {
		visit(r, &m)
		return
	}
	visit(r, nil)
}

func (d *lineDecoder) base64(r *Record, raw []byte, visit Visit) {
	r.Flags |= RawB64
	frame, err := decodeBase64(raw)
	if err != nil {
		r.Kind, r.Err = KindBad, "raw_b64 is no base64"
		visit(r, nil)
		return
	}
	d.inner(r, frame, visit)
}

// decodeBase64 reads the inside of a JSON string; padding may be missing.
func decodeBase64(raw []byte) ([]byte, error) {
	c := content(raw)
	if c == nil {
		return nil, base64.CorruptInputError(0)
	}
	if bytes.IndexByte(c, '\\') >= 0 {
		c, _ = jsonrpc.Unquote(nil, c)
	}
	enc := base64.StdEncoding
	if len(c)%4 != 0 {
		enc = base64.RawStdEncoding
	}
	out := make([]byte, enc.DecodedLen(len(c)), enc.DecodedLen(len(c))+jsonrpc.Pad)
	n, err := enc.Decode(out, c)
	return out[:n], err
}

// overCap turns a frame that is too large into what is known of it: what a guard
// notes of it while it streams, and no more, though all of it is at hand here.
func overCap(r *Record) {
	s := new(jsonrpc.Skimmer)
	s.Write(r.Frame)
	s.Size = r.Size
	r.Kind, r.Skim, r.Frame = KindOverCap, s, nil
}

// readOverCap reads back what AppendCanonical writes of an over-cap frame.
func readOverCap(raw []byte) *jsonrpc.Skimmer {
	s := new(jsonrpc.Skimmer)
	if n, err := strconv.ParseInt(string(jsonrpc.Lookup(raw, "size")), 10, 64); err == nil && n >= 0 {
		s.Size = n
	}
	if id := jsonrpc.Lookup(raw, "id"); id != nil {
		s.ID = bytes.Clone(id)
		s.Has |= jsonrpc.HasID
	}
	if v, ok := jsonrpc.LookupString(raw, "method"); ok {
		s.Method = []byte(v)
		s.Has |= jsonrpc.HasMethod
	}
	if v, ok := jsonrpc.LookupString(raw, "name"); ok {
		s.Name = []byte(v)
		s.Has |= jsonrpc.HasParams | jsonrpc.HasName
	}
	if isTrue(jsonrpc.Lookup(raw, "result")) {
		s.Has |= jsonrpc.HasResult
	}
	if isTrue(jsonrpc.Lookup(raw, "error")) {
		s.Has |= jsonrpc.HasError
	}
	return s
}
