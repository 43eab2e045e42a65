package formats

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// lineDecoder decodes JSON lines of every spelling: canonical, bare, aliased,
// mcpsnoop's, go-sdk's. A line in good order is walked once on the parser's
// masks, its frame parsed where it stands; everything else takes the slow path
// (slow.go), which reads the line again from its start.
type lineDecoder struct {
	o    Options
	max  int // bytes of a frame
	form form
	out  analyze.Direction // what the log's writer sends
	tee  bool              // a stream as it was: junk is a frame, not a bad line

	p     jsonrpc.Parser
	frame jsonrpc.Message // of the envelope's frame
	whole jsonrpc.Message // of the line as a bare frame
	e     envelope
	rec   Record
	snoop snoopState

	by    letter // by the letter
	loose letter // what the lenient reading takes
}

// Decode implements Decoder.
func (d *lineDecoder) Decode(c *Chunk, visit Visit) {
	if c.Skim != nil {
		d.rec = *c.Skim
		visit(&d.rec, nil)
		return
	}
	d.p.Load(c.Buf)
	if c.Cuts != nil {
		d.cuts(c, visit)
		return
	}
	buf, line := c.Buf, c.FirstLine
	for i := 0; i < len(buf); {
		if buf[i] == '\n' {
			i++
			line++
			continue
		}
		end := len(buf)
		if n := bytes.IndexByte(buf[i:], '\n'); n >= 0 {
			end = i + n
		}
		d.line(buf, i, end, line, c.Offset, visit)
		i = end + 1
		line++
	}
}

// cuts decodes messages that a framing has cut out: each is a bare frame,
// whatever it looks like.
func (d *lineDecoder) cuts(c *Chunk, visit Visit) {
	for _, cut := range c.Cuts {
		r := &d.rec
		if cut.Record != nil {
			*r = *cut.Record
			switch {
			case r.Kind == KindFrame:
				d.bare(r, c.Buf, cut.Start, cut.End, visit)
			default:
				if cut.End > cut.Start {
					r.Frame = c.Buf[cut.Start:cut.End:cut.End]
				}
				visit(r, nil)
			}
			continue
		}
		*r = Record{Line: cut.Line, Offset: cut.Offset, Dir: d.o.Dir, Flags: cut.Flags, Seq: -1}
		if cut.Bad != "" {
			r.Kind, r.Err = KindBad, cut.Bad
			visit(r, nil)
			continue
		}
		d.bare(r, c.Buf, cut.Start, cut.End, visit)
	}
}

// bare emits buf[a:b] as a frame, as it is.
func (d *lineDecoder) bare(r *Record, buf []byte, a, b int, visit Visit) {
	r.Frame, r.Size = buf[a:b:b], int64(b-a)
	m := &d.whole
	end, ok := d.p.Message(a, b, m)
	if !ok || !blank(buf[end:b]) {
		m = nil
	}
	if b-a > d.max {
		overCap(r)
		m = nil
	}
	visit(r, m)
}

func blank(b []byte) bool {
	for _, c := range b {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

// line decodes buf[a:b], which holds no line feed (or is a value that the
// Stitcher joined). base is the offset of buf[0] in the stream.
func (d *lineDecoder) line(buf []byte, a, b int, lineNo, base int64, visit Visit) {
	for a < b && isSpace(buf[a]) {
		a++
	}
	if a == b {
		return
	}
	if d.form == formSDK {
		if d.sdkLine(buf, a, b, lineNo, base, visit) {
			return
		}
	}
	if buf[a] != '{' || !d.fast(buf, a, b, lineNo, base, visit) {
		d.slow(buf, a, b, lineNo, base, visit)
	}
}

// fast reads an object that is JSON by the letter and alone on its line. False:
// it is not, and nothing has been emitted.
func (d *lineDecoder) fast(buf []byte, a, b int, lineNo, base int64, visit Visit) bool {
	e := &d.e
	e.seen, e.twice, e.odd, e.frameAt = 0, 0, 0, keyNone
	tried, wholeOK, frameOff := false, false, 0
	i := d.p.Space(a + 1)
	if i < b && buf[i] == '}' {
		i++
	} else {
		for {
			if i >= b || buf[i] != '"' {
				return false
			}
			ka, kb, next, escaped, ok := d.p.String(i)
			if !ok || escaped || next > b {
				return false
			}
			if i = d.p.Space(next); i >= b || buf[i] != ':' {
				return false
			}
			if i = d.p.Space(i + 1); i >= b {
				return false
			}
			k := keyNone
			if d.form == formSnoop {
				k = snoopKey(buf[ka:kb])
			} else {
				k = envelopeKey(buf[ka:kb])
			}
			if (k == keyVersion || k == keyMessage) && !tried {
				// A top-level jsonrpc makes it a bare frame whatever else is there.
				tried = true
				end, ok := d.p.Message(a, b, &d.whole)
				if !ok || !blank(buf[end:b]) {
					return false
				}
				wholeOK = true
				if d.whole.Has&jsonrpc.HasJSONRPC != 0 {
					d.emitBare(buf, a, lineNo, base, visit)
					return true
				}
			}
			if (k == keyFrame || k == keyAlias) && buf[i] == '{' && e.frameAt == keyNone {
				end, ok := d.p.Message(i, b, &d.frame)
				if !ok {
					return false
				}
				e.frameAt, frameOff = k, i
				e.put(k, buf[i:end:end], i-a)
				i = end
			} else {
				end, ok := d.p.SkipTo(i, b)
				if !ok {
					return false
				}
				if k == keyFrame && e.frameAt == keyAlias || k == keyAlias && e.frameAt == keyAlias {
					return false // several candidates: the slow path weighs them
				}
				if k == keyNone {
					if odd := oddKey(buf[ka:kb], d.form); odd != keyNone {
						e.odd |= 1 << odd
					}
				} else {
					e.put(k, buf[i:end:end], i-a)
					if k == keyFrame {
						frameOff = i
					}
				}
				i = end
			}
			if i = d.p.Space(i); i >= b {
				return false
			}
			if buf[i] == '}' {
				i++
				break
			}
			if buf[i] != ',' {
				return false
			}
			i = d.p.Space(i + 1)
		}
	}
	if !blank(buf[i:b]) || e.twice|e.odd != 0 || e.has(keyUnderMeta) && !e.has(keyDir) && !wholeOK {
		return false
	}
	if d.form == formSnoop {
		d.emitSnoop(e, d.message(e), buf[a:i], lineNo, base+int64(a), base+int64(frameOff), visit)
		return true
	}
	if !e.isEnvelope() {
		if !wholeOK {
			if end, ok := d.p.Message(a, b, &d.whole); !ok || !blank(buf[end:b]) {
				return false
			}
		}
		d.emitBare(buf, a, lineNo, base, visit)
		return true
	}
	if frameOff == 0 && (e.has(keyAlias) || e.has(keyFrame)) {
		return false
	}
	d.emit(e, d.message(e), lineNo, base+int64(a), base+int64(frameOff), visit)
	return true
}

func (d *lineDecoder) message(e *envelope) *jsonrpc.Message {
	if e.frameAt == keyNone {
		return nil
	}
	return &d.frame
}

// emitBare emits the line that d.whole was parsed from.
func (d *lineDecoder) emitBare(buf []byte, a int, lineNo, base int64, visit Visit) {
	m := &d.whole
	r := &d.rec
	*r = Record{Line: lineNo, Offset: base + int64(a), Dir: d.o.Dir, Seq: -1, Frame: m.Raw, Size: int64(len(m.Raw))}
	if len(m.Raw) > d.max {
		overCap(r)
		m = nil
	}
	visit(r, m)
}
