package program

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report/target"
)

// Named is a file that a flag names.
type Named struct{ Flag, Path string }

func (n Named) String() string {
	if n.Flag == "" {
		return n.Path
	}
	return n.Flag + " " + n.Path
}

// Targets are what one run writes, held against what it reads: a file that is
// both would be gone, and of two reports at one place the first.
type Targets struct {
	Out    []Named // reports; "-" is standard output
	In     []Named // single files that are read
	Traces []string
	Read   formats.Options // how the traces are read
}

// Check refuses, before anything is read or written, targets that are no name
// at all, that two reports share, or that are inputs too.
func (t *Targets) Check(w *World) error {
	ins, trees := t.inputs(w)
	for i, out := range t.Out {
		if out.Path == "" {
			continue // a flag that was not given
		}
		a := place(out.Path, w.Stdout)
		for _, other := range t.Out[:i] {
			if other.Path != "" && a.same(place(other.Path, w.Stdout)) {
				where := formats.Printable(out.Path)
				if a.stdout {
					where = "standard output"
				}
				return Fail("give each report a file of its own", "%s and %s both write to %s", label(other), label(out), where)
			}
		}
		if a.st == nil || !a.st.Mode().IsRegular() {
			continue
		}
		for _, in := range ins {
			if b := place(in.Path, nil); b.st != nil && os.SameFile(a.st, b.st) {
				return clash(out, in)
			}
		}
		for _, tree := range trees {
			if a.below(tree.Path) && formats.Recognised(a.path, t.Read) {
				return clash(out, Named{Path: tree.Path + " holds it"})
			}
		}
	}
	return nil
}

// Apart refuses an output that one of the files in is: what is there now would
// be lost.
func Apart(w *World, output string, in ...Named) error {
	return (&Targets{Out: []Named{{Flag: "--output", Path: output}}, In: in}).Check(w)
}

func label(n Named) string {
	if n.Flag == "" {
		return "the report"
	}
	return n.Flag
}

func clash(out, in Named) error {
	what := "it is read too (" + in.String() + ")"
	return Fail("name another file: what is there now would be lost", "%s %s: %s", label(out), formats.Printable(out.Path), formats.Printable(what))
}

// inputs are the files that are read, and the folders.
func (t *Targets) inputs(w *World) (ins, trees []Named) {
	standard := func() {
		if f, ok := w.Stdin.(*os.File); ok {
			ins = append(ins, Named{Flag: "standard input", Path: f.Name()})
		}
	}
	for _, in := range t.In {
		if in.Path == "-" {
			standard()
		} else {
			ins = append(ins, in)
		}
	}
	add := func(path string) {
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			trees = append(trees, Named{Path: path})
			return
		}
		ins = append(ins, Named{Path: path})
	}
	for _, arg := range t.Traces {
		switch {
		case arg == "-":
			standard()
			continue
		case arg == "...":
			arg = "."
		default:
			if dir, ok := strings.CutSuffix(filepath.ToSlash(arg), "/..."); ok {
				arg = filepath.FromSlash(dir)
				if dir == "" {
					arg = string(filepath.Separator)
				}
			}
		}
		if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[") {
			names, _ := filepath.Glob(arg)
			for _, n := range names {
				add(n)
			}
			continue
		}
		add(arg)
	}
	return ins, trees
}

// spot is where a target really is.
type spot struct {
	stdout bool
	path   string      // absolute, links of its folder resolved; "" for standard output
	st     os.FileInfo // nil where there is nothing yet
}

func place(path string, stdout io.Writer) spot {
	switch path {
	case "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		s := spot{stdout: true}
		if f, ok := stdout.(stater); ok {
			s.st, _ = f.Stat()
		}
		return s
	}
	s := spot{path: path}
	s.st, _ = os.Stat(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		s.path = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		s.path = filepath.Join(dir, filepath.Base(path))
	}
	if abs, err := filepath.Abs(s.path); err == nil {
		s.path = abs
	}
	return s
}

// same reports two targets of which one would take the other's place. A device
// such as /dev/null takes any number of reports.
func (a spot) same(b spot) bool {
	if a.stdout && b.stdout {
		return true
	}
	if a.st != nil && b.st != nil {
		return a.st.Mode()&fs.ModeDevice == 0 && os.SameFile(a.st, b.st)
	}
	return !a.stdout && !b.stdout && a.st == nil && b.st == nil && a.path == b.path
}

// below reports a file in dir or in a folder of it.
func (a spot) below(dir string) bool {
	root, err := os.Stat(dir)
	if err != nil || a.path == "" {
		return false
	}
	for d := filepath.Dir(a.path); ; d = filepath.Dir(d) {
		if st, err := os.Stat(d); err == nil && os.SameFile(st, root) {
			return true
		}
		if d == filepath.Dir(d) {
			return false
		}
	}
}

// Create opens a report's target, so that one that can't be written is an error
// before a trace is read. Where that waits (a FIFO that nobody reads), an
// interrupt ends it.
func (w *World) Create(path string) (*target.File, error) {
	f, err := target.CreateUntil(path, w.Stdout, w.Interrupt)
	if errors.Is(err, context.Canceled) {
		return nil, Interrupted("nothing was written")
	}
	return f, err
}
