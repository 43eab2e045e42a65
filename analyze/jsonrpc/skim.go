package jsonrpc

// Skimmer reads a frame that is too large to hold, piece by piece in bounded
// memory, and remembers what the session machine must know of it: the
// top-level id, method and params.name (each at most 64 KiB), and whether it
// has a result or an error (replay.md, "Over-cap frames").
type Skimmer struct {
	ID     []byte
	Method []byte
	Name   []byte
	Has    Has
	Size   int64
}
