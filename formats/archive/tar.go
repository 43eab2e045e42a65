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
	tail := &tailReader{r: r}
	t := tar.NewReader(tail)
	end := int64(0) // of the member in hand, with what fills its last block
	for {
		h, err := t.Next()
		if err == io.EOF && tail.ended(end) {
			return true
		}
		if err == io.EOF {
			// The library takes a cut between two members for the end.
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return yield(Member{Name: strings.TrimSuffix(prefix, "!")}, damaged("tar", err))
		}
		if end = tail.n; h.Typeflag == tar.TypeReg && !sparse(h) {
			end += (h.Size + tarBlock - 1) / tarBlock * tarBlock
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

// tarBlock is the unit of a tar archive, which ends with two blocks of zeros.
const tarBlock = 512

// tailReader counts what is read through it and knows its last block.
type tailReader struct {
	r    io.Reader
	n    int64
	last [tarBlock]byte
}

func (t *tailReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if t.n += int64(n); n >= tarBlock {
		copy(t.last[:], p[n-tarBlock:n])
	} else if n > 0 {
		copy(t.last[:], t.last[n:])
		copy(t.last[tarBlock-n:], p[:n])
	}
	return n, err
}

// ended reports whether at least one block of zeros came behind the member that
// ends at end. Of a sparse member's end the headers do not tell: there the last
// block alone counts.
func (t *tailReader) ended(end int64) bool {
	return t.n > end && t.last == [tarBlock]byte{}
}

// sparse reports a member whose size is not what it takes in the archive.
func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// clean makes a member's name relative and slash separated. It is only shown,
// never opened.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, "\\", "/")), "/")
}
