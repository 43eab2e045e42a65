package guard

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/warden-trace/warden/analyze/allowlist"
)

// AllowFile is an allow-list's file while it is in use: it is read again when
// it changes, and one that can't be used any more denies every call until it
// can (policy.md section 2, point 3). It is used by one goroutine at a time.
type AllowFile struct {
	path   string
	limits allowlist.Limits
	note   func(string)

	begun bool        // it was read here at least once
	stat  fs.FileInfo // nil: the file could not be found
	sum   [sha256.Size]byte
	read  time.Time
	state string // what the last Load made of it
}

// settled is how old a change must be before equal size and time mean equal
// content: clocks of file systems are coarse.
const settled = 2 * time.Second

// WatchAllow watches the file that list was read from. Notes are sentences for
// the user.
func WatchAllow(path string, list *allowlist.Policy, note func(string)) *AllowFile {
	return &AllowFile{path: path, limits: list.Limits, note: note}
}

// Changed reports that the file is not what was read last.
func (a *AllowFile) Changed() bool {
	if !a.begun {
		return true // it may have changed since it was read at the start
	}
	st, err := os.Stat(a.path)
	if err != nil {
		return a.stat != nil
	}
	if a.stat == nil || !os.SameFile(st, a.stat) || st.Size() != a.stat.Size() || !st.ModTime().Equal(a.stat.ModTime()) {
		return true
	}
	if a.read.Sub(st.ModTime()) > settled || time.Since(st.ModTime()) < 0 {
		return false
	}
	// It was read right after it was written: another change may have left
	// the same time.
	data, err := a.content()
	return err != nil || sha256.Sum256(data) != a.sum
}

// Load reads the file.
func (a *AllowFile) Load() *allowlist.Policy {
	first := !a.begun
	a.begun = true
	data, err := a.content()
	if err != nil {
		a.tell("the allow-list can't be read any more: every call is denied until it can")
		return allowlist.Unavailable(a.path, a.limits)
	}
	a.sum = sha256.Sum256(data)
	p, err := allowlist.Load(a.path, data, a.limits)
	if err != nil {
		a.tell("the allow-list has changed and is not valid: every call is denied until it is: " + err.Error())
		return allowlist.Invalid(a.path, a.limits)
	}
	if !first {
		a.note("the allow-list was read again; it counts from here on")
	}
	a.state = ""
	return p
}

// tell says what happened, once.
func (a *AllowFile) tell(s string) {
	if s != a.state {
		a.state = s
		a.note(s)
	}
}

// maxAllowFile is more than any limit on a list admits that anyone would set;
// a larger file is read no further and is invalid then.
const maxAllowFile = 16 << 20

// content reads the file and notes which state of it was read. What it notes
// is never newer than what it read.
func (a *AllowFile) content() ([]byte, error) {
	a.stat = nil
	f, err := os.Open(a.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	a.read = time.Now()
	data, err := io.ReadAll(io.LimitReader(f, maxAllowFile+1))
	if err != nil {
		return nil, err
	}
	a.stat = st
	return data, nil
}
