package formats

import (
	"bytes"

	"github.com/warden-trace/warden/analyze"
)

// sdkPrefix knows the word in front of a go-sdk log line (formats.md 3.1 c):
// its length, 0 for none, and the direction it means.
func sdkPrefix(b []byte, out analyze.Direction) (int, analyze.Direction) {
	switch {
	case bytes.HasPrefix(b, []byte("read: ")):
		return 6, out.Opposite()
	case bytes.HasPrefix(b, []byte("write: ")):
		return 7, out
	}
	return 0, analyze.Unknown
}

// sdkLine decodes a line of a go-sdk log; anything but read and write is the
// program's own log output. False for a line that begins with JSON.
func (d *lineDecoder) sdkLine(buf []byte, a, b int, lineNo, base int64, visit Visit) bool {
	n, dir := sdkPrefix(buf[a:b], d.out)
	if n == 0 {
		if opensValue(buf[a]) {
			return false
		}
		d.rec = Record{Kind: KindStderr, Line: lineNo, Offset: base + int64(a), Seq: -1, Frame: buf[a:b:b], Size: int64(b - a)}
		visit(&d.rec, nil)
		return true
	}
	a += n
	for a < b && isSpace(buf[a]) {
		a++
	}
	for b > a && isSpace(buf[b-1]) {
		b--
	}
	by, st := d.by, stateBad
	if a < b && buf[a] != '{' || !d.sdkFrame(buf, a, b, dir, lineNo, base, visit) {
		by.reset()
		var at int
		at, st = by.feed(buf[a:b])
		if st != stateDone || at != b-a {
			d.bad(a, lineNo, base, "not JSON after read: or write:", visit)
			d.loose.lenient = true
			d.loose.reset()
			if n, st := d.loose.feed(buf[a:b]); st != stateDone || n != b-a {
				return true
			}
		}
		d.rec = Record{Line: lineNo, Offset: base + int64(a), Seq: -1, Dir: dir}
		d.bare(&d.rec, buf, a, b, visit)
	}
	return true
}

// sdkFrame is the usual case: one object to the end of the line.
func (d *lineDecoder) sdkFrame(buf []byte, a, b int, dir analyze.Direction, lineNo, base int64, visit Visit) bool {
	end, ok := d.p.Message(a, b, &d.whole)
	if !ok || end != b {
		return false
	}
	d.rec = Record{Line: lineNo, Offset: base + int64(a), Seq: -1, Dir: dir, Frame: buf[a:b:b], Size: int64(b - a)}
	m := &d.whole
	if b-a > d.max {
		overCap(&d.rec)
		m = nil
	}
	visit(&d.rec, m)
	return true
}
