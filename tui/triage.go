package tui

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/baseline"
)

// Decisions as the index keeps them.
const (
	undecidedYet uint8 = iota
	acceptedOne        // false positive, or accepted
	confirmedOne       // true positive
)

// Ledger is the baseline that triage writes: at once, whole and atomically, on
// top of what the file says by then, so that two readers of one baseline do not
// undo each other.
type Ledger struct {
	mu   sync.Mutex
	path string
	file *baseline.File
	now  func() time.Time
}

// OpenLedger reads the baseline at path; one that is not there yet is empty.
func OpenLedger(path string, now func() time.Time) (*Ledger, error) {
	l := &Ledger{path: path, now: now}
	var err error
	l.file, err = l.load()
	return l, err
}

func (l *Ledger) load() (*baseline.File, error) {
	if _, err := os.Stat(l.path); errors.Is(err, fs.ErrNotExist) {
		return baseline.New(), nil
	}
	return baseline.Load(l.path)
}

// Decided says what the baseline has decided about a fingerprint.
func (l *Ledger) Decided(print string) uint8 {
	e, ok := l.Entry(print)
	switch {
	case !ok || e.Over(l.now()):
		return undecidedYet
	case e.State == baseline.TruePositive:
		return confirmedOne
	}
	return acceptedOne
}

// Entry is the baseline's entry of a fingerprint.
func (l *Ledger) Entry(print string) (baseline.Entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Get(print)
}

// Set decides, and writes the file.
func (l *Ledger) Set(f *analyze.Finding, state, note string) error {
	return l.change(func(b *baseline.File) { b.Set(f, state, note, l.now()) })
}

// Restore puts an entry back as it was; had says that there was one.
func (l *Ledger) Restore(print string, e baseline.Entry, had bool) error {
	return l.change(func(b *baseline.File) {
		if had {
			b.Put(e)
		} else {
			b.Remove(print)
		}
	})
}

func (l *Ledger) change(do func(*baseline.File)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.load()
	if err != nil {
		return err
	}
	do(b)
	if err := b.Save(l.path, nil); err != nil {
		return err
	}
	l.file = b
	return nil
}
