package formats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/warden-trace/warden/analyze"
)

// Pair opens the two halves of a session that was captured apart (--c2s FILE
// --s2c FILE; "-" is stdin, for one of them) as one input whose Source is their
// Merge. The caller closes what is returned once it has read.
func Pair(c2s, s2c string, stdin io.Reader, o Options) (*Input, io.Closer, error) {
	if c2s == "" || s2c == "" {
		return nil, nil, errors.New("--c2s and --s2c go together: one file has one direction only")
	}
	if c2s == s2c {
		return nil, nil, errors.New("--c2s and --s2c name the same file")
	}
	in := &Input{Name: filepath.ToSlash(c2s) + "+" + filepath.ToSlash(s2c), Size: -1, Explicit: true}
	var open files
	var half [3]Source
	for i, name := range []string{c2s, s2c} {
		dir := analyze.ClientToServer + analyze.Direction(i)
		in.halves[dir] = filepath.ToSlash(name)
		r := interruptible(stdin, o.Interrupt)
		if name != "-" {
			st, err := os.Stat(name)
			regular := err == nil && st.Mode().IsRegular()
			f, err := openInput(name, regular, o.Interrupt)
			if err != nil {
				open.Close()
				return nil, nil, fmt.Errorf("%s: %w", Printable(name), bare(err))
			}
			open = append(open, f)
			r = f
			if !regular {
				r = interruptible(f, o.Interrupt)
			}
		}
		o := o
		o.Dir = dir
		src, err := Open(in.halves[dir], r, o)
		if err != nil {
			open.Close()
			return nil, nil, err
		}
		half[dir] = src
	}
	in.Source = Merge(half[analyze.ClientToServer], half[analyze.ServerToClient])
	return in, open, nil
}

// File is the name of the file that a record of that direction stands in: for
// a Pair the half, else Name.
func (in *Input) File(dir analyze.Direction) string {
	if name := in.halves[dir]; name != "" {
		return name
	}
	return in.Name
}

type files []*os.File

// Close closes all, and gives the first error.
func (f files) Close() error {
	var first error
	for _, x := range f {
		if err := x.Close(); first == nil {
			first = err
		}
	}
	return first
}
