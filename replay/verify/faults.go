package verify

import (
	"io"

	"github.com/warden-trace/warden/replay"
)

// faults are what this package's tests plant, to see it caught. No program
// sets them.
type faults struct {
	config   func(*replay.Config) *replay.Config // a rule: what the guard judges by
	from     func(io.Reader) io.Reader           // a framer: what the guard reads
	to       func(io.Writer) io.Writer           // a writer: what it sends
	recorded func(line []byte) []byte            // a recorder: what it writes
}
