package tape

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
)

// spool is a temporary file with the records that can't be read again where
// they stand: those of compressed and piped streams, of framed ones, and values
// that go over several lines. Its name is gone as soon as it is open, where the
// system allows that.
type spool struct {
	f    *os.File
	w    *bufio.Writer
	n    int64 // bytes written
	buf  []byte
	gone bool
}

const spoolHead = 4 + 5*8 + 5*4

func (s *spool) open() error {
	if s.f != nil {
		return nil
	}
	f, err := os.CreateTemp("", "warden-step-*")
	if err != nil {
		return fmt.Errorf("no temporary file for what can't be read twice (set TMPDIR to a folder with room): %w", err)
	}
	s.gone = os.Remove(f.Name()) == nil
	s.f, s.w = f, bufio.NewWriterSize(f, 256<<10)
	return nil
}

// put writes a record and returns where it begins.
func (s *spool) put(r *formats.Record) (int64, error) {
	if err := s.open(); err != nil {
		return 0, err
	}
	var has byte
	parts := [5][]byte{r.Session, r.Frame, r.Candidate, r.HTTP, []byte(r.Err)}
	for i, p := range parts {
		if p != nil {
			has |= 1 << i
		}
	}
	b := append(s.buf[:0], byte(r.Kind), byte(r.Flags), byte(r.Dir), has)
	for _, n := range [...]int64{r.TS, r.Seq, r.Line, r.Offset, r.Size} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p)))
	}
	s.buf = b
	at := s.n
	for _, p := range append([][]byte{b}, parts[:]...) {
		n, err := s.w.Write(p)
		s.n += int64(n)
		if err != nil {
			return at, fmt.Errorf("the temporary file can't be written (set TMPDIR to a folder with room): %w", err)
		}
	}
	return at, nil
}

// flush makes what was put readable.
func (s *spool) flush() error {
	if s.w == nil {
		return nil
	}
	return s.w.Flush()
}

// get reads the record at off.
func (s *spool) get(off int64) (*formats.Record, error) {
	var head [spoolHead]byte
	if s.f == nil {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := s.f.ReadAt(head[:], off); err != nil {
		return nil, err
	}
	num := func(i int) int64 { return int64(binary.LittleEndian.Uint64(head[4+8*i:])) }
	r := &formats.Record{Kind: formats.Kind(head[0]), Flags: formats.Flags(head[1]), Dir: analyze.Direction(head[2]),
		TS: num(0), Seq: num(1), Line: num(2), Offset: num(3), Size: num(4)}
	var lens [5]int
	total := 0
	for i := range lens {
		lens[i] = int(binary.LittleEndian.Uint32(head[44+4*i:]))
		total += lens[i]
	}
	body := make([]byte, total)
	if _, err := s.f.ReadAt(body, off+spoolHead); err != nil && total > 0 {
		return nil, err
	}
	var parts [5][]byte
	for i, n := range lens {
		if head[3]&(1<<i) != 0 {
			parts[i] = body[:n:n]
		}
		body = body[n:]
	}
	r.Session, r.Frame, r.Candidate, r.HTTP, r.Err = parts[0], parts[1], parts[2], parts[3], string(parts[4])
	return r, nil
}

func (s *spool) close() {
	if s.f == nil {
		return
	}
	s.f.Close()
	if !s.gone {
		os.Remove(s.f.Name())
	}
}
