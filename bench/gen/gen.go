// Package gen makes recorded MCP traffic: canonical traces (JSONL, one frame a
// line) that look like what servers and clients really write, of any size, and
// the same bytes for the same seed on every machine. Benchmarks, soak tests and
// the precision measurements read nothing else.
//
// Three kinds of writers are mixed, as they are in real archives, since their
// JSON looks different to a scanner: raw UTF-8 (JavaScript), non-ASCII as \u
// escapes with spaces after separators (Python), and <, >, & escaped (Go).
package gen

import (
	"bufio"
	"fmt"
	"io"
)

// Options steer Write. The zero value of a field means its default.
type Options struct {
	Bytes    int64   // stop after the frame that reaches this size (default 1 MB)
	Seed     uint64  // same seed, same bytes
	Sessions int     // interleaved sessions (default 40)
	Findings float64 // share of tool results with a planted finding (default 0.01; negative: none)
	Gap      int     // mean microseconds between frames (default 20,000)
	Texts    int     // length of results' texts, in percent of the usual (default 100)
	// Settled sessions are such as a lock pinned from one of them, and the profile
	// of 2025-06-18, have nothing to say of: one server, that lists the same tools
	// every time, one call at a time, results of texts and images.
	Settled bool
}

// Stats say what was written.
type Stats struct {
	Bytes, Frames, Calls int64
	Planted              [plantKinds]int64 // by Plant
}

// Total is how many findings were planted.
func (s *Stats) Total() int64 {
	var n int64
	for _, v := range s.Planted {
		n += v
	}
	return n
}

// String is one line for a person.
func (s *Stats) String() string {
	out := fmt.Sprintf("%d bytes, %d frames, %d calls, %d planted:", s.Bytes, s.Frames, s.Calls, s.Total())
	for k, n := range s.Planted {
		out += fmt.Sprintf(" %s %d", Plant(k), n)
	}
	return out
}

// Write writes a trace to w. The only errors are w's own.
func Write(w io.Writer, o Options) (Stats, error) {
	if o.Bytes <= 0 {
		o.Bytes = 1_000_000
	}
	if o.Sessions <= 0 {
		o.Sessions = 40
	}
	if o.Findings == 0 {
		o.Findings = 0.01
	}
	if o.Gap <= 0 {
		o.Gap = 20_000
	}
	if o.Texts <= 0 {
		o.Texts = 100
	}
	g := newWriter(o)
	bw := bufio.NewWriterSize(w, 1<<20)
	for g.stats.Bytes < o.Bytes {
		g.out = g.out[:0]
		g.turn()
		g.stats.Bytes += int64(len(g.out))
		if _, err := bw.Write(g.out); err != nil {
			return g.stats, err
		}
	}
	return g.stats, bw.Flush()
}
