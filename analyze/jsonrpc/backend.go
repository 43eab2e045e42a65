package jsonrpc

// backend is one way to make masks. All backends make the same; a machine has the
// portable one and those of its instruction sets.
type backend struct {
	name  string
	masks func(src []byte, n int, out []block, carry uint64) uint64
}

// backends are those that this machine can run, the fastest last.
func backends() []backend { return append([]backend{{"portable", masksPortable}}, vectors()...) }

// fastest is the backend to use where nobody asks for the portable one.
var fastest = func() backend { all := backends(); return all[len(all)-1] }()
