package verify

import (
	"io"
	"time"

	"github.com/warden-trace/warden/replay"
)

// faults are what this package's tests plant, to see it caught. No program
// sets them.
type faults struct {
	config   func(*replay.Config) *replay.Config // a rule: what the guard judges by
	from     func(io.Reader) io.Reader           // a framer: what the guard reads
	to       func(io.Writer) io.Writer           // a writer: what it sends
	recorded func(line []byte) []byte            // a recorder: what it writes
	patience time.Duration                       // not to wait long for what a fault has swallowed
}

// patience is how long the guard may take over one frame before it counts as
// hung. It is generous: a loaded machine is not a difference.
func (o *Options) patience() time.Duration {
	if o.faults.patience > 0 {
		return o.faults.patience
	}
	return time.Minute
}
