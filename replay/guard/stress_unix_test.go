//go:build unix

package guard

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats"
)

// size is the size of a stress test: a smaller one under the race detector,
// which makes everything slow, and with -short.
func size(small, full int) int {
	if raceEnabled || testing.Short() {
		return small
	}
	return full
}

// The client stops reading while the server writes 100 MB: the server is held
// up, memory stays bounded, the client's own frames go on to the server; when
// the client reads again, everything is there, in order.
func TestClientStopsReading(t *testing.T) {
	n := size(400, 1600) // results of 64 KiB
	r := guarded(t, nil, "flood", fmt.Sprint(n))
	r.send("%s", call(1))
	if l := r.stderr.next(t); l != "flooding\n" {
		t.Fatalf("the server says %q", l)
	}
	from := time.Now()
	for i := range 200 {
		r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i)
		if l := r.stderr.next(t); !strings.HasPrefix(l, `got {"jsonrpc":"2.0","method":"notifications/cancelled"`) {
			t.Fatalf("the server says %q", l)
		}
	}
	t.Logf("200 control frames passed in %v while nobody read", time.Since(from))
	if os.Getenv("WARDEN_STRESS") != "" {
		time.Sleep(time.Minute) // nothing times out meanwhile
	}
	text := strings.Repeat("plain words of an ordinary result ", 64<<10/34)
	in := bufio.NewReaderSize(r.outFile, 1<<20)
	for i := range n {
		line, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(line, result(strconv.AppendInt(nil, int64(i), 10), text)) {
			t.Fatalf("frame %d is %.80q", i, line)
		}
	}
	r.in.Close()
	if code := r.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// process is a guard in a process of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr *lines
}

// apart starts a guard as a process, before a scripted server.
func apart(t *testing.T, record, name string, args ...string) *process {
	t.Helper()
	argv := role(t, "guard", append([]string{record}, role(t, name, args...)...)...)
	p := &process{t: t, cmd: exec.Command(argv[0], argv[1:]...)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	stderr, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	p.stderr = readLines(stderr)
	t.Cleanup(func() {
		p.in.Close()
		p.cmd.Process.Kill()
		p.cmd.Wait()
		stderr.Close()
	})
	return p
}

// end waits for the guard and returns its peak memory in KiB and its notes.
func (p *process) end() (peak int, notes []string) {
	p.t.Helper()
	p.in.Close()
	for _, l := range p.stderr.rest(p.t) {
		if s, ok := strings.CutPrefix(l, "peak "); ok {
			peak, _ = strconv.Atoi(strings.Fields(s)[0])
		} else if strings.HasPrefix(l, "note ") {
			notes = append(notes, strings.TrimSpace(l))
		}
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the guard ends with %v", err)
	}
	return peak, notes
}

// A line of 256 MiB goes through in under 64 MiB.
func TestHugeLine(t *testing.T) {
	if raceEnabled {
		t.Log("memory is not looked at: the race detector multiplies it")
	}
	record := filepath.Join(t.TempDir(), "r.jsonl")
	p := apart(t, record, "one-line", "256")
	io.WriteString(p.in, call(1)+"\n")
	var total int64
	in := bufio.NewReaderSize(p.out, 1<<20)
	for {
		b, err := in.ReadSlice('\n')
		total += int64(len(b))
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			t.Fatal(err)
		}
	}
	if want := int64(256<<20 + len(result([]byte("1"), ""))); total != want {
		t.Errorf("%d bytes come through of %d", total, want)
	}
	peak, _ := p.end()
	t.Logf("peak memory %d KiB", peak)
	if peak > 64<<10 && !raceEnabled {
		t.Errorf("peak memory %d KiB", peak)
	}
	recs := recorded(t, record)
	if len(recs) != 2 || recs[1].Kind != formats.KindOverCap || recs[1].Skim.Size != total-1 || string(recs[1].Skim.ID) != "1" {
		t.Errorf("the recording has %d frames", len(recs))
	}
}

// A declared length of 10 GiB allocates nothing.
func TestHugePromise(t *testing.T) {
	p := apart(t, "", "promise")
	io.WriteString(p.in, string(Wrap([]byte(call(1)), ContentLength))+string(Wrap([]byte("\n"), ContentLength)))
	b := make([]byte, len("Content-Length: 10737418240\r\n\r\n{"))
	if _, err := io.ReadFull(p.out, b); err != nil || !bytes.HasPrefix(b, []byte("Content-Length: 10737418240")) {
		t.Fatalf("%q, %v", b, err)
	}
	peak, notes := p.end()
	t.Logf("peak memory %d KiB", peak)
	if peak > 48<<10 && !raceEnabled {
		t.Errorf("peak memory %d KiB", peak)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "cut short") {
		t.Errorf("notes %q", notes)
	}
	if rest, _ := io.ReadAll(p.out); bytes.Contains(rest, []byte("error")) {
		t.Errorf("an answer inside of the promised body: %q", rest)
	}
}

// Very many small frames both ways: memory stays flat.
func TestSoak(t *testing.T) {
	n := size(100_000, 1_000_000)
	p := apart(t, "", "lines-out", fmt.Sprint(n))
	go func() {
		w := bufio.NewWriter(p.in)
		for i := range n {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`+"\n", i)
		}
		w.Flush()
	}()
	in := bufio.NewReader(p.out)
	for i := range n {
		l, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`"line %d"}}`+"\n", i); !strings.HasSuffix(l, want) {
			t.Fatalf("line %d is %q", i, l)
		}
	}
	peak, _ := p.end()
	t.Logf("peak memory %d KiB after %d frames each way", peak, n)
	if peak > 40<<10 && !raceEnabled {
		t.Errorf("peak memory %d KiB", peak)
	}
}

// A guard that is killed has recorded all but, at most, the frame in hand.
func TestKilledGuardKeepsItsRecording(t *testing.T) {
	for _, name := range []string{"r.jsonl", "r.jsonl.zst"} {
		record := filepath.Join(t.TempDir(), name)
		p := apart(t, record, "echo")
		const n = 50
		out := readLines(p.out)
		for i := range n {
			io.WriteString(p.in, call(i)+"\n")
			out.next(t)
		}
		p.cmd.Process.Kill()
		p.cmd.Wait()
		if got := len(recorded(t, record)); got != 2*n {
			t.Errorf("%s: %d frames are recorded of %d", name, got, 2*n)
		}
		p.stderr.rest(t) // the server ends too
	}
}

// A disk that fills is one warning; the session goes on, and the recording ends
// with a whole line.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if !smallDisk(t, dir) {
		// Without the right to mount, files that may not grow are as good.
		var old syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
	}
	for _, name := range []string{"r.jsonl", "r.jsonl.zst"} {
		record := filepath.Join(dir, name)
		p := apart(t, record, "echo")
		out := readLines(p.out)
		text := noise(7, 600)
		for i := range text {
			text[i] = 'a' + text[i]%26
		}
		const n = 150
		for i := range n {
			fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"x","params":{"t":"%d%s"}}`+"\n", i, i*i, text)
			if l := out.next(t); !strings.Contains(l, fmt.Sprintf(`"id":%d,`, i)) {
				t.Fatalf("%q", l)
			}
		}
		_, notes := p.end()
		if name == "r.jsonl" {
			if len(notes) != 1 || !strings.Contains(notes[0], "the recording stopped") || !strings.Contains(notes[0], "the session goes on") {
				t.Errorf("%s: notes %q", name, notes)
			}
			b, err := os.ReadFile(record)
			if err != nil || len(b) == 0 || b[len(b)-1] != '\n' {
				t.Errorf("the recording does not end with a whole line: %v", err)
			}
		}
		if got := len(recorded(t, record)); got < 20 || got > 2*n {
			t.Errorf("%s: %d frames are recorded", name, got)
		}
		os.Remove(record)
	}
}

// recorded reads a recording back.
func recorded(t *testing.T, path string) (recs []formats.Record) {
	t.Helper()
	err := readRecording(path, func(r *formats.Record) {
		if r.Kind == formats.KindBad {
			t.Errorf("%s: line %d can't be read", path, r.Line)
		}
		if r.Dir != analyze.Unknown {
			c := *r
			c.Frame = bytes.Clone(r.Frame)
			recs = append(recs, c)
		}
	})
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	return recs
}
