package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/archive"
)

// followWait is how long a look at a file that has not grown is put off.
const followWait = 150 * time.Millisecond

// sample is a line of the form that a recorder writes.
const sample = `{"direction":"c2s","frame":{"jsonrpc":"2.0","method":"ping","id":1}}` + "\n"

// follow reads a file of JSON lines that another program writes: whole lines
// only, as they come. Until there is one, the form can't be told, so a new file
// is taken for JSON lines once it has a line.
func (t *Tape) follow() error {
	var head [64 << 10]byte
	n, err := t.file.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first := head[:n]
	if bytes.IndexByte(first, '\n') < 0 && n < len(head) {
		first = []byte(sample) // nothing to tell the form by yet
	}
	_, info, err := archive.Open(bytes.NewReader(first), archive.Options{})
	if err != nil {
		return err
	}
	if len(info.Layers) > 0 || info.Tar {
		return errors.New("--follow reads plain JSON lines, not a compressed file")
	}
	src, err := formats.Open(t.Name, bytes.NewReader(first), t.o.Formats)
	if err != nil {
		return err
	}
	if src.NewStitcher() == nil {
		return fmt.Errorf("--follow reads JSON lines, not %s", src.Format())
	}
	return t.followFrom(src)
}

func (t *Tape) followFrom(src formats.Source) error {
	t.src, t.at = src, t.file
	var off, line int64 = 0, 1
	seq := 0
	t.run(func(c *formats.Chunk) error {
		want := 512 << 10
		for {
			if cap(c.Buf) < want+jsonrpc.Pad {
				c.Buf = make([]byte, 0, want+jsonrpc.Pad)
			}
			n, err := t.file.ReadAt(c.Buf[:want], off)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if end := bytes.LastIndexByte(c.Buf[:n], '\n') + 1; end > 0 {
				buf := c.Buf[:end]
				*c = formats.Chunk{Seq: seq, Buf: buf, Offset: off, FirstLine: line}
				seq++
				off += int64(end)
				line += int64(bytes.Count(buf, []byte{'\n'}))
				t.x.mu.Lock()
				t.x.read, t.x.size = off, max(off, t.x.size)
				t.x.mu.Unlock()
				return nil
			}
			if n == want { // a line longer than that
				if want *= 4; want > maxLine {
					return errors.New("a line that is too long to follow")
				}
				continue
			}
			if st, err := t.file.Stat(); err == nil && st.Size() < off {
				return errors.New("the recording was cut or begun anew while it was followed")
			}
			select {
			case <-t.stop:
				return io.EOF
			case <-time.After(followWait):
			}
		}
	})
	return nil
}
