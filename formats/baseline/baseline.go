// Package baseline keeps what people have decided about findings: a file that
// lives beside the recordings, is read by reports and written by triage. An
// entry is known by its finding's fingerprint, so it survives a new recording
// and moved lines. Only reports ask a baseline; guard never reads one.
//
// The file is JSON with one entry a line, in order of fingerprints, so that a
// version control system merges two people's work line by line.
package baseline

import (
	"slices"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze"
)

// States of an entry.
const (
	// Accepted: known, and to be lived with.
	Accepted = "accepted"
	// FalsePositive: not what the rule takes it for.
	FalsePositive = "false-positive"
	// TruePositive: confirmed. It goes on to count, since it is what a run is
	// for; the entry says that somebody has looked.
	TruePositive = "true-positive"
)

// States lists the states that an entry may have.
var States = []string{Accepted, FalsePositive, TruePositive}

// Entry is one decision. Rule, SubRule, Tool and Where are for its reader; the
// fingerprint alone decides.
type Entry struct {
	Fingerprint string
	Rule        string
	SubRule     string
	Tool        string
	Where       string // "trace:line" where it was last seen
	State       string
	Reason      string
	Owner       string
	Created     string // YYYY-MM-DD
	Expires     string // YYYY-MM-DD, the last day on which it holds; "" for ever
}

// File is a baseline in memory.
type File struct {
	entries map[string]*Entry
	met     map[string]bool
	expired map[string]bool // met after their day
}

// New returns an empty baseline.
func New() *File {
	return &File{entries: map[string]*Entry{}, met: map[string]bool{}, expired: map[string]bool{}}
}

// Len is the number of entries.
func (b *File) Len() int { return len(b.entries) }

// Get returns the entry of a fingerprint.
func (b *File) Get(fingerprint string) (Entry, bool) {
	e := b.entries[fingerprint]
	if e == nil {
		return Entry{}, false
	}
	return *e, true
}

// Put adds or replaces an entry.
func (b *File) Put(e Entry) { b.entries[e.Fingerprint] = &e }

// Set marks a finding with a state and a note; what an entry of it already says
// beside these is kept. today is the day of a new entry.
func (b *File) Set(f *analyze.Finding, state, note string, today time.Time) {
	e, ok := b.Get(f.Fingerprint)
	if !ok {
		e = Of(f)
		e.Created = Day(today)
	}
	e.State, e.Reason = state, note
	b.Put(e)
}

// Remove takes an entry away and reports whether there was one.
func (b *File) Remove(fingerprint string) bool {
	_, ok := b.entries[fingerprint]
	delete(b.entries, fingerprint)
	return ok
}

// Entries returns all entries in order of fingerprints.
func (b *File) Entries() []Entry {
	out := make([]Entry, 0, len(b.entries))
	for _, e := range b.entries {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(x, y Entry) int { return strings.Compare(x.Fingerprint, y.Fingerprint) })
	return out
}

// Mark sets f.Suppressed where the baseline has an entry for it, and remembers
// that it was met. today is the day of the run.
func (b *File) Mark(f *analyze.Finding, today time.Time) {
	e := b.entries[f.Fingerprint]
	if e == nil {
		return
	}
	b.met[e.Fingerprint] = true
	s := &analyze.Suppression{State: e.State, Reason: e.Reason, Owner: e.Owner, Expires: e.Expires, Expired: e.Over(today)}
	if s.Expired {
		b.expired[e.Fingerprint] = true
	}
	f.Suppressed = s
}

// Over reports that the entry's last day is past. Days are those of UTC.
func (e *Entry) Over(today time.Time) bool { return e.Expires != "" && Day(today) > e.Expires }

// Stale returns the entries that no marked finding has met, and Expired those
// that one met after their day; both in order.
func (b *File) Stale() []Entry {
	return slices.DeleteFunc(b.Entries(), func(e Entry) bool { return b.met[e.Fingerprint] })
}

// Expired returns the entries that a finding met after their day.
func (b *File) Expired() []Entry {
	return slices.DeleteFunc(b.Entries(), func(e Entry) bool { return !b.expired[e.Fingerprint] })
}

// Day is a day as the file writes it.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
