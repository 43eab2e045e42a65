package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

type figures struct{ first, indexed, last, median, p95, busy, peak float64 } // ms; MiB

// busyKeys are pressed while the trace is indexed: some seconds.
const busyKeys = 120

// screen gathers what the program draws.
type screen struct {
	mu   sync.Mutex
	all  []byte
	when time.Time // of the latest bytes
	n    int
}

func (s *screen) state() (n int, when time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n, s.when
}

// matches reports that something like that was drawn.
func (s *screen) matches(what *regexp.Regexp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return what.Match(codes.ReplaceAll(s.all, nil))
}

// counted is the summary once it counts frames.
var counted = regexp.MustCompile(`[1-9][0-9,]* frames in`)

var codes = regexp.MustCompile("\x1b\\[[?0-9;]*[A-Za-z]")

var errSlow = errors.New("the screen never came")

func wait(limit time.Duration, until func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		if until() {
			return nil
		}
	}
	return errSlow
}

func measure(bin, trace, dir string, keys int) (*figures, error) {
	cmd := exec.Command(bin, "step", "--theme", "dark", "--baseline", filepath.Join(dir, "baseline.json"), trace)
	// A terminal of tmux's kind is not asked for its background.
	cmd.Env = append(os.Environ(), "TERM=tmux-256color")
	start := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 160})
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	defer cmd.Process.Kill()
	s := &screen{}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.all, s.n, s.when = append(s.all, buf[:n]...), s.n+n, time.Now()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	ms := func(from, to time.Time) float64 { return float64(to.Sub(from).Microseconds()) / 1000 }
	f := &figures{}
	if err := wait(20*time.Second, func() bool { return s.matches(counted) }); err != nil {
		return nil, fmt.Errorf("%w: %.300q", err, s.all)
	}
	_, when := s.state()
	f.first = ms(start, when)
	press := func(key string) (float64, error) {
		// A screen that is quiet: what comes next is the key's.
		n, last := s.state()
		wait(300*time.Millisecond, func() bool { n, last = s.state(); return time.Since(last) > 12*time.Millisecond })
		at := time.Now()
		if _, err := tty.WriteString(key); err != nil {
			return 0, err
		}
		if err := wait(2*time.Second, func() bool { m, _ := s.state(); return m > n }); err != nil {
			return 0, fmt.Errorf("key %q: %w", key, err)
		}
		_, when := s.state()
		return ms(at, when), nil
	}
	press("\x1b")
	var busy []float64
	for i := range busyKeys {
		x, err := press([]string{"j", "j", "k", "l", "\x1b[6~", "h"}[i%6])
		if err != nil {
			return nil, err
		}
		busy = append(busy, x)
	}
	f.busy = share(busy, 0.95)
	err = wait(5*time.Minute, func() bool { time.Sleep(50 * time.Millisecond); return s.idle(2 * time.Second) })
	if err != nil {
		return nil, err
	}
	_, when = s.state()
	f.indexed = ms(start, when)
	n, _ := s.state()
	at := time.Now()
	tty.WriteString("G")
	if err := wait(10*time.Second, func() bool { m, w := s.state(); return m > n && time.Since(w) > 30*time.Millisecond }); err != nil {
		return nil, fmt.Errorf("to the last frame: %w", err)
	}
	_, when = s.state()
	f.last = ms(at, when)
	var took []float64
	cycle := []string{"k", "k", "h", "\x1b[5~", "p", "j", "l", "n", "[", "v", "p", "k"}
	slow := map[string]float64{} // the slowest press of each key
	for i := range keys {
		key := cycle[i%len(cycle)]
		x, err := press(key)
		if err != nil {
			return nil, err
		}
		took = append(took, x)
		slow[key] = max(slow[key], x)
	}
	if os.Getenv("WARDEN_BENCH_KEYS") != "" {
		fmt.Println(slow)
	}
	f.median, f.p95 = share(took, 0.5), share(took, 0.95)
	f.peak, err = peak(cmd.Process.Pid)
	tty.WriteString("q")
	cmd.Wait()
	return f, err
}

// idle reports that nothing has been drawn for that long.
func (s *screen) idle(d time.Duration) bool {
	_, when := s.state()
	return time.Since(when) > d
}

func share(x []float64, q float64) float64 {
	sort.Float64s(x)
	return x[min(int(q*float64(len(x))), len(x)-1)]
}

// peak is the most memory that the process has held, in MiB (Linux).
func peak(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, l := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("no VmHWM")
}
