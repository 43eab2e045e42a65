package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/warden-trace/warden/formats/archive"
)

// InputOptions steer Inputs.
type InputOptions struct {
	Options
	// Passed is called for each file of a directory, glob or archive that is
	// no trace, with the reason (ErrIrregular for what is no file with bytes of its
	// own), by the goroutine that goes through the inputs; nil: nobody wants to know.
	Passed func(name string, why error)
}

// ErrIrregular is why pipes, devices and links in a directory are passed over.
var ErrIrregular = errors.New("not a regular file")

// errNoTrace is wrapped when a directory, glob or archive holds no trace.
var errNoTrace = errors.New("no trace in it")

// Inputs goes through what the user named: files, directories (recursive, in
// sorted order; symbolic links inside are not followed), globs, tar archives
// (member by member), and "-" for stdin. Each Input is open until the next
// step, its layers of compression are off. An error belongs to one argument or
// file; the walk goes on after it. What is found in a directory, glob or
// archive and is of no known form is passed over, but one without any trace is
// an error that names it.
func Inputs(args []string, stdin io.Reader, o InputOptions) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		w := walker{o: o, stdin: stdin, yield: yield}
		for _, arg := range args {
			if !w.arg(arg) {
				return
			}
		}
	}
}

type walker struct {
	o     InputOptions
	stdin io.Reader
	yield func(*Input, error) bool
	found int // traces (or failures, which are told on their own) under this argument
}

func (w *walker) fail(name string, err error) bool {
	return w.yield(nil, fmt.Errorf("%s: %w", Printable(name), err))
}

func (w *walker) passed(name string, why error) {
	if w.o.Passed != nil {
		w.o.Passed(name, why)
	}
}

func (w *walker) arg(arg string) bool {
	if arg == "-" {
		return w.stream(&Input{Name: "-", R: interruptible(w.stdin, w.o.Interrupt), Size: -1, Explicit: true})
	}
	if arg == "" {
		return w.fail(arg, errors.New("an empty file name; name a trace, a directory, or - for standard input"))
	}
	path := arg
	if dir, ok := strings.CutSuffix(filepath.ToSlash(arg), "/..."); ok {
		path = filepath.FromSlash(dir)
		if dir == "" {
			path = string(filepath.Separator)
		}
	} else if arg == "..." {
		path = "."
	}
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return w.group(arg, func() bool { return w.dir(path) })
	case err == nil:
		if path != arg {
			return w.fail(arg, errors.New("not a directory"))
		}
		return w.file(path, st, true)
	case errors.Is(err, fs.ErrNotExist) && path == arg && strings.ContainsAny(arg, "*?["):
		return w.glob(arg, err)
	}
	return w.fail(arg, bare(err))
}

// group reports an argument under which no trace was found.
func (w *walker) group(name string, walk func() bool) bool {
	w.found = 0
	if !walk() {
		return false
	}
	if w.found == 0 {
		return w.fail(name, errNoTrace)
	}
	return true
}

func (w *walker) glob(pattern string, missing error) bool {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return w.fail(pattern, bare(missing))
	}
	if len(names) == 0 {
		return w.fail(pattern, errors.New("no such file, and as a pattern it fits none"))
	}
	sort.Strings(names)
	return w.group(pattern, func() bool {
		for _, name := range names {
			st, err := os.Stat(name)
			switch {
			case err != nil:
				w.found++
				if !w.fail(name, bare(err)) {
					return false
				}
			case st.IsDir():
				if !w.dir(name) {
					return false
				}
			case !st.Mode().IsRegular():
				w.passed(name, ErrIrregular)
			default:
				if !w.file(name, st, false) {
					return false
				}
			}
		}
		return true
	})
}

// dir walks with a list of its own: nesting is the file system's, not ours.
func (w *walker) dir(root string) bool {
	pending := []string{root}
	for len(pending) > 0 {
		path := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		st, err := os.Lstat(path)
		if err == nil && path == root {
			st, err = os.Stat(path) // a link that the user named is followed
		}
		var entries []os.DirEntry
		if err == nil && st.IsDir() {
			entries, err = os.ReadDir(path) // sorted by name
		}
		switch {
		case err != nil:
			w.found++
			if !w.fail(path, bare(err)) {
				return false
			}
		case st.IsDir():
			for i := len(entries) - 1; i >= 0; i-- {
				pending = append(pending, filepath.Join(path, entries[i].Name()))
			}
		case !st.Mode().IsRegular():
			w.passed(path, ErrIrregular)
		default:
			if !w.file(path, st, false) {
				return false
			}
		}
	}
	return true
}

func (w *walker) file(path string, st fs.FileInfo, explicit bool) bool {
	regular := st.Mode().IsRegular()
	f, err := openInput(path, regular, w.o.Interrupt)
	if err != nil {
		w.found++
		return w.fail(path, bare(err))
	}
	defer f.Close()
	in := &Input{Name: filepath.ToSlash(path), Path: path, R: f, Size: -1, Explicit: explicit}
	if !regular {
		in.R = interruptible(f, w.o.Interrupt)
	} else {
		in.Size, in.Pos = st.Size(), new(atomic.Int64)
		in.R = &counter{f, in.Pos}
	}
	return w.stream(in)
}

// stream takes the wrappings off and hands on what is inside.
func (w *walker) stream(in *Input) bool {
	r, info, err := archive.Open(in.R, archive.Options{WindowLog: w.o.ZstdWindowLog})
	if err != nil {
		return w.unopened(in, err)
	}
	if !info.Tar {
		in.R = r
		return w.offer(in)
	}
	walk := func() bool { return w.tar(in, r) }
	if !in.Explicit {
		return walk()
	}
	return w.group(in.Name, walk)
}

func (w *walker) tar(in *Input, r io.Reader) bool {
	for m, err := range archive.Members(r, archive.Options{WindowLog: w.o.ZstdWindowLog}) {
		part := &Input{Name: in.Name, Path: in.Path, R: m.R, Size: -1}
		if m.Name != "" {
			part.Name += "!" + m.Name
		}
		ok := true
		if err != nil {
			ok = w.unopened(part, err)
		} else {
			ok = w.offer(part)
		}
		if !ok {
			return false
		}
	}
	return true
}

// unopened tells of an input whose wrapping can't be taken off: inside a
// directory, a form that is not ours is passed over; damage never is.
func (w *walker) unopened(in *Input, err error) bool {
	var foreign *archive.ForeignError
	if !in.Explicit && errors.As(err, &foreign) {
		w.passed(in.Name, err)
		return true
	}
	w.found++
	return w.fail(in.Name, bare(err))
}

func (w *walker) offer(in *Input) bool {
	if !in.Explicit {
		br := bufio.NewReaderSize(in.R, sniffLen)
		in.R = br
		head, err := br.Peek(sniffLen)
		if len(head) == 0 && err != nil && err != io.EOF {
			w.found++
			return w.fail(in.Name, bare(err))
		}
		if why := fit(head, err == io.EOF, w.o.Options); why != nil {
			w.passed(in.Name, why)
			return true
		}
	}
	w.found++
	return w.yield(in, nil)
}

// fit says why the head of a file that nobody named is no trace.
func fit(head []byte, whole bool, o Options) error {
	if enc := utf16Of(head); enc != nil {
		text, err := enc.NewDecoder().Bytes(head[:len(head)&^1])
		if err != nil {
			return err
		}
		head = text
	}
	s, err := sniff(head, whole, o)
	if err != nil {
		return err
	}
	if s.form == formEmpty {
		return errors.New("empty")
	}
	if s.weak {
		return errors.New("text with a frame in it, but no recording")
	}
	return nil
}

// bare drops the path that os errors carry: fail names the input itself.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && err == error(pe) {
		return pe.Err
	}
	return err
}

type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Printable is a file name as an error may show it: control characters, bytes
// that are no UTF-8 and characters that reorder or hide text are escaped.
func Printable(name string) string {
	return printable(name)
}

// Recognised reports whether the file at path would be read as a trace, or as
// an archive of traces, where it is found in a directory.
func Recognised(path string, o Options) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	found := false
	w := walker{o: InputOptions{Options: o}, yield: func(*Input, error) bool {
		found = true
		return false
	}}
	w.stream(&Input{Name: path, R: f, Size: -1})
	return found
}
