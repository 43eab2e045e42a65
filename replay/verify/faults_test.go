package verify

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/replay"
)

// story is a session whose frames 5 and 7 the faults below bite on.
func story() string {
	var b trace
	b.add("c2s", hello).add("s2c", welcome)                                                               // 0 1
	b.add("c2s", fetch).add("s2c", fine)                                                                  // 2 3
	b.add("c2s", fetch).add("s2c", hosts)                                                                 // 4 5
	b.add("c2s", fetch).add("s2c", strings.Replace(fine, "plain", strings.Repeat("long text ", 3000), 1)) // 6 7
	b.add("c2s", fetch).add("s2c", fine)                                                                  // 8 9
	return b.String()
}

// readerFunc changes what is read.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Each planted fault is caught, in every setup by itself, and the first frame
// that shows it is named.
func TestPlantedFaults(t *testing.T) {
	weaker := config(t, analyze.Full)
	weaker.Posture.NoBlockExfilDomain = true
	blind := config(t, analyze.Spec)
	for _, c := range []struct {
		name  string
		plant func(*faults)
		frame int // -1: any
		stage string
		only  string // a setup in which alone the fault shows
	}{
		{"a rule that no longer blocks", func(f *faults) {
			f.config = func(*replay.Config) *replay.Config { return weaker }
		}, 5, "findings", ""},
		{"a rule that is gone", func(f *faults) {
			f.config = func(c *replay.Config) *replay.Config {
				n := *c
				n.Catalog, n.Coverage = blind.Catalog, blind.Coverage
				n.MaxInflight = 1
				n.Posture.AuditOnly = true
				return &n
			}
		}, 5, "findings", ""},
		{"a framer that loses a byte of long messages", func(f *faults) {
			f.from = func(r io.Reader) io.Reader { return losing(r, "long text long") }
		}, 7, "", ""},
		{"a framer that forwards what it did not read", func(f *faults) {
			f.to = func(w io.Writer) io.Writer {
				return writerFunc(func(p []byte) (int, error) {
					_, err := w.Write(bytes.ReplaceAll(p, []byte("1.50e2"), []byte("150.00")))
					return len(p), err
				})
			}
		}, 3, "bytes to the client", ""},
		{"a framer that strips carriage returns", func(f *faults) {
			f.to = func(w io.Writer) io.Writer {
				return writerFunc(func(p []byte) (int, error) {
					_, err := w.Write(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")))
					return len(p), err
				})
			}
		}, -1, "", "newline/random"},
		{"a recorder that rounds numbers", func(f *faults) {
			f.recorded = func(l []byte) []byte { return bytes.ReplaceAll(l, []byte("1.50e2"), []byte("150")) }
		}, 3, "recorded bytes", ""},
		{"a recorder that loses a frame", func(f *faults) {
			f.recorded = func(l []byte) []byte {
				if bytes.Contains(l, []byte("webhook.site")) {
					return nil
				}
				return l
			}
		}, 5, "", ""},
		{"a recorder that turns a direction round", func(f *faults) {
			f.recorded = func(l []byte) []byte {
				if bytes.Contains(l, []byte("webhook.site")) {
					return bytes.Replace(l, []byte("s2c"), []byte("c2s"), 1)
				}
				return l
			}
		}, 5, "recorded direction", ""},
		{"a recorder that loses its last line", func(f *faults) {
			n := 0
			f.recorded = func(l []byte) []byte {
				if n++; n == 10 {
					return nil
				}
				return l
			}
		}, 9, "", "content-length/4096"},
		{"a recorder that writes half a line", func(f *faults) {
			f.recorded = func(l []byte) []byte {
				if bytes.Contains(l, []byte("webhook.site")) {
					return append(l[:len(l)/2], '\n')
				}
				return l
			}
		}, 5, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range append(Setups()[:len(Setups())-1], "") {
				if c.only != "" && s != c.only {
					continue
				}
				o := Options{Config: config(t, analyze.Full), Seed: 1, OnlySetup: s}
				o.faults.patience = time.Second
				c.plant(&o.faults)
				r := run(t, o, story())
				if len(r.sessions) != 1 || r.sessions[0].Diff == nil {
					t.Fatalf("%s: not caught: %+v", s, r.sessions)
				}
				d := r.sessions[0].Diff
				if c.frame >= 0 && (d.Frame != c.frame || d.Line != int64(c.frame)+1) || !strings.HasPrefix(d.Stage, c.stage) {
					t.Errorf("%s: frame %d (line %d), %s: %s / %s; want frame %d, %s", s, d.Frame, d.Line, d.Stage, d.Offline, d.Live, c.frame, c.stage)
				}
				if d.Offline == d.Live {
					t.Errorf("%s: the sides look alike: %s", s, d.Offline)
				}
			}
		})
	}
}

// losing is a reader that drops one byte after a mark, wherever reads are cut.
func losing(r io.Reader, mark string) io.Reader {
	var tail []byte
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		out := p[:0]
		for _, c := range p[:n] {
			if bytes.HasSuffix(tail, []byte(mark)) {
				tail = nil
				continue
			}
			tail = append(tail, c)
			if len(tail) > 64 {
				tail = append(tail[:0], tail[len(tail)-len(mark):]...)
			}
			out = append(out, c)
		}
		if len(out) == 0 && n > 0 && err == nil {
			return r.Read(p[:1]) // never nothing
		}
		return len(out), err
	})
}

// Without a guard at all, a file pipeline that reads otherwise than the plain
// machine is told apart from a guard that does.
func TestOfflineSetup(t *testing.T) {
	r := run(t, Options{Config: config(t, analyze.Full), OnlySetup: setupOffline}, story())
	agree(t, r, 1)
	if r.sessions[0].Setups != 0 {
		t.Errorf("%d setups were played", r.sessions[0].Setups)
	}
}
