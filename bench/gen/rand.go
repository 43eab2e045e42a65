package gen

import "math/bits"

// rng is wyrand: one multiplication a draw. The standard generators cost more
// than all the copying, and nothing here needs more than evenly spread bits.
type rng uint64

func newRand(seed uint64) rng {
	r := rng(seed ^ 0x9e3779b97f4a7c15)
	r.next()
	return r
}

func (r *rng) next() uint64 {
	*r += 0xa0761d6478bd642f
	hi, lo := bits.Mul64(uint64(*r), uint64(*r)^0xe7037ed1a0b428db)
	return hi ^ lo
}

// n draws from [0, max).
func (r *rng) n(max int) int {
	hi, _ := bits.Mul64(r.next(), uint64(max))
	return int(hi)
}

// float draws from [0, 1).
func (r *rng) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// one is true once in n draws.
func (r *rng) one(n int) bool { return r.n(n) == 0 }

// pick draws one of a.
func (r *rng) pick(a []string) string { return a[r.n(len(a))] }

// chars appends n characters drawn from alphabet, of at most 64 characters,
// several from each draw.
func (r *rng) chars(b []byte, alphabet string, n int) []byte {
	for n > 0 {
		x := r.next()
		for k := 0; k < 8 && n > 0; k, n = k+1, n-1 {
			b = append(b, alphabet[(x&0xff)*uint64(len(alphabet))>>8])
			x >>= 8
		}
	}
	return b
}
