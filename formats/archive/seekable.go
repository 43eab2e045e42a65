package archive

import (
	"errors"
	"io"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"
)

// seekFrame is how much goes into one frame of a seekable file: what a reader
// that jumps has to decode at least.
const seekFrame = 1 << 20

// SeekableWriter writes a zstd file of many frames with an index at its end, so
// that a reader can begin anywhere; every zstd reader reads it as well. Close
// writes the index and does not close what is below.
type SeekableWriter struct {
	w   *seekable.Writer
	enc *zstd.Encoder
	buf []byte
	err error
}

// NewSeekableWriter writes to w.
func NewSeekableWriter(w io.Writer) (*SeekableWriter, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	s, err := seekable.NewWriter(w, enc)
	if err != nil {
		return nil, err
	}
	return &SeekableWriter{w: s, enc: enc}, nil
}

// Write adds p. What is written in one call stays in one frame, so a line can
// be read without the frame after it.
func (s *SeekableWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if len(s.buf) > 0 && len(s.buf)+len(p) > seekFrame {
		s.flush()
	}
	s.buf = append(s.buf, p...)
	if len(s.buf) >= seekFrame {
		s.flush()
	}
	return len(p), s.err
}

func (s *SeekableWriter) flush() {
	if len(s.buf) > 0 && s.err == nil {
		_, s.err = s.w.Write(s.buf)
	}
	s.buf = s.buf[:0]
	if cap(s.buf) > 4*seekFrame {
		s.buf = nil
	}
}

// Close writes what is left and the index.
func (s *SeekableWriter) Close() error {
	s.flush()
	err := s.w.Close()
	s.enc.Close()
	return errors.Join(s.err, err)
}
