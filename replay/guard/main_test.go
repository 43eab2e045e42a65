package guard

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay"
)

// roleArg, as the first argument, makes a run of the test binary one of the
// scripted programs in roles.
const roleArg = "guard-test-role"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == roleArg {
		role, ok := roles[os.Args[2]]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such role")
			os.Exit(99)
		}
		role(os.Args[3:])
		os.Exit(0)
	}
	// A test started by nohup inherits that SIGHUP is ignored, and so would the
	// programs that it starts.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	// Under the race detector a program waits a second before it exits, which
	// would be taken for one that does not want to.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// role is the command line of a scripted program.
func role(t testing.TB, name string, args ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{self, roleArg, name}, args...)
}

// testConfig is a default configuration.
func testConfig(t testing.TB, change func(*replay.Config)) *replay.Config {
	t.Helper()
	c, err := makeConfig(change)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func makeConfig(change func(*replay.Config)) (*replay.Config, error) {
	c := &replay.Config{Coverage: analyze.Full}
	if change != nil {
		change(c)
	}
	var err error
	c.Catalog, err = catalog.New(catalog.Options{Rules: ruleset.Builtin(), Coverage: c.Coverage})
	return c, err
}

// longest bounds every wait of these tests: nothing may hang, and a loaded
// machine is no failure.
const longest = 60 * time.Second

// lines are what a stream says, a line each, until it ends.
type lines struct {
	ch  chan string
	end chan struct{}
}

func readLines(r io.Reader) *lines {
	l := &lines{ch: make(chan string, 1<<16), end: make(chan struct{})}
	go func() {
		defer close(l.end)
		b := bufio.NewReaderSize(r, 1<<20)
		for {
			s, err := b.ReadString('\n')
			if s != "" {
				l.ch <- s
			}
			if err != nil {
				return
			}
		}
	}()
	return l
}

// next is the next line, or a failure.
func (l *lines) next(t testing.TB) string {
	t.Helper()
	select {
	case s := <-l.ch:
		return s
	default:
	}
	select {
	case s := <-l.ch:
		return s
	case <-l.end:
		select {
		case s := <-l.ch:
			return s
		default:
		}
		t.Fatal("the stream has ended")
	case <-time.After(longest):
		t.Fatal("nothing came")
	}
	return ""
}

// rest is all lines up to the end.
func (l *lines) rest(t testing.TB) (all []string) {
	t.Helper()
	select {
	case <-l.end:
	case <-time.After(longest):
		t.Fatal("the stream does not end")
	}
	for {
		select {
		case s := <-l.ch:
			all = append(all, s)
		default:
			return all
		}
	}
}

// call is a client's request, result the answer to one, with its line feed.
func call(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{}}}`, id)
}

func result(id []byte, text string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", id, text)
}
