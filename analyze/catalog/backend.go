package catalog

// backend is one way to run the two loops that see every byte of a text. All
// levels do the same; a machine has the portable one and those of its
// instruction sets.
type backend struct {
	name   string
	kernel func(src []byte, n int, out []block, t *tables)
	// unescape decodes what it can of src, as unescape does, and stops where it
	// can't; nil can't anything. It may write as much as jsonrpc.Pad bytes behind
	// len(src) of dst.
	unescape func(dst, src []byte) (wrote, read int)
}

var portable = backend{"portable", kernelPortable, nil}

// backends are those that this machine can run, the fastest last.
func backends() []backend { return append([]backend{portable}, vectors()...) }

// fastest is the backend to use where nobody asks for the portable one.
var fastest = func() backend { all := backends(); return all[len(all)-1] }()
