package tape

import "github.com/klauspost/compress/zstd"

// seekCache holds the frames of a seekable file that were decoded last, as
// stepping back visits the same few over and over: those of one session lie
// apart. It decodes into the memory of those that it has dropped: a reader who jumps about
// would else leave hundreds of megabytes a minute to be collected while the next
// key waits. It is for a reader that one goroutine at a time is in, so that a
// dropped frame is nobody's.
type seekCache struct {
	dec   *zstd.Decoder
	kept  []seekFrame // the latest is the last
	bytes int
	free  [][]byte
}

type seekFrame struct {
	id   int64
	data []byte
}

const (
	maxKept      = 16
	maxKeptBytes = 16 << 20
	maxFree      = 2
)

// Get returns a frame that is held.
func (c *seekCache) Get(id int64) ([]byte, bool) {
	for i := len(c.kept) - 1; i >= 0; i-- {
		if f := c.kept[i]; f.id == id {
			c.kept = append(append(c.kept[:i], c.kept[i+1:]...), f)
			return f.data, true
		}
	}
	return nil, false
}

// Put holds a frame, and drops those that were asked for the longest ago where
// there is no room. The frame itself stays however large it is: it is in use.
func (c *seekCache) Put(id int64, data []byte) {
	c.kept = append(c.kept, seekFrame{id, data})
	c.bytes += len(data)
	drop := 0
	for ; len(c.kept)-drop > maxKept || c.bytes > maxKeptBytes && len(c.kept)-drop > 1; drop++ {
		c.bytes -= len(c.kept[drop].data)
		if len(c.free) < maxFree {
			c.free = append(c.free, c.kept[drop].data)
		}
	}
	n := copy(c.kept, c.kept[drop:])
	clear(c.kept[n:])
	c.kept = c.kept[:n]
}

// Clear drops everything.
func (c *seekCache) Clear() { c.kept, c.bytes, c.free = nil, 0, nil }

// DecodeAll decodes a frame into memory that is free, if there is any.
func (c *seekCache) DecodeAll(in, dst []byte) ([]byte, error) {
	if n := len(c.free); n > 0 && dst == nil {
		dst, c.free = c.free[n-1][:0], c.free[:n-1]
	}
	return c.dec.DecodeAll(in, dst)
}
