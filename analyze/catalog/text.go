package catalog

import (
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Text inspects a text that stands in no message: a piece of a process's output
// (policy.md, section 3). Bytes that are no UTF-8 are read as U+FFFD. Findings
// have no pointer and no block.
func (c *Catalog) Text(text []byte, ins analyze.Inspection) []analyze.Finding {
	s := c.cold.Get().(*Scanner)
	defer c.cold.Put(s)
	s.buf = append(s.buf[:0], validUTF8(text)...)
	n := len(s.buf)
	s.buf = append(s.buf, room[:]...)[:n]
	d := &detail{}
	if s.scan.scan(s.buf, d) == 0 {
		return nil
	}
	r := reader{c: c, m: &noMessage, ins: ins}
	w := words{reader: &r, t: s.buf, d: d, scan: &s.scan, block: -1}
	w.all()
	return r.out
}

var noMessage jsonrpc.Message

// validUTF8 replaces each byte that belongs to no character by U+FFFD, as
// jsonrpc.Unquote does.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(string([]rune(string(b))))
}
