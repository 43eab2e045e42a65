package drive

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
	"github.com/warden-trace/warden/replay/script"
	"github.com/warden-trace/warden/replay/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const recorded = `{"direction":"c2s","frame":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"}}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","method":"notifications/initialized"}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":"r1","method":"roots/list"}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":"r1","result":{"roots":[]}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fast"}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"fast at 2026-11-02T08:00:00Z"}],"n":1,"deep":{"a":[1,2]}}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":0,"result":{"model":"m"}}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"slow"}],"taskId":"0b5d9a3e-1c57-4d30-9f7e-7d1f0f9d9f10"}}}
{"direction":"c2s","frame":{"jsonrpc":"2.0","id":4,"method":"ping"}}
{"direction":"s2c","frame":{"jsonrpc":"2.0","id":4,"result":{}}}
`

func session(t testing.TB, text string) *script.Session {
	t.Helper()
	c, err := catalog.New(catalog.Options{Rules: ruleset.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := script.Load(func(yield func(*formats.Input, error) bool) {
		yield(&formats.Input{Name: "t.jsonl", R: strings.NewReader(text), Size: -1, Explicit: true}, nil)
	}, script.Options{Config: &replay.Config{Rules: ruleset.Builtin(), Catalog: c}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play drives a server that runs in this process.
func play(t testing.TB, d *Driver, server func(in io.Reader, out io.Writer) error) (found []string, err error) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		server(in, out)
		in.CloseWithError(io.ErrClosedPipe)
		out.Close()
	}()
	d.Tell = func(x *Difference) error {
		found = append(found, fmt.Sprintf("%d %s %s%s%s: %s -> %s", x.Line, x.ID, x.Method, x.Target, x.Pointer, x.Recorded, x.Live))
		return nil
	}
	err = d.Play(toServer, fromServer)
	toServer.Close()
	fromServer.Close()
	<-done
	return found, err
}

// recordedServer answers from a recording, which is ours with some changes.
func recordedServer(t testing.TB, change ...string) func(io.Reader, io.Writer) error {
	s := &serve.Server{Session: session(t, strings.NewReplacer(change...).Replace(recorded))}
	return s.Serve
}

func TestRoundTrip(t *testing.T) {
	d := &Driver{Session: session(t, recorded), Timeout: 5 * time.Second}
	found, err := play(t, d, recordedServer(t))
	if err != nil || len(found) > 0 {
		t.Fatalf("%v %q", err, found)
	}
	if want := (Result{Requests: 4, Answers: 4, Same: 4, Asked: 2}); d.Result != want {
		t.Errorf("%+v, want %+v", d.Result, want)
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		name   string
		change []string
		ignore []string
		want   []string
	}{
		{"times and made-up ids", []string{"2026-11-02T08:00:00Z", "2027-01-12T23:11:09.123+01:00", "0b5d9a3e-1c57-4d30-9f7e-7d1f0f9d9f10", "11111111-1c57-4d30-9f7e-7d1f0f9d9f10"}, nil, nil},
		{"a number spelt otherwise", []string{`"n":1,`, `"n":1.0,`}, nil, nil},
		{"a text", []string{"fast at", "slow at"}, nil, []string{`8 3 tools/callfast/result/content/0/text: "fast at 2026-11-02T08:00:00Z" -> "slow at 2026-11-02T08:00:00Z"`}},
		{"an ignored text", []string{"fast at", "slow at"}, []string{"/result/content/*/text"}, nil},
		{"ignored from above", []string{"fast at", "slow at"}, []string{"/result/content"}, nil},
		{"ignored elsewhere", []string{"fast at", "slow at"}, []string{"/result/content/1"}, []string{`8 3 tools/callfast/result/content/0/text: "fast at 2026-11-02T08:00:00Z" -> "slow at 2026-11-02T08:00:00Z"`}},
		{"more, less and another kind", []string{`"deep":{"a":[1,2]}`, `"deep":{"a":[1],"b":null},"n":"1"`}, nil, []string{
			`8 3 tools/callfast/result/n: 1 -> "1"`,
			`8 3 tools/callfast/result/deep/a/1: 2 -> nothing`,
			`8 3 tools/callfast/result/deep/b: nothing -> null`,
		}},
		{"control characters", []string{`"text":"slow"`, `"text":"a\u001b[2J` + "\u202e" + `b"`}, nil, []string{`11 2 tools/callslow/result/content/0/text: "slow" -> "a\u001b[2J\u202eb"`}},
		{"a secret", []string{`"text":"slow"`, `"text":"ghp_` + strings.Repeat("A1b2", 9) + `"`}, nil, []string{`11 2 tools/callslow/result/content/0/text: "slow" -> "`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Driver{Session: session(t, recorded), Timeout: 5 * time.Second}
			for _, s := range c.ignore {
				p, err := ParsePointer(s)
				if err != nil {
					t.Fatal(err)
				}
				d.Ignore = append(d.Ignore, p)
			}
			found, err := play(t, d, recordedServer(t, c.change...))
			if err != nil || len(found) != len(c.want) {
				t.Fatalf("%v\n%s\nwant\n%s", err, strings.Join(found, "\n"), strings.Join(c.want, "\n"))
			}
			for i := range found {
				if !strings.HasPrefix(found[i], c.want[i]) {
					t.Errorf("%s\nwant\n%s", found[i], c.want[i])
				}
				if strings.Contains(found[i], "A1b2A1b2") || strings.ContainsAny(found[i], "\x1b\u202e") {
					t.Errorf("shown raw: %q", found[i])
				}
			}
			if d.Result.Differences != len(found) {
				t.Errorf("%+v", d.Result)
			}
		})
	}
}

func TestBadServers(t *testing.T) {
	for _, c := range []struct {
		name   string
		server func(io.Reader, io.Writer) error
		want   []string
	}{
		{"one that ends at once", func(io.Reader, io.Writer) error { return nil }, []string{"the server has ended"}},
		{"one that says nothing", func(in io.Reader, out io.Writer) error { _, err := io.Copy(io.Discard, in); return err }, []string{"none within"}},
		{"one that talks junk", func(in io.Reader, out io.Writer) error {
			go io.Copy(io.Discard, in)
			_, err := io.WriteString(out, "\x00\xff{]\n[[[[\n{\"id\":1}\n")
			return err
		}, []string{"the server has ended"}},
		{"one that asks what nobody has asked", func(in io.Reader, out io.Writer) error {
			m := guard.NewMessages(in, 1<<20)
			m.Next()
			io.WriteString(out, `{"jsonrpc":"2.0","id":"q","method":"elicitation/create"}`+"\n")
			got, _ := m.Next()
			if !strings.Contains(string(got), `"id":"q","error":{"code":-32601`) {
				return errors.New("not refused")
			}
			return nil
		}, []string{"no such request of the server", "the server has ended"}},
		{"one that answers twice", func(in io.Reader, out io.Writer) error {
			go io.Copy(io.Discard, in)
			_, err := io.WriteString(out, strings.Repeat(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"}}}`+"\n", 2))
			return err
		}, []string{"no such answer", "the server has ended"}},
		{"one whose answer is too deep", func(in io.Reader, out io.Writer) error {
			go io.Copy(io.Discard, in)
			_, err := io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+"}\n")
			return err
		}, []string{"[[[["}},
		{"one whose answer is over the cap", func(in io.Reader, out io.Writer) error {
			go io.Copy(io.Discard, in)
			_, err := io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", 1<<20)+"\"}\n")
			return err
		}, []string{"over the frame cap"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Driver{Session: session(t, recorded), Timeout: 200 * time.Millisecond, MaxFrame: 1 << 16}
			found, err := play(t, d, c.server)
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(found, "\n")
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("no %q in\n%s", want, all)
				}
			}
			if d.Result.Differences == 0 {
				t.Error("no difference was counted")
			}
		})
	}
}

func TestStop(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	d := &Driver{Session: session(t, recorded), Stop: stop}
	_, err := play(t, d, func(in io.Reader, out io.Writer) error { _, err := io.Copy(io.Discard, in); return err })
	if !errors.Is(err, errStopped) {
		t.Errorf("%v", err)
	}
}

func TestParsePointer(t *testing.T) {
	for s, want := range map[string]string{"": "[]", "/": `[""]`, "/a/b~1c/~0/*": `["a" "b/c" "~" "*"]`} {
		p, err := ParsePointer(s)
		if got := fmt.Sprintf("%q", []string(p)); err != nil || got != want {
			t.Errorf("%q: %s %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"a", "/~2", "/~"} {
		if _, err := ParsePointer(s); err == nil {
			t.Errorf("%q was taken", s)
		}
	}
}
