package formats

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// slow reads a line that is not one object in good order: another JSON value,
// several, one that only the lenient reading takes, or none. Each byte is
// looked at a bounded number of times, whatever the line.
func (d *lineDecoder) slow(buf []byte, a, b int, lineNo, base int64, visit Visit) {
	if d.o.Dir != analyze.Unknown && d.form != formSnoop {
		if d.wire(buf, a, b, lineNo, base, visit) {
			return
		}
	}
	for first := true; ; first = false {
		d.by.reset()
		n, st := d.by.feed(buf[a:b])
		if st == stateDone && !opensValue(buf[a]) && !blank(buf[a+n:b]) {
			st = stateBad // a word or number in front of junk is junk
		}
		if st != stateDone {
			d.unreadable(buf, a, b, a+n, st, first, lineNo, base, visit)
			return
		}
		d.one(buf, a, a+n, lineNo, base, false, visit)
		a += n
		for a < b && isSpace(buf[a]) {
			a++
		}
		if a == b {
			return
		}
		if first {
			d.bad(a, lineNo, base, "more than one value on the line", visit)
		}
	}
}

// wire reads a line of a stream in one direction: the line is the frame, as a
// peer would have read it, junk and all. False: it is an envelope after all.
func (d *lineDecoder) wire(buf []byte, a, b int, lineNo, base int64, visit Visit) bool {
	for b > a && isSpace(buf[b-1]) {
		b--
	}
	d.by.reset()
	n, st := d.by.feed(buf[a:b])
	if st == stateDone && a+n == b && buf[a] == '{' {
		return false // a known object that the fast path left to the slow one
	}
	r := &d.rec
	*r = Record{Line: lineNo, Offset: base + int64(a), Dir: d.o.Dir, Seq: -1, Open: st == stateMore && opensValue(buf[a])}
	d.bare(r, buf, a, b, visit)
	return true
}

func opensValue(c byte) bool { return c == '{' || c == '[' }

func (d *lineDecoder) bad(at int, lineNo, base int64, why string, visit Visit) {
	d.rec = Record{Kind: KindBad, Line: lineNo, Offset: base + int64(at), Seq: -1, Err: why}
	visit(&d.rec, nil)
}

// unreadable deals with what is left of a line: buf[a:b] is not JSON by the
// letter from at on.
func (d *lineDecoder) unreadable(buf []byte, a, b, at int, st state, first bool, lineNo, base int64, visit Visit) {
	open := first && st == stateMore && opensValue(buf[a])
	if d.tee && !open && buf[a] != '{' {
		for b > a && isSpace(buf[b-1]) {
			b--
		}
		r := &d.rec
		*r = Record{Line: lineNo, Offset: base + int64(a), Dir: d.o.Dir, Seq: -1}
		d.bare(r, buf, a, b, visit)
		return
	}
	d.loose.lenient = true
	d.loose.reset()
	n, lst := d.loose.feed(buf[a:b])
	switch {
	case lst == stateDone && blank(buf[a+n:b]):
		d.bad(at, lineNo, base, "not JSON by the letter (a bad number, or bytes that are no UTF-8); read leniently", visit)
		d.one(buf, a, a+n, lineNo, base, true, visit)
		return
	case open:
		r := &d.rec
		*r = Record{Kind: KindBad, Line: lineNo, Offset: base + int64(a), Seq: -1, Open: true, Err: "the line ends inside a JSON value"}
		visit(r, nil)
	default:
		d.bad(at, lineNo, base, "not JSON", visit)
	}
	d.resync(buf, a, b, lineNo, base, visit)
}

// resync looks for records behind the damage: an object that is JSON by the
// letter and says that it is a frame or an envelope. Its work is bounded by a
// few times the line, so a line of brackets costs no more than another.
func (d *lineDecoder) resync(buf []byte, a, b int, lineNo, base int64, visit Visit) {
	budget := 4*(b-a) + 256
	for i := a + 1; i < b && budget > 0; {
		n := bytes.Index(buf[i:b], []byte(`{"`))
		if n < 0 {
			return
		}
		i += n
		d.by.reset()
		used, st := d.by.feed(buf[i:b])
		budget -= used
		if st == stateDone && d.known(buf[i:i+used]) {
			d.one(buf, i, i+used, lineNo, base, false, visit)
			i += used
			continue
		}
		i++
	}
}

// known reports an object that says what it is.
func (d *lineDecoder) known(obj []byte) bool {
	var e envelope
	d.members(&e, obj)
	if e.has(keyVersion) {
		return true
	}
	return e.has(keyDir) && (e.has(keyFrame) || e.has(keyAlias) || e.has(keyRawB64) || d.form == formSnoop)
}

// members fills e from an object that the letter scanner (or its lenient form)
// has accepted. It returns all members that hold a frame, in order, for the
// case that one stands twice.
func (d *lineDecoder) members(e *envelope, obj []byte) (frames []held) {
	*e = envelope{}
	jsonrpc.Each(obj, func(name string, value []byte, at int) bool {
		k := keyNone
		if d.form == formSnoop {
			k = snoopKey([]byte(name))
		} else {
			k = envelopeKey([]byte(name))
		}
		if k == keyFrame || k == keyRawB64 {
			frames = append(frames, held{k, value, at})
		}
		if k != keyNone {
			e.put(k, value, at)
		} else if odd := oddKey([]byte(name), d.form); odd != keyNone {
			e.odd |= 1 << odd
		}
		return true
	})
	return frames
}

// one emits the value buf[a:b].
func (d *lineDecoder) one(buf []byte, a, b int, lineNo, base int64, lenient bool, visit Visit) {
	r := &d.rec
	if buf[a] != '{' {
		*r = Record{Line: lineNo, Offset: base + int64(a), Dir: d.o.Dir, Seq: -1}
		d.bare(r, buf, a, b, visit)
		return
	}
	var e envelope
	frames := d.members(&e, buf[a:b:b])
	odd := e.odd != 0 && !e.has(keyVersion)
	if odd {
		d.bad(a, lineNo, base, "a key of the record is spelled in another case, which makes it another key: "+namesOf(e.odd, d.form), visit)
	}
	if d.form != formSnoop && !e.isEnvelope() {
		if odd && !e.has(keyMessage) {
			return // nothing in it says that it is a message
		}
		*r = Record{Line: lineNo, Offset: base + int64(a), Dir: d.o.Dir, Seq: -1}
		d.bare(r, buf, a, b, visit)
		return
	}
	if d.form == formSnoop && e.has(keyVersion) {
		*r = Record{Line: lineNo, Offset: base + int64(a), Seq: -1}
		d.bare(r, buf, a, b, visit)
		return
	}
	if e.twice != 0 {
		d.bad(a, lineNo, base, "a member of the record stands twice: "+namesOf(e.twice, d.form), visit)
	}
	if e.twice&holdsFrame != 0 {
		// Each is read: nobody knows which one another reader takes.
		for _, f := range frames {
			again := e
			again.seen &^= 1<<keyFrame | 1<<keyRawB64
			again.put(f.k, f.raw, f.at)
			d.emitValue(&again, buf, a, b, lineNo, base, visit)
		}
		return
	}
	d.emitValue(&e, buf, a, b, lineNo, base, visit)
}

// held is a member that holds a frame.
type held struct {
	k   key
	raw []byte
	at  int
}

// emitValue parses the envelope's frame where it stands and emits it.
func (d *lineDecoder) emitValue(e *envelope, buf []byte, a, b int, lineNo, base int64, visit Visit) {
	k := keyFrame
	if !e.has(k) && d.form != formSnoop {
		k = keyAlias
	}
	var m *jsonrpc.Message
	fa := a
	if raw := e.get(k); raw != nil {
		fa = a + e.at[k]
		if raw[0] == '{' {
			if end, ok := d.p.Message(fa, fa+len(raw), &d.frame); ok && end == fa+len(raw) {
				m, e.frameAt = &d.frame, k
			}
		}
	}
	if d.form == formSnoop {
		d.emitSnoop(e, m, buf[a:b], lineNo, base+int64(a), base+int64(fa), visit)
		return
	}
	d.emit(e, m, lineNo, base+int64(a), base+int64(fa), visit)
}
