package jsonrpc

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// plainMasks is the byte by byte reading of what the kernels compute.
func plainMasks(src []byte, carry uint64) ([]block, uint64) {
	out := make([]block, len(src)/64)
	esc := carry == 1
	for i, c := range src {
		b, bit := &out[i/64], uint64(1)<<(i%64)
		if c == '"' && !esc {
			b.quote |= bit
		}
		if c == '\\' {
			b.back |= bit
		}
		if c < 0x20 || esc && bytes.IndexByte([]byte(`"\/bfnrt`), c) < 0 {
			b.odd |= bit
		}
		if c >= 0x80 {
			b.high |= bit
		}
		esc = c == '\\' && !esc
	}
	if esc {
		return out, 1
	}
	return out, 0
}

func checkKernels(t interface {
	Helper()
	Fatalf(string, ...any)
}, src []byte, carry uint64) {
	t.Helper()
	want, next := plainMasks(src, carry)
	for _, l := range backends() {
		got := make([]block, len(want))
		for i := range got {
			got[i] = block{1, 2, 3, 4} // what an earlier chunk left
		}
		if c := l.masks(src, len(want), got, carry); c != next {
			t.Fatalf("%s: carry %d, want %d", l.name, c, next)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: block %d of %q: %x, want %x", l.name, i, src[i*64:i*64+64], got[i], want[i])
			}
		}
	}
}

func TestKernelsEveryByte(t *testing.T) {
	for c := range 256 {
		for _, before := range []byte{'a', '\\', '"', byte(c)} {
			src := bytes.Repeat([]byte{before, byte(c)}, 64)
			checkKernels(t, src, 0)
			checkKernels(t, src, 1)
		}
	}
}

func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		src := make([]byte, 64*(1+r.IntN(5)))
		mostly := r.IntN(4)
		for i := range src {
			switch {
			case mostly == 0:
				src[i] = byte(r.Uint32())
			case mostly == 1 || r.IntN(3) == 0:
				const marks = "\\\"u/n\x1f\x20\xe9"
				src[i] = marks[r.IntN(len(marks))]
			default:
				src[i] = 'a'
			}
		}
		checkKernels(t, src, uint64(r.IntN(2)))
	}
}

func TestKernelsAgreeShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.SampledFrom([]byte("\\\\\\\"u\n\xffa")), 64, 64*4).Draw(t, "src")
		checkKernels(t, src[:len(src)/64*64], rapid.Uint64Range(0, 1).Draw(t, "carry"))
	})
}

// What stands behind a buffer must not matter, nor be changed.
func TestLoadLeavesTheRestAlone(t *testing.T) {
	for n := range 200 {
		for _, behind := range []byte{'"', '\\', 0, 'x'} {
			all := bytes.Repeat([]byte{behind}, n+200)
			doc := append(append([]byte(`{"a":"`), bytes.Repeat([]byte("y"), n)...), `"}`...)
			copy(all, doc)
			want := bytes.Clone(all)
			if _, ok := parse(all[:len(doc)], false); !ok {
				t.Fatalf("%d: refused", n)
			}
			if _, ok := parse(all[:len(doc)-2], false); ok {
				t.Fatalf("%d: an open string taken", n)
			}
			if !bytes.Equal(all, want) {
				t.Fatalf("%d: buffer changed", n)
			}
		}
	}
}
