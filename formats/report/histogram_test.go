package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Whatever comes in whatever order: nothing is lost, every event is in the
// bucket of its time, and there are never more buckets than allowed.
func TestHistogramKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histogram{max: rapid.IntRange(2, 50).Draw(t, "max")}
		at := rapid.SliceOfN(rapid.Int64(), 1, 200).Draw(t, "positions")
		for _, p := range at {
			h.at(p).block++
		}
		if len(h.cells) > h.max {
			t.Fatalf("%d buckets, at most %d allowed", len(h.cells), h.max)
		}
		want := make([]uint32, len(h.cells))
		for _, p := range at {
			want[p>>h.shift-h.lo]++
		}
		for i := range want {
			if h.cells[i].block != want[i] {
				t.Fatalf("bucket %d holds %d, wanted %d", i, h.cells[i].block, want[i])
			}
		}
		// No wider than it must be: half the width would not do.
		if h.shift > 0 {
			lo, hi := at[0], at[0]
			for _, p := range at {
				lo, hi = min(lo, p), max(hi, p)
			}
			if s := h.shift - 1; uint64(hi>>s)-uint64(lo>>s) < uint64(h.max) {
				t.Fatalf("buckets of 1<<%d are wider than needed", h.shift)
			}
		}
	})
}

// The times of a hostile recording are as far apart as can be.
func TestHistogramEndsOfTime(t *testing.T) {
	for _, ends := range [][2]int64{{math.MinInt64, math.MaxInt64}, {-1 << 62, 1 << 62}, {math.MaxInt64, math.MinInt64}} {
		h := histogram{max: 500}
		h.at(ends[0]).block++
		h.at(ends[1]).note++
		if n := len(h.cells); n > h.max || h.cells[0] == h.cells[n-1] {
			t.Errorf("%v: %d buckets", ends, n)
		}
	}
}
