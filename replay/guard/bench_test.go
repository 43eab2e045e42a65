package guard

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/replay"
)

// BenchmarkPass measures what a frame costs apart from pipes and goroutines:
// framing, reading, the machine, queueing.
func BenchmarkPass(b *testing.B) {
	for name, text := range map[string]string{"small": "ok", "64KiB": strings.Repeat("plain words of an ordinary result ", 64<<10/34)} {
		b.Run(name, func(b *testing.B) {
			p := NewProxy(Options{Config: testConfig(b, nil)})
			nothing := func() {}
			p.toClient, p.toServer = newOutbox(io.Discard, queueLimit, nothing), newOutbox(io.Discard, queueLimit, nothing)
			p.decided(Newline, nil)
			side := func(dir analyze.Direction, text []byte, out, back *outbox) *lane {
				return &lane{dir: dir, out: out, back: back, framer: newFramer(&again{text: text}, Newline, 8<<20),
					examine: replay.NewExaminer(p.o.Config.Catalog, p.o.Config.Coverage)}
			}
			req, res := []byte(call(1)+"\n"), result([]byte("1"), text)
			c := side(analyze.ClientToServer, req, p.toServer, p.toClient)
			s := side(analyze.ServerToClient, res, p.toClient, p.toServer)
			b.SetBytes(int64(len(req) + len(res)))
			b.ReportAllocs()
			for b.Loop() {
				for _, l := range []*lane{c, s} {
					u, _, err := l.framer.next()
					if err != nil {
						b.Fatal(err)
					}
					p.pass(l, u)
					_ = l.out.room(0)
				}
			}
			p.Shut()
		})
	}
}

// again is a stream that says the same forever, one message a read.
type again struct{ text, left []byte }

func (a *again) Read(p []byte) (int, error) {
	if len(a.left) == 0 {
		a.left = a.text
	}
	n := copy(p, a.left)
	a.left = a.left[n:]
	return n, nil
}

// BenchmarkStream measures results of 64 KiB through a proxy on real pipes.
func BenchmarkStream(b *testing.B) {
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		return r, w
	}
	clientIn, client := pipe()
	serverOut, server := pipe()
	fromProxy, clientOut := pipe()
	fromProxy2, serverIn := pipe()
	widen(serverOut)
	p := NewProxy(Options{Config: testConfig(b, nil)})
	ends := p.Start(Ends{ClientIn: clientIn, ClientOut: clientOut, ServerIn: serverIn, ServerOut: serverOut})
	go io.Copy(io.Discard, fromProxy2)
	io.WriteString(client, call(1)+"\n")
	res := result([]byte("1"), strings.Repeat("plain words of an ordinary result ", 64<<10/34))
	b.SetBytes(int64(len(res)))
	buf := make([]byte, 256<<10)
	b.ResetTimer()
	go func() {
		for range b.N {
			server.Write(res)
		}
	}()
	for left := b.N * len(res); left > 0; {
		n, err := fromProxy.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		left -= n
	}
	b.StopTimer()
	client.Close()
	server.Close()
	<-ends
	<-ends
	p.Shut()
}
