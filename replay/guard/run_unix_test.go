//go:build unix

package guard

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSessionEndsWithItsServersCode(t *testing.T) {
	for _, code := range []int{0, 7} {
		r := guarded(t, nil, "echo", fmt.Sprint(code))
		out := r.read()
		r.send("%s", call(1))
		if got, want := out.next(t), string(result([]byte("1"), "ok")); got != want {
			t.Errorf("the client gets %q, want %q", got, want)
		}
		r.in.Close()
		if got := r.exit(); got != code {
			t.Errorf("exit code %d, want %d", got, code)
		}
		if rest := out.rest(t); len(rest) > 0 {
			t.Errorf("the client gets %q at the end", rest)
		}
	}
}

func TestServerThatCannotStart(t *testing.T) {
	var notes []string
	code := Run(RunOptions{Options: Options{Config: testConfig(t, nil)}, Command: []string{"/nonexistent/server", "an-argument"},
		Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: os.Stderr, Note: func(s string) { notes = append(notes, s) }})
	if code != 2 || len(notes) != 1 || notes[0] != "can't start the server /nonexistent/server: no such file or directory" {
		t.Errorf("exit code %d, notes %q", code, notes)
	}
}

// The server is killed inside a frame with 1,000 calls in flight: each gets
// its error once, the half frame nobody, the exit code is the signal's.
func TestServerKilledMidFrameWithCallsInFlight(t *testing.T) {
	const n = 1000
	r := guarded(t, nil, "die", fmt.Sprint(n))
	out := r.read()
	var all strings.Builder
	for i := range n {
		all.WriteString(call(i+1) + "\n")
	}
	r.send("%s", strings.TrimSuffix(all.String(), "\n"))
	if code := r.exit(); code != 128+9 {
		t.Errorf("exit code %d", code)
	}
	got := out.rest(t)
	if len(got) != n {
		t.Fatalf("the client gets %d lines", len(got))
	}
	if want := string(result([]byte("1"), "first")); got[0] != want {
		t.Errorf("first line %q", got[0])
	}
	for i, l := range got[1:] {
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32002,"message":"warden: server exited before responding","data":{"warden":true,"stage":"lifecycle","reason":"exit code 137; 999 in flight"}}}`+"\n", i+2)
		if l != want {
			t.Fatalf("line %d is %q, want %q", i+1, l, want)
		}
	}
	if !r.said("the server's last frame was cut short") {
		t.Errorf("notes: %q", r.notes)
	}
}

// Calls that reach guard after the server has gone are answered too, as long
// as there is anybody to answer.
func TestServerExitsMidCall(t *testing.T) {
	r := guarded(t, nil, "swallow", "1", "5")
	out := r.read()
	r.send("%s", call(1))
	if l := out.next(t); !strings.Contains(l, `"id":1,"error":{"code":-32002`) {
		t.Errorf("%q", l)
	}
	if code := r.exit(); code != 5 {
		t.Errorf("exit code %d", code)
	}
}

func TestPartialFrames(t *testing.T) {
	for name, text := range map[string]string{
		"line":          `{"jsonrpc":"2.0","method":"x"`,
		"after a frame": "{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n{\"jso",
	} {
		t.Run(name, func(t *testing.T) {
			r := guarded(t, nil, "half", text)
			out := r.read()
			r.send(`{"jsonrpc":"2.0","method":"go"}`)
			if code := r.exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			whole := strings.Count(text, "\n")
			if got := out.rest(t); len(got) != whole {
				t.Errorf("the client gets %q", got)
			}
			if !r.said("the server's last frame was cut short; it was discarded") {
				t.Errorf("notes: %q", r.notes)
			}
		})
	}
	for name, text := range map[string]string{
		"client's line": "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n{\"half", "client's half header": "Content-Len",
		"client's header without body": "Content-Length: 50\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			r := guarded(t, nil, "echo")
			fmt.Fprint(r.in, text)
			r.in.Close()
			if code := r.exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if !r.said("the client's last frame was cut short") {
				t.Errorf("notes: %q", r.notes)
			}
			for _, l := range r.stderr.rest(t) {
				if strings.Contains(l, "half") || strings.Contains(l, "Content") {
					t.Errorf("the server has read %q", l)
				}
			}
		})
	}
}

// The client goes in each way that it can; the server is told by the end of
// its input.
func TestClientGoes(t *testing.T) {
	t.Run("closes", func(t *testing.T) {
		r := guarded(t, nil, "echo", "3")
		r.in.Close()
		if code := r.exit(); code != 3 {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("breaks its pipe", func(t *testing.T) {
		r := guarded(t, nil, "echo", "3")
		r.outFile.Close()
		r.send("%s", call(1)) // its answer can't be delivered
		if code := r.exit(); code != 3 {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("closes while the server takes no input", func(t *testing.T) {
		r := guarded(t, nil, "deaf")
		r.send("%s", call(1))
		r.in.Close()
		out := r.read()
		if code := r.exit(); code != 128+15 {
			t.Errorf("exit code %d", code)
		}
		if got := out.rest(t); len(got) != 1 || !strings.Contains(got[0], "-32002") {
			t.Errorf("the client gets %q", got)
		}
	})
	t.Run("breaks its pipe in a flood", func(t *testing.T) {
		r := guarded(t, nil, "flood", "2000")
		r.send("%s", call(1))
		first := make([]byte, 100)
		if _, err := r.outFile.Read(first); err != nil {
			t.Fatal(err)
		}
		r.outFile.Close()
		// The server may write to its end, or be ended.
		if code := r.exit(); code != 0 && code != 128+15 && code != 9 {
			t.Errorf("exit code %d", code)
		}
	})
}

// The server ignores the end of its input and every polite signal, and so does
// a child of its own: both are gone in the end.
func TestStubbornServer(t *testing.T) {
	for name, end := range map[string]func(*rig){
		"client closes": func(r *rig) { r.in.Close() },
		"SIGTERM":       func(r *rig) { r.signals <- syscall.SIGTERM },
		"SIGINT":        func(r *rig) { r.signals <- syscall.SIGINT },
	} {
		t.Run(name, func(t *testing.T) {
			r := guarded(t, nil, "stubborn")
			other := r.pid()
			end(r)
			if code := r.exit(); code != 2 {
				t.Errorf("exit code %d, want 2 for a server that had to be killed", code)
			}
			r.nothingLeft()
			if syscall.Kill(other, 0) == nil && len(alive(r.group)) > 0 {
				t.Errorf("process %d is left", other)
			}
		})
	}
}

// A grandchild that outlives the server and holds its standard output does not
// hold up the session's end.
func TestGrandchildHoldsTheOutput(t *testing.T) {
	r := guarded(t, nil, "stubborn", "leave")
	r.pid()
	out := r.read()
	r.send("%s", call(1))
	if code := r.exit(); code != 4 {
		t.Errorf("exit code %d", code)
	}
	if got := out.rest(t); len(got) != 1 || !strings.Contains(got[0], `"exit code 4; 1 in flight"`) {
		t.Errorf("the client gets %q", got)
	}
}

func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for phase, prepare := range map[string]func(*rig){
			"before the first frame": func(*rig) {},
			"mid-call":               func(r *rig) { r.send("%s", call(1)); time.Sleep(5 * time.Millisecond) },
			"inside a frame":         func(r *rig) { fmt.Fprint(r.in, `{"jsonrpc":"2.0",`) },
			"while the client does not read": func(r *rig) {
				for i := range 3 {
					r.send(`{"jsonrpc":"2.0","method":"x","params":"%s"}`, strings.Repeat("y", 1000*i))
				}
			},
			"while ending": func(r *rig) { r.in.Close() },
		} {
			t.Run(sig.String()+" "+phase, func(t *testing.T) {
				r := guarded(t, nil, "deaf")
				out := r.read()
				prepare(r)
				r.signals <- sig
				code := r.exit()
				if code != 128+int(sig) {
					t.Errorf("exit code %d, want %d", code, 128+int(sig))
				}
				for _, l := range out.rest(t) {
					if phase != "mid-call" || !strings.Contains(l, "-32002") {
						t.Errorf("the client gets %q", l)
					}
				}
			})
		}
	}
}

// A second signal does not wait for who does not want to end.
func TestSignalWhileTheClientDoesNotRead(t *testing.T) {
	r := guarded(t, nil, "flood", "1000")
	r.send("%s", call(1))
	for r.stderr.next(t) != "flooding\n" {
	}
	r.signals <- syscall.SIGTERM
	for range 3 {
		select {
		case r.signals <- syscall.SIGTERM:
		default:
		}
		time.Sleep(20 * time.Millisecond)
	}
	if code := r.exit(); code != 128+15 {
		t.Errorf("exit code %d", code)
	}
}

// A fault of guard's own ends the session with 2, and leaves nothing.
func TestInternalFault(t *testing.T) {
	r := guarded(t, func(o *RunOptions) {
		o.Observe = func(s *Seen) {
			if bytes.Contains(s.Body, []byte("boom")) {
				panic("a planted fault")
			}
		}
	}, "stubborn")
	r.pid()
	r.send("%s", call(1))
	r.send(`{"jsonrpc":"2.0","id":2,"method":"boom"}`)
	out := r.read()
	if code := r.exit(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if !r.said("internal error (string) on the client's stream") || r.said("planted") {
		t.Errorf("notes %q", r.notes)
	}
	for _, l := range out.rest(t) {
		if !strings.Contains(l, "-32002") {
			t.Errorf("the client gets %q", l)
		}
	}
}

// Sessions that follow each other on one stream are told apart, and the end of
// each is told.
func TestSessionsOnOneStream(t *testing.T) {
	var ends []int
	r := guarded(t, func(o *RunOptions) {
		o.Observe = func(s *Seen) {
			if s.Closed {
				ends = append(ends, s.Session.Number)
			}
		}
	}, "echo")
	out := r.read()
	for i := range 3 {
		r.send(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{}}`, i)
		out.next(t)
	}
	r.in.Close()
	r.exit()
	if fmt.Sprint(ends) != "[0 1 2]" {
		t.Errorf("sessions ended: %v", ends)
	}
}

// A server that closes its output can't answer any more: it is ended like one
// whose client left.
func TestServerClosesItsOutput(t *testing.T) {
	r := guarded(t, nil, "mute")
	r.send("%s", call(1))
	if code := r.exit(); code != 6 {
		t.Errorf("exit code %d", code)
	}
}

// Standing before a client that says nothing, a server that speaks and leaves
// is heard.
func TestServerSpeaksFirst(t *testing.T) {
	const text = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n"
	r := guarded(t, nil, "speak", text)
	out := r.read()
	if code := r.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := out.rest(t); len(got) != 1 || got[0] != text {
		t.Errorf("the client gets %q", got)
	}
}

// Random bytes from both ends: they pass as they are, and the session ends.
func TestGarbageAtBothEnds(t *testing.T) {
	for seed := range uint64(4) {
		r := guarded(t, nil, "garbage", fmt.Sprint(seed))
		got := make(chan []byte, 1)
		go func() {
			var b bytes.Buffer
			b.ReadFrom(r.outFile)
			got <- b.Bytes()
		}()
		go func() {
			r.in.Write(noise(seed+100, 1<<20))
			r.in.Close()
		}()
		if code := r.exit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		want := noise(seed, 1<<20)
		b := <-got
		// What guard adds itself comes last; the last line may be cut off.
		n := bytes.LastIndexByte(want, '\n') + 1
		if len(b) < n/2 || !bytes.HasPrefix(want, b[:min(len(b), n/2)]) {
			t.Errorf("seed %d: %d bytes come through of %d", seed, len(b), len(want))
		}
	}
}
