// Package tape is a trace that can be stepped through: it opens one of a
// million frames at once and reads what is asked for, while a pass over the
// whole of it builds an index of 32 bytes a frame and runs the session machine,
// of which it keeps checkpoints to step back from.
//
// Lines of a plain file, or of a seekable zstd file, are read again where they
// stand. Whatever can't be (other compression, archives, standard input, framed
// streams, values over several lines, two halves of a session) goes as records
// to a temporary file.
package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"

	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/archive"
	"github.com/warden-trace/warden/replay"
)

// Options steer a tape.
type Options struct {
	Config  *replay.Config
	Formats formats.Options
	Follow  bool // the trace grows: go on at its end until Close
	// Decided says whether a finding has been decided upon, by its fingerprint
	// in hex: 0 is no.
	Decided func(print string) uint8
}

// Tape is one opened trace. Its methods may be called from any goroutine.
type Tape struct {
	Name   string
	o      Options
	x      *index
	file   *os.File
	at     io.ReaderAt // decoded bytes; nil where everything is spooled
	src    formats.Source
	spool  spool
	closer []io.Closer
	stop   chan struct{}
	once   sync.Once
	ended  chan struct{}
	walk   walker
	quiet  quiet
	input  *formats.Input
}

// maxSeekFrame is the largest frame of a seekable file that is decoded for one
// look; files of larger ones are spooled.
const maxSeekFrame = 8 << 20

// Open opens the trace that path names and begins to index it.
func Open(path string, stdin io.Reader, o Options) (*Tape, error) {
	t := &Tape{Name: path, o: o, x: newIndex(o.Config.Rules), stop: make(chan struct{}), ended: make(chan struct{})}
	t.walk.init(t)
	if path == "-" {
		if o.Follow {
			return nil, errors.New("--follow needs a file, not standard input")
		}
		src, err := formats.Open("-", stdin, o.Formats)
		if err != nil {
			return nil, err
		}
		t.x.size = -1
		t.begin(src, nil)
		return t, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", formats.Printable(path), bare(err))
	}
	t.file = f
	t.closer = append(t.closer, f)
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = errors.New("a directory: step takes one trace")
	}
	if err == nil {
		err = t.source(st)
	}
	if err != nil {
		t.shut()
		return nil, named(path, err)
	}
	return t, nil
}

// OpenPair opens the two halves of a session as one tape.
func OpenPair(c2s, s2c string, stdin io.Reader, o Options) (*Tape, error) {
	in, closer, err := formats.Pair(c2s, s2c, stdin, o.Formats)
	if err != nil {
		return nil, err
	}
	t := &Tape{Name: in.Name, o: o, x: newIndex(o.Config.Rules), stop: make(chan struct{}), ended: make(chan struct{}), input: in}
	t.walk.init(t)
	t.closer = append(t.closer, closer)
	t.x.size = -1
	t.begin(in.Source, nil)
	return t, nil
}

func named(path string, err error) error {
	var a *formats.UnrecognisedError
	var b *formats.UnsupportedError
	if errors.As(err, &a) || errors.As(err, &b) {
		return err // names the file itself
	}
	if s := formats.Printable(path) + ": "; len(err.Error()) > len(s) && err.Error()[:len(s)] == s {
		return err
	}
	return fmt.Errorf("%s: %w", formats.Printable(path), err)
}

func bare(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// source finds out how the file can be read, and starts.
func (t *Tape) source(st os.FileInfo) error {
	t.x.size = -1
	if !st.Mode().IsRegular() {
		if t.o.Follow {
			return errors.New("--follow needs a regular file")
		}
		src, err := formats.Open(t.Name, t.file, t.o.Formats)
		if err != nil {
			return err
		}
		t.begin(src, nil)
		return nil
	}
	t.x.size = st.Size()
	if t.o.Follow {
		return t.follow()
	}
	var head [512]byte
	n, _ := t.file.ReadAt(head[:], 0)
	_, info, err := archive.Open(bytes.NewReader(head[:n]), archive.Options{})
	var foreign *archive.ForeignError
	if errors.As(err, &foreign) {
		return err
	}
	if info.Tar {
		return errors.New("an archive of several traces: unpack the one to step through")
	}
	counted := &counting{r: t.file, t: t}
	if len(info.Layers) == 0 {
		src, err := formats.Open(t.Name, counted, t.o.Formats)
		if err != nil {
			return err
		}
		var at io.ReaderAt = t.file
		if wide := n >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff); wide {
			at = nil // offsets are those of the UTF-8 text
		}
		t.begin(src, at)
		return nil
	}
	at := t.seekable()
	src, err := formats.Open(t.Name, counted, t.o.Formats)
	if err != nil {
		return err
	}
	t.begin(src, at)
	return nil
}

// seekable opens the seek table at the end of a zstd file; nil where there is
// none that can be trusted with single looks.
func (t *Tape) seekable() io.ReaderAt {
	defer t.file.Seek(0, io.SeekStart)
	f, err := os.Open(t.file.Name())
	if err != nil {
		return nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxSeekFrame+1<<20), zstd.WithDecoderMaxWindow(maxSeekFrame))
	if err != nil {
		f.Close()
		return nil
	}
	cache := &seekCache{dec: dec}
	r, err := seekable.NewReader(f, cache, seekable.WithReaderFrameCache(cache))
	if err == nil {
		err = trusted(r, f)
	}
	if err != nil {
		dec.Close()
		f.Close()
		return nil
	}
	t.closer = append(t.closer, closeFunc(func() error { r.Close(); dec.Close(); return f.Close() }))
	return &locked{r: r}
}

// trusted checks that the seek table covers the whole file, so that what a look
// decodes is what the pass has decoded, and that no look costs much.
func trusted(r *seekable.Reader, f *os.File) error {
	table, err := r.SeekTable()
	if err != nil {
		return err
	}
	n := table.NumFrames()
	if n == 0 {
		return errors.New("no frames")
	}
	var end uint64
	for i := range n {
		e, ok := table.EntryByID(i)
		if !ok || e.DecompressedSize > maxSeekFrame || e.CompressedSize > 2*maxSeekFrame {
			return errors.New("frames too large")
		}
		end = e.CompressedOffset + uint64(e.CompressedSize)
	}
	entry := uint64(8)
	if table.HasChecksums() {
		entry = 12
	}
	st, err := f.Stat()
	if err == nil && end+8+9+uint64(n)*entry != uint64(st.Size()) {
		err = errors.New("the table covers another file")
	}
	return err
}

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// locked lets one goroutine at a time into a reader.
type locked struct {
	mu sync.Mutex
	r  io.ReaderAt
}

func (l *locked) ReadAt(b []byte, off int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.ReadAt(b, off)
}

// counting tells how far the reading is, and ends it at Close.
type counting struct {
	r io.Reader
	t *Tape
}

func (c *counting) Read(b []byte) (int, error) {
	select {
	case <-c.t.stop:
		return 0, io.EOF
	default:
	}
	c.t.rest()
	n, err := c.r.Read(b)
	c.t.x.mu.Lock()
	c.t.x.read += int64(n)
	c.t.x.mu.Unlock()
	return n, err
}

// begin starts the pass over src.
func (t *Tape) begin(src formats.Source, at io.ReaderAt) {
	t.src, t.at = src, at
	t.run(src.Next)
}

// Close ends the pass and gives up what is open.
func (t *Tape) Close() {
	t.once.Do(func() { close(t.stop) })
	select {
	case <-t.ended:
	case <-time.After(300 * time.Millisecond):
		return // in a read that nothing ends: the program's end will
	}
	t.shut()
}

func (t *Tape) shut() {
	for _, c := range t.closer {
		c.Close()
	}
	t.spool.close()
}

// Format is the form of recording that was recognised.
func (t *Tape) Format() string { return t.src.Format() }

// Fidelity says how near the frames are to the wire.
func (t *Tape) Fidelity() string { return t.src.Fidelity().String() }
