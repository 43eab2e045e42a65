package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report/target"
	"github.com/warden-trace/warden/replay"
)

// Recorder writes what a proxy has seen as a canonical trace: every frame as
// observed, before any verdict, one line each, handed to the system as soon as
// it is taken, so that a killed guard loses at most the frame in hand. A disk
// that fills or a sink that fails is one warning and never ends the session.
type Recorder struct {
	w    io.Writer
	z    *zstd.Encoder // nil for a plain trace
	f    *os.File
	warn func(string)
	seq  int64
	line []byte
	err  error

	lines, bytes int64 // written so far, uncompressed
	whole        int64 // bytes of the file up to the last whole line
	regular      bool
}

// Record opens a recording. It never replaces an existing file without force,
// and is readable by its owner alone. A name that ends in .zst is compressed.
// command is the server's, of which secrets are left out; none where it is not
// known.
func Record(path string, force bool, command []string, started time.Time, warn func(string)) (*Recorder, error) {
	f, err := openRecording(path, force)
	if err != nil {
		return nil, err
	}
	r := &Recorder{f: f, warn: warn}
	r.w = counter{f, &r.whole}
	if st, err := f.Stat(); err == nil {
		r.regular = st.Mode().IsRegular()
	}
	if strings.HasSuffix(path, ".zst") {
		r.z, err = zstd.NewWriter(r.w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			f.Close()
			return nil, err
		}
		r.w = r.z
	}
	r.write(metaLine(command, started))
	return r, nil
}

func metaLine(command []string, started time.Time) []byte {
	line := []byte(`{"meta":{"warden_trace":1,`)
	if len(command) > 0 {
		if list, err := json.Marshal(launch(command)); err == nil {
			line = fmt.Appendf(line, `"command":%s,`, list)
		}
	}
	return fmt.Appendf(line, `"started":%q}}`+"\n", started.UTC().Format(time.RFC3339Nano))
}

func openRecording(path string, force bool) (*os.File, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		// A device or a pipe is written to as it is.
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if err == nil && force {
		// What was there may have been open to others.
		if err = f.Chmod(0o600); err != nil {
			f.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, &target.Error{Path: path, Err: errors.New("the file exists"), Hint: "choose another name, or --force to replace it"}
	}
	if err != nil {
		return nil, &target.Error{Path: path, Err: err}
	}
	return f, nil
}

// Frame records one frame. It is called in the machine's order.
func (r *Recorder) Frame(s *Seen) {
	if s.Dir == analyze.Unknown || r.err != nil {
		return
	}
	rec := s.Record(r.seq)
	r.seq++
	r.line = formats.AppendCanonical(r.line[:0], &rec)
	r.write(r.line)
	if cap(r.line) > 1<<20 {
		r.line = nil
	}
}

// Place says where a frame that is observed next will stand: its line, from 1,
// and the offset of its first byte, as a reader of the recording has them;
// zeroes when nothing is recorded any more.
func (r *Recorder) Place(p *replay.Place, ts time.Time, overCap bool) {
	if r.err != nil {
		return
	}
	p.Line, p.Offset = r.lines+1, r.bytes
	if !overCap {
		var b [len(time.RFC3339Nano)]byte
		p.Offset += int64(len(`{"direction":"c2s","ts":"","frame":`) + len(ts.UTC().AppendFormat(b[:0], time.RFC3339Nano)))
	}
}

func (r *Recorder) write(b []byte) {
	if r.err != nil {
		return
	}
	whole := r.whole
	if _, r.err = r.w.Write(b); r.err == nil && r.z != nil {
		r.err = r.z.Flush()
	}
	if r.err == nil {
		r.lines++
		r.bytes += int64(len(b))
		return
	}
	// Half a line would be a parse error to whoever reads the recording.
	if r.regular {
		_ = r.f.Truncate(whole)
	}
	r.warn("the recording stopped: " + bare(r.err).Error() + "; the session goes on")
}

// counter counts what a file has taken.
type counter struct {
	f *os.File
	n *int64
}

func (c counter) Write(b []byte) (int, error) {
	n, err := c.f.Write(b)
	*c.n += int64(n)
	return n, err
}

// Close ends the recording.
func (r *Recorder) Close() {
	if r.z != nil && r.err == nil {
		if err := r.z.Close(); err != nil {
			r.err = err
			r.warn("the recording may lack its end: " + bare(err).Error())
		}
	}
	if err := r.f.Close(); err != nil && r.err == nil {
		r.warn("the recording may lack its end: " + bare(err).Error())
	}
}
