package tape

import (
	"testing"
	"time"
)

// TestGiveWay has the pass rest when it is asked, not for ever however often it
// is, and not beyond the end.
func TestGiveWay(t *testing.T) {
	p := &Tape{stop: make(chan struct{})}
	rests := func() time.Duration {
		from := time.Now()
		p.rest()
		return time.Since(from)
	}
	const d = 30 * time.Millisecond
	p.GiveWay(d)
	if took := rests(); took < d/2 {
		t.Errorf("it rested for %s, not %s", took, d)
	}
	for _, c := range []struct {
		ended time.Duration // the latest rest, ago
		again bool
	}{{-time.Hour, false}, {time.Hour, true}} {
		until := int64(clock() - c.ended)
		p.quiet.until.Store(until)
		p.GiveWay(2 * time.Hour)
		if again := p.quiet.until.Load() != until; again != c.again {
			t.Errorf("it rests again %v, %s after it last did; want %v", again, c.ended, c.again)
		}
	}
	close(p.stop)
	rests() // returns
}
