package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

func zst(t testing.TB, b []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.EncodeAll(b, nil)
}

func gz(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarOf(t testing.TB, names []string, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, n := range names {
		h := &tar.Header{Name: n, Mode: 0o644, Size: int64(len(files[n])), Typeflag: tar.TypeReg}
		if files[n] == nil {
			h.Typeflag, h.Linkname = tar.TypeSymlink, "/etc/passwd"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(files[n])
	}
	w.Close()
	return out.Bytes()
}

// skippable is a zstd frame that holds no data.
func skippable(b string) []byte {
	return append([]byte{0x5e, 0x2a, 0x4d, 0x18, byte(len(b)), 0, 0, 0}, b...)
}

// windowed is a zstd frame that asks for a window of 2^log and holds b raw.
func windowed(log int, b string) []byte {
	n := len(b)<<3 | 1
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3, byte(n), byte(n >> 8), byte(n >> 16)}, b...)
}

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestOpen(t *testing.T) {
	text := []byte(strings.Repeat("some text that is long enough to compress. ", 20000))
	a, b := zst(t, text), zst(t, []byte("more"))
	for _, tt := range []struct {
		name   string
		in     []byte
		o      Options
		want   string
		layers []string
		err    string // part of the error of opening or reading
	}{
		{name: "plain", in: []byte("plain"), want: "plain"},
		{name: "empty"},
		{name: "zstd", in: a, want: string(text), layers: []string{"zstd"}},
		{name: "zstd of several frames", in: cat(a, skippable("index"), b, skippable("")), want: string(text) + "more", layers: []string{"zstd"}},
		{name: "skippable first", in: cat(skippable("x"), b), want: "more", layers: []string{"zstd"}},
		{name: "skippable alone", in: skippable("x"), layers: []string{"zstd"}},
		{name: "zstd with junk behind", in: cat(b, []byte("garbage!")), want: "more", layers: []string{"zstd"}, err: "after the end of a frame"},
		{name: "zstd, cut in the second frame", in: cat(b, a[:20]), want: "more", layers: []string{"zstd"}, err: "cut short"},
		{name: "window 2^27", in: windowed(27, "w"), want: "w", layers: []string{"zstd"}},
		{name: "window 2^28", in: windowed(28, "w"), layers: []string{"zstd"}, err: "--zstd-window-log N, up to 31"},
		{name: "window 2^28 behind a frame", in: cat(b, windowed(28, "w")), want: "more", layers: []string{"zstd"}, err: "--zstd-window-log"},
		{name: "window 2^31, allowed", in: windowed(31, "w"), o: Options{WindowLog: 31}, want: "w", layers: []string{"zstd"}},
		{name: "window 2^32", in: windowed(32, "w"), o: Options{WindowLog: 31}, layers: []string{"zstd"}, err: "more than 2^31"},
		{name: "bad log", in: b, o: Options{WindowLog: 32}, err: "--zstd-window-log 32: give a number from 10 to 31", layers: []string{"zstd"}},
		{name: "gzip", in: gz(t, text), want: string(text), layers: []string{"gzip"}},
		{name: "gzip of several members", in: cat(gz(t, text), gz(t, []byte("more"))), want: string(text) + "more", layers: []string{"gzip"}},
		{name: "gzip with junk behind", in: cat(gz(t, []byte("a")), []byte("garbage garbage")), want: "a", layers: []string{"gzip"}, err: "no gzip"},
		{name: "gzip with a little junk behind", in: cat(gz(t, []byte("a")), []byte("junk")), want: "a", layers: []string{"gzip"}, err: "no gzip"},
		{name: "gzip with one byte behind", in: cat(gz(t, []byte("a")), []byte("\x1f")), want: "a", layers: []string{"gzip"}, err: "no gzip"},
		{name: "gzip cut in its second header", in: cat(gz(t, []byte("a")), gz(t, []byte("b"))[:5]), want: "a", layers: []string{"gzip"}, err: "cut short"},
		{name: "nested", in: gz(t, zst(t, gz(t, []byte("deep")))), want: "deep", layers: []string{"gzip", "zstd", "gzip"}},
		{name: "too deep", in: gz(t, gz(t, gz(t, gz(t, gz(t, []byte("deep")))))), layers: []string{"gzip", "gzip", "gzip", "gzip"}, err: "too many layers"},
		{name: "xz", in: []byte("\xfd7zXZ\x00rest"), err: "xz data"},
		{name: "zip", in: []byte("PK\x03\x04rest"), err: "zip data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, slow := range []bool{false, true} {
				var r io.Reader = bytes.NewReader(tt.in)
				if slow && len(tt.in) < 10000 {
					r = iotest.OneByteReader(r)
				}
				got, info, err := Open(r, tt.o)
				var out []byte
				if err == nil {
					out, err = io.ReadAll(got)
				}
				if string(out) != tt.want {
					t.Errorf("got %d bytes, want %d", len(out), len(tt.want))
				}
				if d := cmp.Diff(tt.layers, info.Layers); d != "" {
					t.Errorf("layers: %s", d)
				}
				if tt.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
			}
		})
	}
}

// What a cut stream still holds comes before the error, for any cut.
func TestCutAnywhere(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 1<<20)
	for i := range text {
		text[i] = 'a' + byte(rnd.IntN(16))
	}
	for name, in := range map[string][]byte{"zstd": zst(t, text), "gzip": gz(t, text)} {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(20, len(in)-1).Draw(t, "cut")
			r, _, err := Open(bytes.NewReader(in[:n]), Options{})
			var out []byte
			if err == nil {
				out, err = io.ReadAll(r)
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s cut at %d: error %v", name, n, err)
			}
			if !bytes.HasPrefix(text, out) {
				t.Fatalf("%s cut at %d: wrong bytes", name, n)
			}
			if n > len(in)/2 && len(out) < len(text)/4 {
				t.Fatalf("%s cut at %d of %d: only %d of %d bytes", name, n, len(in), len(out), len(text))
			}
		})
	}
}

// A bomb is streamed: what it expands to is never held.
func TestBombMemory(t *testing.T) {
	var bomb bytes.Buffer
	e, _ := zstd.NewWriter(&bomb, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	zero := make([]byte, 1<<20)
	for range 256 {
		e.Write(zero)
	}
	e.Close()
	r, _, err := Open(bytes.NewReader(bomb.Bytes()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := io.Copy(io.Discard, struct{ io.Reader }{r})
	runtime.ReadMemStats(&after)
	if err != nil || n != 256<<20 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes allocated for a window of 1 MiB", used)
	}
}

func TestMembers(t *testing.T) {
	inner := tarOf(t, []string{"x.jsonl"}, map[string][]byte{"x.jsonl": []byte("inner")})
	deep := []byte("deep")
	for range MaxDepth + 1 {
		deep = tarOf(t, []string{"d"}, map[string][]byte{"d": deep})
	}
	files := map[string][]byte{
		"a.jsonl": []byte("one"), "b/c.zst": zst(t, []byte("two")), "../../etc/evil": []byte("three"), "in.tar": inner,
		"bad.gz": {0x1f, 0x8b, 8, 9}, "e": {}, "deep.tar": deep, "f.xz": []byte("\xfd7zXZ\x00"),
	}
	names := []string{"a.jsonl", "b/c.zst", "link", "../../etc/evil", "in.tar", "bad.gz", "e", "deep.tar", "f.xz"}
	for _, wrap := range []func([]byte) []byte{
		func(b []byte) []byte { return b },
		func(b []byte) []byte { return zst(t, b) },
		func(b []byte) []byte { return gz(t, b) },
	} {
		r, info, err := Open(bytes.NewReader(wrap(tarOf(t, names, files))), Options{})
		if err != nil || !info.Tar {
			t.Fatalf("tar %v, %v", info.Tar, err)
		}
		var got []string
		for m, err := range Members(r, Options{}) {
			var b []byte
			if err == nil {
				b, err = io.ReadAll(m.R)
			}
			s := m.Name + "=" + string(b)
			if err != nil {
				s += " error"
			}
			got = append(got, s)
		}
		want := []string{"a.jsonl=one", "b/c.zst=two", "etc/evil=three", "in.tar!x.jsonl=inner", "bad.gz= error", "e=", "deep.tar!d!d!d= error", "f.xz= error"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
}

// TestTarCutBetweenMembers: an archive that ends where a member could begin,
// without its end, may lack members.
func TestTarCutBetweenMembers(t *testing.T) {
	zeros := bytes.Repeat([]byte{0}, 1024)
	whole := tarOf(t, []string{"a", "z"}, map[string][]byte{"a": []byte("one"), "z": zeros})
	// Header and block of a; header and two blocks of z; the end.
	for _, c := range []struct {
		length   int
		complete bool
	}{{1024, false}, {2560, false}, {2560 + 512, true}, {2560 + 1024, true}, {len(whole), true}} {
		data := whole[:c.length]
		for _, wrap := range []func([]byte) []byte{
			func(b []byte) []byte { return b },
			func(b []byte) []byte { return gz(t, b) },
			func(b []byte) []byte { return tarOf(t, []string{"in.tar"}, map[string][]byte{"in.tar": b}) },
		} {
			r, info, err := Open(bytes.NewReader(wrap(data)), Options{})
			if err != nil || !info.Tar {
				t.Fatalf("tar %v, %v", info.Tar, err)
			}
			members, failed := 0, error(nil)
			for m, err := range Members(iotest.OneByteReader(r), Options{}) {
				if err != nil {
					failed = err
					continue
				}
				members++
				io.Copy(io.Discard, io.LimitReader(m.R, 1)) // the rest is skipped
			}
			if want := 1 + min(1, c.length/2560); members != want {
				t.Errorf("%d bytes: %d members, want %d", c.length, members, want)
			}
			if (failed == nil) != c.complete || failed != nil && failed.Error() != "tar: cut short: unexpected EOF" {
				t.Errorf("%d bytes: %v", c.length, failed)
			}
		}
	}
}

func TestDamagedTar(t *testing.T) {
	whole := tarOf(t, []string{"a", "b"}, map[string][]byte{"a": []byte("one"), "b": bytes.Repeat([]byte("x"), 2000)})
	var got []string
	for m, err := range Members(bytes.NewReader(whole[:2500]), Options{}) {
		if err == nil {
			var b []byte
			b, err = io.ReadAll(m.R)
			got = append(got, m.Name+" "+string(b[:3]))
		}
		if err != nil {
			got = append(got, err.Error())
		}
	}
	if len(got) < 3 || got[0] != "a one" || got[1] != "b xxx" {
		t.Errorf("got %q", got)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(windowed(20, "w"))
	f.Add(gz(f, []byte("x")))
	f.Add(tarOf(f, []string{"a"}, map[string][]byte{"a": []byte("x")}))
	f.Add(zst(f, []byte("x")))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, info, err := Open(bytes.NewReader(in), Options{WindowLog: 20})
		if err != nil {
			return
		}
		if !info.Tar {
			io.CopyN(io.Discard, r, 1<<20)
			return
		}
		for m, err := range Members(r, Options{WindowLog: 20}) {
			if err == nil {
				io.CopyN(io.Discard, m.R, 1<<20)
			}
		}
	})
}
