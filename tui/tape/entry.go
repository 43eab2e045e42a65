package tape

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
)

// Entry is what the index keeps of a frame: 32 bytes. Everything that a list
// shows is in it, so that scrolling through a million frames reads nothing.
type Entry struct {
	place   uint64 // offset << sizeBits | size, saturated
	TS      int64  // Unix nanoseconds; 0: the recording has none
	Session uint32 // number of its session; NoSession for a line that can't be read
	prev    uint32 // the frame before it in its session, plus one; 0: none
	Line    uint32 // of the trace file, from 1
	label   uint16
	flags   uint16
}

const (
	sizeBits = 24
	maxSize  = 1<<sizeBits - 1
	// maxOffset bounds the uncompressed traces that can be stepped: 1 TiB.
	maxOffset = 1<<(64-sizeBits) - 1
	maxFrames = 1<<32 - 2
)

// NoSession is the session of a line that can't be read.
const NoSession = 1<<32 - 1

// Bits of Entry.flags.
const (
	dirShift     = 0 // 2 bits
	kindShift    = 2 // 3 bits
	verdictShift = 5 // 2 bits
	tierShift    = 7 // 2 bits: 0 none, else tier + 1
	flagSpooled  = 1 << 9
	flagAnswer   = 1 << 10 // a result or error
	flagActed    = 1 << 11 // a finding on it was blocked or modified
	flagShadow   = 1 << 12 // would have been, but for the posture
	flagCall     = 1 << 13 // begins a tool call
	flagError    = 1 << 14 // an error, or a result with isError
)

func newPlace(off, size int64) uint64 {
	return uint64(min(off, maxOffset))<<sizeBits | uint64(min(max(size, 0), maxSize))
}

func (e *Entry) off() int64 { return int64(e.place >> sizeBits) }

// Size is the frame's length in bytes, at most 16 MiB - 1: longer ones show so.
func (e *Entry) Size() int64 { return int64(e.place & maxSize) }

// Dir is the frame's direction, inferred where the recording has none.
func (e *Entry) Dir() analyze.Direction { return analyze.Direction(e.flags >> dirShift & 3) }

// Kind says what the record is.
func (e *Entry) Kind() formats.Kind { return formats.Kind(e.flags >> kindShift & 7) }

// Verdict is what the machine made of the frame.
func (e *Entry) Verdict() replay.Verdict { return replay.Verdict(e.flags >> verdictShift & 3) }

// Tier is the strongest tier found on the frame; ok is false without a finding.
func (e *Entry) Tier() (t analyze.Tier, ok bool) {
	n := e.flags >> tierShift & 3
	return analyze.Tier(max(n, 1) - 1), n > 0
}

// Acted reports that the client or server would not have received the frame as
// it is: it was replaced, edited, dropped or refused.
func (e *Entry) Acted() bool { return e.flags&flagActed != 0 }

// Shadowed reports a block finding that the posture keeps from acting.
func (e *Entry) Shadowed() bool { return e.flags&flagShadow != 0 }

// Blocked reports what a reviewer stops at: a frame that was acted upon, or
// would have been under the default posture.
func (e *Entry) Blocked() bool { return e.flags&(flagActed|flagShadow) != 0 }

// Answer reports a result or an error.
func (e *Entry) Answer() bool { return e.flags&flagAnswer != 0 }

// Call reports a frame that begins a tool call.
func (e *Entry) Call() bool { return e.flags&flagCall != 0 }

// Failed reports an error, or a tool result that says it is one.
func (e *Entry) Failed() bool { return e.flags&flagError != 0 }

// Label is the method and tool of a frame, as the trace spells them.
type Label struct{ Method, Tool string }

// Mark is what the index keeps of a finding; the rest is made again by stepping
// the frame.
type Mark struct {
	frame uint32
	rule  uint16
	tier  uint8
	// Decided is 0 while nobody has decided, else a Decision.
	Decided uint8
	Print   [16]byte // fingerprint
}

// Frame is the number of the frame that the finding stands on.
func (m *Mark) Frame() int { return int(m.frame) }

// Tier is the finding's tier.
func (m *Mark) Tier() analyze.Tier { return analyze.Tier(m.tier) }
