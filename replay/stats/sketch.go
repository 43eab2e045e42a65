package stats

import (
	"math"
	"slices"
)

// Sketch sums up numbers for their percentiles: exact for as many as it keeps,
// beyond that within one percent. Its memory is bounded whatever is added. The
// zero value is ready. Numbers are not negative.
type Sketch struct {
	N, Sum   int64
	Min, Max int64
	kept     []int64
	buckets  map[int]int64 // by logarithm; nil while exact
}

// exact is how many numbers are kept as they are.
const exact = 8192

// gamma is the ratio of a bucket's ends: a number is off by half of that.
var gamma = math.Log(1.02)

// Add adds a number.
func (s *Sketch) Add(v int64) {
	v = max(v, 0)
	if s.N == 0 || v < s.Min {
		s.Min = v
	}
	s.N, s.Sum, s.Max = s.N+1, s.Sum+v, max(s.Max, v)
	if s.buckets == nil && len(s.kept) < exact {
		s.kept = append(s.kept, v)
		return
	}
	if s.buckets == nil {
		s.buckets = make(map[int]int64)
		for _, k := range s.kept {
			s.buckets[bucket(k)]++
		}
		s.kept = nil
	}
	s.buckets[bucket(v)]++
}

func bucket(v int64) int {
	if v == 0 {
		return -1
	}
	return int(math.Log(float64(v)) / gamma)
}

// Exact reports that percentiles are exact.
func (s *Sketch) Exact() bool { return s.buckets == nil }

// Quantile is the smallest number that at least the share q (0 to 1) of the
// numbers do not exceed; 0 without any.
func (s *Sketch) Quantile(q float64) int64 {
	if s.N == 0 {
		return 0
	}
	rank := max(int64(math.Ceil(q*float64(s.N))), 1)
	if s.buckets == nil {
		slices.Sort(s.kept)
		return s.kept[min(rank, s.N)-1]
	}
	keys := make([]int, 0, len(s.buckets))
	for k := range s.buckets {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if rank -= s.buckets[k]; rank <= 0 {
			if k < 0 {
				return 0
			}
			mid := int64(math.Exp((float64(k) + 0.5) * gamma))
			return min(max(mid, s.Min), s.Max)
		}
	}
	return s.Max
}

// Mean is the average, rounded down; 0 without any.
func (s *Sketch) Mean() int64 {
	if s.N == 0 {
		return 0
	}
	return s.Sum / s.N
}
