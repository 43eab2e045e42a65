package tape

import (
	"runtime"
	"sync/atomic"
	"time"
)

// quiet is when the pass over the trace rests, so that what a reader has asked
// for has the processors to itself.
type quiet struct{ until atomic.Int64 } // by clock; the latest rest's end

// atWork is how long the pass is at work between two rests, at least: a key
// held down, or a mouse that is moved, makes it slower and never stops it.
const atWork = 3 * time.Millisecond

// began is what the clock of rests counts from.
var began = time.Now()

func clock() time.Duration { return time.Since(began) }

// GiveWay lets the pass rest for that long, unless it has hardly worked since
// it last did.
func (t *Tape) GiveWay(d time.Duration) {
	now, until := clock(), t.quiet.until.Load()
	if until == 0 || now > time.Duration(until)+atWork {
		t.quiet.until.CompareAndSwap(until, int64(now+d))
	}
}

// rest is called by the pass every few frames. It returns when the pass may go
// on, or has to end.
func (t *Tape) rest() {
	runtime.Gosched()
	until := time.Duration(t.quiet.until.Load())
	if until == 0 { // most never ask: no clock is read for them
		return
	}
	if d := until - clock(); d > 0 {
		select {
		case <-t.stop:
		case <-time.After(d):
		}
	}
}
