package tape

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestSeekCache states what is held, what is dropped, and that what was dropped
// is used again.
func TestSeekCache(t *testing.T) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	c := &seekCache{dec: dec}
	put := func(id int64, size int) []byte {
		t.Helper()
		want := bytes.Repeat([]byte{byte(id)}, size)
		got, err := c.DecodeAll(enc.EncodeAll(want, nil), nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("frame %d: %d bytes, %v", id, len(got), err)
		}
		c.Put(id, got)
		return got
	}
	for id := range int64(maxKept) {
		put(id, 1000)
	}
	c.Get(0)
	put(maxKept, 1000)
	if _, ok := c.Get(1); ok {
		t.Error("the frame that was asked for the longest ago is still there")
	}
	for _, id := range []int64{0, 2, maxKept} {
		if b, ok := c.Get(id); !ok || len(b) != 1000 || b[999] != byte(id) {
			t.Errorf("frame %d: %d bytes, %v", id, len(b), ok)
		}
	}
	free := c.free[0]
	if got := put(100, 900); &got[0] != &free[:1][0] {
		t.Error("the memory of the dropped frame is not used again")
	}
	put(101, maxKeptBytes+1)
	if _, ok := c.Get(101); !ok || len(c.kept) != 1 {
		t.Errorf("of a frame over the limit %v and %d frames are held; want it alone", ok, len(c.kept))
	}
	put(102, 10)
	if _, ok := c.Get(102); !ok || len(c.kept) != 1 || c.bytes != 10 {
		t.Errorf("%d frames of %d bytes are held; want the latest alone", len(c.kept), c.bytes)
	}
	if len(c.free) > maxFree {
		t.Errorf("%d buffers are free, more than %d", len(c.free), maxFree)
	}
}
