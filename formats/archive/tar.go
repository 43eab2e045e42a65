package archive

import (
	"archive/tar"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
)

// Member is one regular file of a tar archive, unpacked.
type Member struct {
	Name string // as recorded, slash separated, "!" before the member of an inner tar
	R    io.Reader
	Size int64 // bytes as recorded in the archive, before unpacking
}

// Members goes through the regular files of a tar archive in its order, with
// their own compression taken off and tars inside opened (MaxDepth in all).
// Links, devices and directories are passed over: nothing is ever written or
// followed. An error about one member does not end the walk; damage to the
// archive itself does. Member.R is valid until the next step.
func Members(r io.Reader, o Options) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		members(r, o, "", 1, yield)
	}
}

func members(r io.Reader, o Options, prefix string, depth int, yield func(Member, error) bool) bool {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return yield(Member{Name: strings.TrimSuffix(prefix, "!")}, damaged("tar", err))
		}
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse {
			continue
		}
		name := prefix + clean(h.Name)
		in, info, err := open(t, o, depth)
		if err != nil {
			if !yield(Member{Name: name}, err) {
				return false
			}
			continue
		}
		if info.Tar {
			if depth+len(info.Layers)+1 > MaxDepth {
				if !yield(Member{Name: name}, fmt.Errorf("%w: more than %d", ErrDepth, MaxDepth)) {
					return false
				}
				continue
			}
			// Depth is bounded by MaxDepth, so this recursion is too.
			if !members(in, o, name+"!", depth+len(info.Layers)+1, yield) {
				return false
			}
			continue
		}
		if !yield(Member{Name: name, R: in, Size: h.Size}, nil) {
			return false
		}
	}
}

// clean makes a member's name relative and slash separated. It is only shown,
// never opened.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, "\\", "/")), "/")
}
