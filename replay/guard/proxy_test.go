package guard

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/profile"
	"github.com/warden-trace/warden/replay"
)

// duo is a proxy between two ends that the test plays itself.
type duo struct {
	t              *testing.T
	proxy          *Proxy
	client, server *os.File // what the peers write to
	toClient       *lines
	toServer       *lines

	mu   sync.Mutex
	seen []string // of each frame: direction, framing, rules
	news chan struct{}
}

func newDuo(t *testing.T, change func(*Options), config func(*replay.Config)) *duo {
	t.Helper()
	before := goleak.IgnoreCurrent()
	d := &duo{t: t, news: make(chan struct{}, 1<<16)}
	o := Options{Config: testConfig(t, config), Observe: d.observe}
	if change != nil {
		change(&o)
	}
	var files []*os.File
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, r, w)
		return r, w
	}
	clientIn, client := pipe()
	serverOut, server := pipe()
	fromProxy, clientOut := pipe()
	fromProxy2, serverIn := pipe()
	d.client, d.server = client, server
	d.toClient, d.toServer = readLines(fromProxy), readLines(fromProxy2)
	d.proxy = NewProxy(o)
	ends := d.proxy.Start(Ends{ClientIn: clientIn, ClientOut: clientOut, ServerIn: serverIn, ServerOut: serverOut})
	t.Cleanup(func() {
		client.Close()
		server.Close()
		for range 2 {
			select {
			case e := <-ends:
				if e.Fault != "" {
					t.Errorf("a fault: %v", e.Fault)
				}
			case <-time.After(longest):
				t.Fatal("a direction does not end")
			}
		}
		d.proxy.Close()
		d.proxy.Shut()
		<-d.toClient.end
		<-d.toServer.end
		for _, f := range files {
			f.Close()
		}
		goleak.VerifyNone(t, before)
	})
	return d
}

func (d *duo) observe(s *Seen) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := s.Dir.String() + " " + s.Framing.String()
	for i := range s.Outcome.Findings {
		l += " " + s.Outcome.Findings[i].Rule
	}
	d.seen = append(d.seen, l)
	select {
	case d.news <- struct{}{}:
	default: // nobody counts that many
	}
}

// saw waits until the proxy has taken n frames more.
func (d *duo) saw(n int) {
	d.t.Helper()
	for range n {
		select {
		case <-d.news:
		case <-time.After(longest):
			d.t.Fatalf("the proxy has taken %q", d.seen)
		}
	}
}

func (d *duo) says(from *os.File, format string, args ...any) {
	d.t.Helper()
	if _, err := fmt.Fprintf(from, format, args...); err != nil {
		d.t.Fatal(err)
	}
}

func expect(t *testing.T, l *lines, want string) {
	t.Helper()
	if got := l.next(t); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestBytesPassAsTheyAre(t *testing.T) {
	d := newDuo(t, nil, nil)
	for _, s := range []string{
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\r\n", "\r\n", "\n", "  {\"jsonrpc\": \"2.0\", \"method\" : \"y\"}  \n",
		"no message at all\n", "\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n", "[]\n", "\xff\xfe\x00\n", "{\"a\":1,\"a\":2}\n",
	} {
		d.says(d.client, "%s", s)
		expect(t, d.toServer, s)
		d.says(d.server, "%s", s)
		expect(t, d.toClient, s)
	}
}

// With the wider rules a server is read in the framing of its client's first
// frame; nothing of it is read before.
func TestServerIsReadInItsClientsFraming(t *testing.T) {
	t.Run("client with lines", func(t *testing.T) {
		d := newDuo(t, nil, nil)
		d.says(d.server, "Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\n\"result\":{}}x\n")
		d.says(d.client, "%s\n", call(1))
		expect(t, d.toServer, call(1)+"\n")
		for _, l := range []string{"Content-Length: 38\r\n", "\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\n", "\"result\":{}}x\n"} {
			expect(t, d.toClient, l)
		}
		d.saw(4) // the blank line is nothing
		if d.seen[1] != "s2c newline WRD-RES-FRAME-ERROR" {
			t.Errorf("seen %q", d.seen)
		}
	})
	t.Run("client with headers", func(t *testing.T) {
		d := newDuo(t, nil, nil)
		d.says(d.client, "%s", Wrap([]byte(call(1)), ContentLength))
		d.saw(1)
		// A secret in lines is junk between headers to this client.
		d.says(d.server, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n")
		expect(t, d.toServer, fmt.Sprintf("Content-Length: %d\r\n", len(call(1))))
		expect(t, d.toClient, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n")
		d.saw(1)
		if d.seen[1] != "s2c content-length" {
			t.Errorf("seen %q", d.seen)
		}
		// What guard writes itself has the client's framing.
		d.says(d.server, "%s", Wrap([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"https://webhook.site/x\"}]}}"), ContentLength))
		if l := d.toClient.next(t); !strings.HasPrefix(l, "Content-Length: ") {
			t.Errorf("%q", l)
		}
		d.proxy.Gone("x") // nothing is in flight
	})
	t.Run("each its own in the original catalog", func(t *testing.T) {
		d := newDuo(t, nil, func(c *replay.Config) { c.Coverage = analyze.Spec })
		d.says(d.server, "%s", Wrap([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"), ContentLength))
		d.saw(1)
		d.says(d.client, "%s\n", call(1))
		d.saw(1)
		if d.seen[0] != "s2c content-length" || d.seen[1] != "c2s newline" {
			t.Errorf("seen %q", d.seen)
		}
	})
}

// broken is a profile with a fault: it panics on frames that say so.
type broken struct{}

func (broken) Name() string                                               { return "broken" }
func (broken) RecordingsOnly() bool                                       { return false }
func (broken) Facts(*jsonrpc.Message, *jsonrpc.Flat) (none profile.Facts) { return none }
func (broken) NewSession() profile.Session                                { return broken{} }
func (broken) Close() []analyze.Finding                                   { return nil }
func (b broken) Frame(f *profile.Frame) []analyze.Finding {
	if bytes.Contains(f.Raw, []byte("PANIC")) {
		panic("a secret text that nobody may see")
	}
	return nil
}

func withFault(c *replay.Config) { c.Profiles = []profile.Profile{broken{}} }

func strictWithFault(c *replay.Config) { withFault(c); c.Strict = true }

func TestFaultInARulePasses(t *testing.T) {
	d := newDuo(t, nil, withFault)
	req := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"PANIC"}}` + "\n"
	d.says(d.client, "%s", req)
	expect(t, d.toServer, req)
	res := `{"jsonrpc":"2.0","id":1,"result":{"content":[],"x":"PANIC"}}` + "\n"
	d.says(d.server, "%s", res)
	expect(t, d.toClient, res)
	d.saw(2)
	if d.seen[0] != "c2s newline WRD-RES-FRAME-ERROR" || d.seen[1] != "s2c newline WRD-RES-FRAME-ERROR" {
		t.Errorf("seen %q", d.seen)
	}
}

// A strict session ends: the frame is not forwarded, every id in flight gets
// its error once, later frames go nowhere.
func TestStrictAbort(t *testing.T) {
	abort := func(id, site string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32003,"message":"warden: an inspection could not complete; the session ends (--strict)","data":{"warden":true,"stage":"strict_abort","site":"` + site + `"}}}` + "\n"
	}
	t.Run("request", func(t *testing.T) {
		d := newDuo(t, nil, strictWithFault)
		d.says(d.client, "%s\n%s\n", call(1), call(2))
		expect(t, d.toServer, call(1)+"\n")
		expect(t, d.toServer, call(2)+"\n")
		d.says(d.client, `{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"PANIC"}}`+"\n")
		expect(t, d.toClient, abort(`"three"`, "request-policy"))
		expect(t, d.toClient, abort("1", "request-policy"))
		expect(t, d.toClient, abort("2", "request-policy"))
		<-d.proxy.Aborted()
		a := d.proxy.Abort()
		if a.Site != "request-policy" || a.Tool != "PANIC" || a.Type != "string" || string(a.RPCID) != `"three"` {
			t.Errorf("%+v", a)
		}
		d.says(d.client, "%s\n", call(4))
		d.says(d.server, "{\"jsonrpc\":\"2.0\",\"method\":\"late\"}\n")
		d.client.Close()
		d.server.Close()
	})
	t.Run("result", func(t *testing.T) {
		d := newDuo(t, nil, strictWithFault)
		d.says(d.client, "%s\n%s\n", call(1), call(2))
		d.saw(2)
		d.says(d.server, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"PANIC"}]}}`+"\n")
		expect(t, d.toClient, abort("2", "result-inspect"))
		expect(t, d.toClient, abort("1", "result-inspect"))
		if a := d.proxy.Abort(); a == nil || a.Tool != "t" {
			t.Errorf("%+v", a)
		}
	})
	t.Run("a server's request", func(t *testing.T) {
		d := newDuo(t, nil, strictWithFault)
		d.says(d.client, "%s\n", call(1))
		d.saw(1)
		d.says(d.server, `{"jsonrpc":"2.0","id":77,"method":"roots/list","params":{"x":"PANIC"}}`+"\n")
		expect(t, d.toClient, abort("1", "request-policy")) // 77 is no id of the client's
		d.proxy.Shut()
		if rest := d.toClient.rest(t); len(rest) > 0 {
			t.Errorf("the client gets %q", rest)
		}
	})
}

func TestStrictFrameCap(t *testing.T) {
	big := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 3000) + `"}]}}`
	}
	capped := func(c *replay.Config) { c.MaxFrame = 1000 }
	t.Run("server", func(t *testing.T) {
		d := newDuo(t, func(o *Options) { o.StrictCap = CapServer }, capped)
		d.says(d.client, "%s\n", call(5))
		d.saw(1)
		d.says(d.server, "%s", big("5")[:2000]) // it is not waited for
		if l := d.toClient.next(t); !strings.Contains(l, `"id":5,"error":{"code":-32003`) || !strings.Contains(l, `"site":"frame-cap-s2c"`) {
			t.Errorf("%q", l)
		}
		if a := d.proxy.Abort(); a.Size < 1001 || a.RPCID != nil || a.Tool != "" {
			t.Errorf("%+v", a)
		}
	})
	t.Run("client passes", func(t *testing.T) {
		d := newDuo(t, func(o *Options) { o.StrictCap = CapServer }, capped)
		req := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t","arguments":{"x":"` + strings.Repeat("y", 2000) + `"}}}` + "\n"
		d.says(d.client, "%s", req)
		expect(t, d.toServer, req)
		d.says(d.server, "%s", result([]byte("5"), "https://webhook.site/abc"))
		// Its id and tool were noted: the answer is one to a tool call.
		if l := d.toClient.next(t); !strings.Contains(l, `-32001`) || !strings.Contains(l, `"tool":"t"`) {
			t.Errorf("%q", l)
		}
	})
	t.Run("client too", func(t *testing.T) {
		d := newDuo(t, func(o *Options) { o.StrictCap = CapBoth }, capped)
		d.says(d.client, "%s\n", call(4))
		expect(t, d.toServer, call(4)+"\n")
		d.says(d.client, "%s", `{"method":"tools/call","params":{"name":"t","arguments":{"x":"`+strings.Repeat("y", 2000)+`"}},"jsonrpc":"2.0","id":5}`+"\n")
		for _, id := range []string{"5", "4"} {
			if l := d.toClient.next(t); !strings.Contains(l, `"id":`+id+`,"error":{"code":-32003`) || !strings.Contains(l, `"site":"frame-cap-c2s"`) {
				t.Errorf("%q", l)
			}
		}
		d.proxy.Shut()
		if rest := d.toServer.rest(t); len(rest) > 0 {
			t.Errorf("the server gets %.100q", rest)
		}
	})
}

// An answer over the cap takes its id out of flight: nothing answers it again.
func TestOverCapAnswerEndsItsCall(t *testing.T) {
	for _, framing := range []Framing{Newline, ContentLength} {
		d := newDuo(t, nil, func(c *replay.Config) { c.MaxFrame = 500 })
		d.says(d.client, "%s", Wrap([]byte(call(1)), framing))
		d.says(d.client, "%s", Wrap([]byte(call(2)), framing))
		d.saw(2)
		d.says(d.server, "%s", Wrap(bytes.TrimSpace(result([]byte("1"), strings.Repeat("z", 300000))), framing))
		d.saw(1)
		d.proxy.Gone("test")
		d.proxy.Shut()
		all := strings.Join(d.toClient.rest(t), "")
		if n := strings.Count(all, "-32002"); n != 1 || !strings.Contains(all, `"id":2,"error":{"code":-32002`) {
			t.Errorf("%v: %d errors, the end is %q", framing, n, all[len(all)-200:])
		}
		if !strings.Contains(all, strings.Repeat("z", 300000)) {
			t.Errorf("%v: the large frame did not come through", framing)
		}
	}
}

// slow holds the proxy's lock, as a verdict on a large frame does.
func TestControlFramesDoNotWaitForAVerdict(t *testing.T) {
	in, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	d := newDuo(t, func(o *Options) {
		observe := o.Observe
		o.Observe = func(s *Seen) {
			if s.Dir == analyze.ServerToClient {
				once.Do(func() { close(in); <-release })
			}
			observe(s)
		}
	}, nil)
	d.says(d.client, "%s\n", call(1))
	expect(t, d.toServer, call(1)+"\n")
	d.says(d.server, "%s", result([]byte("1"), "a large result"))
	<-in
	for _, m := range []string{"notifications/cancelled", "notifications/progress"} {
		f := `{"jsonrpc":"2.0","method":"` + m + `","params":{"requestId":1}}` + "\n"
		if m == "notifications/progress" {
			close(release)
		}
		d.says(d.client, "%s", f)
		expect(t, d.toServer, f)
	}
	d.saw(4)
}

// Who has many requests refused and does not read the answers waits; the other
// direction does not.
func TestRefusalsAreBounded(t *testing.T) {
	d := newDuo(t, nil, func(c *replay.Config) { c.MaxFrame = 1 << 20 })
	d.proxy.Gone("test") // every request is refused from here on
	stop := make(chan struct{})
	wrote := make(chan int, 1)
	go func() {
		n := 0
		defer func() { wrote <- n }()
		for ; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := io.WriteString(d.client, call(n)+"\n"); err != nil {
				return
			}
		}
	}()
	// The client's reader takes what it can hold and no more.
	deadline := time.Now().Add(longest)
	for time.Now().Before(deadline) {
		waiting, _ := d.proxy.toClient.progress()
		if waiting > queueLimit {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if waiting, _ := d.proxy.toClient.progress(); waiting > 3*queueLimit {
		t.Errorf("%d bytes wait", waiting)
	}
	close(stop)
	go func() {
		for {
			select {
			case <-d.toClient.ch:
			case <-d.toClient.end:
				return
			}
		}
	}()
	<-wrote
}
