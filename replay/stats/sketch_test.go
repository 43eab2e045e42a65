package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 10, 100, exact, exact + 1, 3 * exact}).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		var s Sketch
		all := make([]int64, n)
		for i := range all {
			seed = seed*6364136223846793005 + 1442695040888963407
			all[i] = int64(seed>>33) >> (seed % 30)
			s.Add(all[i])
		}
		slices.Sort(all)
		for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
			want := all[max(int(math.Ceil(q*float64(n))), 1)-1]
			got := s.Quantile(q)
			if s.Exact() && got != want || math.Abs(float64(got-want)) > 0.0101*float64(want)+1 {
				t.Fatalf("q %v of %d: %d, want %d", q, n, got, want)
			}
		}
		if s.Min != all[0] || s.Max != all[n-1] || s.N != int64(n) || s.Exact() != (n <= exact) {
			t.Fatalf("%+v", s)
		}
	})
}
