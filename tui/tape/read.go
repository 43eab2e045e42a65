package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
)

// maxLine bounds the line that is looked for around a frame.
const maxLine = 64 << 20

// Record reads frame i again. What it returns is the caller's own.
func (t *Tape) Record(i int) (*formats.Record, error) {
	t.x.mu.RLock()
	if i < 0 || i >= t.x.n {
		t.x.mu.RUnlock()
		return nil, errors.New("the trace has no such frame")
	}
	e := *t.x.entry(i)
	nth := 0 // records of the same line before it
	for j := i - 1; j >= 0 && i-j < 1<<16; j-- {
		if p := t.x.entry(j); p.Line != e.Line || p.flags&flagSpooled != 0 {
			break
		}
		nth++
	}
	skim := t.x.skims[uint32(i)]
	t.x.mu.RUnlock()
	if e.flags&flagSpooled != 0 {
		t.x.mu.Lock()
		err := t.spool.flush()
		t.x.mu.Unlock()
		if err != nil {
			return nil, err
		}
		r, err := t.spool.get(e.off())
		if err != nil {
			return nil, fmt.Errorf("line %d can't be read again: %w", e.Line, err)
		}
		r.Skim = skim
		return r, nil
	}
	line, start, err := lineAround(t.at, e.off(), e.Size())
	if err != nil {
		return nil, fmt.Errorf("line %d can't be read again: %w", e.Line, err)
	}
	if start == 0 && bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
		line, start = line[3:], 3 // a byte-order mark, which the pass has dropped
	}
	var found *formats.Record
	c := formats.Chunk{Buf: line, Offset: start, FirstLine: int64(e.Line)}
	t.src.NewDecoder().Decode(&c, func(r *formats.Record, _ *jsonrpc.Message) {
		if r.Kind == formats.KindMeta || r.Kind == formats.KindStderr {
			return
		}
		if nth == 0 {
			own := *r
			found = &own
		}
		nth--
	})
	if found == nil || found.Kind != e.Kind() {
		return nil, fmt.Errorf("line %d can't be read again: the file has changed", e.Line)
	}
	if found.Kind == formats.KindBad && found.Frame == nil {
		found.Frame = line // what a reader wants to see of it
	}
	return found, nil
}

// lineAround reads the line that the size bytes at off stand in; start is its
// offset.
func lineAround(r io.ReaderAt, off, size int64) (line []byte, start int64, err error) {
	before, after := int64(512), size+2048
	for {
		from := max(off-before, 0)
		buf := make([]byte, int(off-from+after), int(off-from+after)+jsonrpc.Pad)
		n, err := r.ReadAt(buf, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		whole := n < len(buf)
		buf = buf[:n]
		at := int(off - from)
		if at > n {
			return nil, 0, io.ErrUnexpectedEOF
		}
		a := bytes.LastIndexByte(buf[:at], '\n') + 1
		if a == 0 && from > 0 {
			if before *= 8; before > maxLine {
				return nil, 0, errors.New("its line is too long")
			}
			continue
		}
		z := bytes.IndexByte(buf[at:], '\n')
		if z < 0 && !whole {
			if after *= 4; after > maxLine {
				return nil, 0, errors.New("its line is too long")
			}
			continue
		}
		end := n
		if z >= 0 {
			end = at + z
		}
		return buf[a:end], from + int64(a), nil
	}
}

// blocks reads ahead for a pass that looks at every frame in turn.
type blocks struct {
	r    io.ReaderAt
	buf  []byte
	from int64
	n    int
}

const blockLen = 1 << 20

// bytes returns the size bytes at off; they are valid until the next call.
func (b *blocks) bytes(off, size int64, back bool) ([]byte, error) {
	if off < b.from || off+size > b.from+int64(b.n) {
		if int64(cap(b.buf)) < max(size, blockLen) {
			b.buf = make([]byte, max(size, blockLen))
		}
		b.from = off
		if back { // the frames before will be wanted next
			b.from = max(0, off+size-int64(len(b.buf)))
		}
		n, err := b.r.ReadAt(b.buf, b.from)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		b.n = n
	}
	if off+size > b.from+int64(b.n) {
		return nil, io.ErrUnexpectedEOF
	}
	return b.buf[off-b.from : off-b.from+size], nil
}
