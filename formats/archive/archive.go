// Package archive takes the wrappings off a recording: zstd, gzip and tar, in
// any nesting up to a bound. What a layer is, its first bytes say, never its
// name (formats.md, "Sniffing order").
//
// All readers here are synchronous and stream: memory is one decoder's window
// a layer, whatever the size of what comes out, so a bomb costs time only.
// Damage is reported after everything before it has been delivered.
package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Defaults and bounds.
const (
	DefaultWindowLog = 27 // zstd windows up to 128 MiB
	MaxWindowLog     = 31 // what --zstd-window-log may ask for
	MaxDepth         = 4  // layers of compression and tar, one in the other
	sniffLen         = 512
	bufferLen        = 64 << 10
)

// ErrDepth is wrapped by errors about layers nested more than MaxDepth deep.
var ErrDepth = errors.New("too many layers of compression")

// ForeignError says that the bytes are of a form that is known but not read.
type ForeignError struct{ Form string }

// Error names the form and what to do.
func (e *ForeignError) Error() string {
	return e.Form + " data is not read as it is: decompress it first (zstd, gzip and tar are read)"
}

// Options bound the unpacking. The zero value has the defaults.
type Options struct {
	WindowLog int // largest zstd window as a power of two; 0: DefaultWindowLog
}

// Info says what was taken off.
type Info struct {
	Layers []string // "zstd", "gzip", outermost first
	Tar    bool     // what is left is a tar: see Members
}

// Open peels the layers of compression off r. The reader that it returns gives
// the innermost bytes, or those of a tar archive when Info.Tar is set. An empty
// stream, and one of skippable zstd frames alone, is zero bytes and no error.
func Open(r io.Reader, o Options) (io.Reader, Info, error) {
	return open(r, o, 0)
}

func open(r io.Reader, o Options, depth int) (io.Reader, Info, error) {
	var info Info
	for {
		br := buffered(r)
		head, err := br.Peek(sniffLen)
		if len(head) == 0 && err != nil && err != io.EOF {
			return nil, info, err
		}
		var layer string
		switch {
		case isZstd(head):
			layer = "zstd"
		case isGzip(head):
			layer = "gzip"
		case isTar(head):
			info.Tar = true
			return br, info, nil
		default:
			if what := foreign(head); what != "" {
				return nil, info, &ForeignError{what}
			}
			return br, info, nil
		}
		if depth+len(info.Layers) >= MaxDepth {
			return nil, info, fmt.Errorf("%w: more than %d", ErrDepth, MaxDepth)
		}
		info.Layers = append(info.Layers, layer)
		if layer == "gzip" {
			r = &gzipReader{src: br}
			continue
		}
		if r, err = newZstd(br, o); err != nil {
			return nil, info, err
		}
	}
}

// buffered returns r itself when it can already peek far enough.
func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, bufferLen) }

func isGzip(b []byte) bool { return len(b) >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 }

// isZstd knows frames and skippable frames (a seekable file may begin with one).
func isZstd(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	if b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18 {
		return true
	}
	return b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd
}

// isTar trusts the header's checksum: old tars have no magic.
func isTar(b []byte) bool {
	if len(b) < 512 || b[0] == 0 {
		return false
	}
	want, digits := 0, 0
	for _, c := range b[148:156] {
		if c >= '0' && c <= '7' {
			want = want<<3 | int(c-'0')
			digits++
		} else if c != ' ' && c != 0 {
			return false
		}
	}
	if digits == 0 {
		return false
	}
	unsigned, signed := 0, 0
	for i, c := range b[:512] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		unsigned += int(c)
		signed += int(int8(c))
	}
	return want == unsigned || want == signed
}

// foreign names wrappings that are known but not read.
func foreign(b []byte) string {
	for _, f := range []struct{ magic, name string }{
		{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"\x04\x22\x4d\x18", "lz4"},
		{"7z\xbc\xaf\x27\x1c", "7-Zip"}, {"PK\x03\x04", "zip"}, {"PK\x05\x06", "zip"},
		{"Rar!\x1a\x07", "RAR"},
	} {
		if bytes.HasPrefix(b, []byte(f.magic)) {
			return f.name
		}
	}
	return ""
}

// gzipReader reads all members, and opens the first at the first Read so that
// a damaged header is an error of reading like any other damage.
type gzipReader struct {
	src *bufio.Reader
	z   *gzip.Reader
	err error
}

func (g *gzipReader) Read(p []byte) (n int, err error) {
	for g.err == nil && len(p) > 0 {
		if g.z == nil {
			g.err = g.open(gzip.NewReader(g.src))
			continue
		}
		n, err := g.z.Read(p)
		if err == io.EOF { // of this member
			err = g.following()
		} else if err != nil {
			err = damaged("gzip", err)
		}
		g.err = err
		if n > 0 {
			return n, nil
		}
	}
	return 0, g.err
}

// open takes a member's reader.
func (g *gzipReader) open(z *gzip.Reader, err error) error {
	if err != nil {
		return damaged("gzip", err)
	}
	g.z = z
	z.Multistream(false) // what is behind a member is for us to judge
	return nil
}

// following opens the next member. What is behind the last one is told for what it
// is: the file was not cut short.
func (g *gzipReader) following() error {
	head, err := g.src.Peek(len(gzipMagic))
	switch {
	case len(head) == 0 && err == io.EOF:
		return io.EOF
	case err != nil && err != io.EOF:
		return damaged("gzip", err)
	case string(head) != gzipMagic:
		return fmt.Errorf("gzip: bytes after the end that are no gzip: %w", gzip.ErrHeader)
	}
	return g.open(g.z, g.z.Reset(g.src))
}

const gzipMagic = "\x1f\x8b"

type zstdReader struct {
	z   *zstd.Decoder
	log int
	err error // what to report once everything is delivered
}

func newZstd(r io.Reader, o Options) (io.Reader, error) {
	log := o.WindowLog
	if log == 0 {
		log = DefaultWindowLog
	}
	if log < 10 || log > MaxWindowLog {
		return nil, fmt.Errorf("--zstd-window-log %d: give a number from 10 to %d", log, MaxWindowLog)
	}
	// One goroutine: two are slower (architecture.md). MaxMemory bounds the
	// window of single-segment frames, which MaxWindow alone does not.
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(false),
		zstd.WithDecoderMaxWindow(1<<log), zstd.WithDecoderMaxMemory(1<<log))
	if err != nil {
		return nil, damaged("zstd", err)
	}
	return &zstdReader{z: z, log: log}, nil
}

func (d *zstdReader) Read(p []byte) (int, error) {
	n, err := d.z.Read(p)
	if err == nil {
		return n, nil
	}
	if n > 0 {
		// The decoder may hold a last block back behind its error.
		return n, nil
	}
	if d.err == nil {
		d.err = d.explain(err)
		d.z.Close()
	}
	return 0, d.err
}

func (d *zstdReader) explain(err error) error {
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		if d.log == MaxWindowLog {
			return fmt.Errorf("zstd: the frame needs a window of more than 2^%d bytes: %w", d.log, err)
		}
		return fmt.Errorf("zstd: the frame needs a window of more than 2^%d bytes; allow it with --zstd-window-log N, up to %d: %w", d.log, MaxWindowLog, err)
	case errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("zstd: bytes after the end of a frame that are no zstd: %w", err)
	}
	return damaged("zstd", err)
}

func damaged(layer string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: cut short: %w", layer, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: damaged: %w", layer, err)
}
