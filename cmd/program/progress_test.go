package program

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		read, total, bytes int64
		since              time.Duration
		cols               int
		want               string
	}{
		{50, 100, 2e9, 2 * time.Second, 80, "[====================                    ]  50%  1.0 GB/s  0:02 left"},
		{0, 100, 0, 2 * time.Second, 80, "[                                        ]   0%  0 B/s  --:-- left"},
		{100, 100, 5e6, 10 * time.Second, 80, "[========================================] 100%  500 kB/s  0:00 left"},
		{1, 4000, 1e6, 5 * time.Second, 60, "[                            ]   0%  200 kB/s  5:33:15 left"},
		{10, 0, 12.5e6, 5 * time.Second, 80, "12 MB  2.5 MB/s  0:05"},
		{20, 10, 12.5e6, 5 * time.Second, 80, "12 MB  2.5 MB/s  0:05"}, // a file that grew
		{50, 100, 2e9, 2 * time.Second, 24, "50%  1.0 GB/s  0:02 lef"},
		{50, 100, 2e9, 2 * time.Second, 0, ""},
	} {
		got := progressLine(c.read, c.total, c.bytes, c.since, c.cols)
		if got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
		if len(got) >= max(c.cols, 1) {
			t.Errorf("%d cells of %d", len(got), c.cols)
		}
	}
}

// screen is a terminal of one line, for what a bar leaves on it.
type screen struct {
	mu    sync.Mutex
	line  []byte
	at    int
	wrote int
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote++
	for _, c := range p {
		if c == '\r' {
			s.at = 0
			continue
		}
		for len(s.line) <= s.at {
			s.line = append(s.line, ' ')
		}
		s.line[s.at] = c
		s.at++
	}
	return len(p), nil
}

func (s *screen) shows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimRight(string(s.line), " ")
}

func TestProgressDraws(t *testing.T) {
	var s screen
	now := time.Unix(0, 0)
	p := newProgress(&s, 80, func() time.Time { return now })
	p.Expect(1000)
	p.Expect(-1)
	p.Read(250)
	p.Inspected(3e6)
	now = now.Add(900 * time.Millisecond)
	p.draw()
	if s.wrote != 0 {
		t.Errorf("drawn in the first second: %q", s.shows())
	}
	now = now.Add(2100 * time.Millisecond)
	p.draw()
	if got, want := s.shows(), "[==========                              ]  25%  1.0 MB/s  0:09 left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.total.Store(0) // a shorter line must cover the longer one
	p.draw()
	if got, want := s.shows(), "3.0 MB  1.0 MB/s  0:03"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Wipe()
	if got := s.shows(); got != "" || s.at != 0 {
		t.Errorf("left on the screen: %q", got)
	}
}

func TestProgressIsOnlyForTerminals(t *testing.T) {
	defer goleak.VerifyNone(t)
	var b bytes.Buffer
	w := &World{Stderr: &b}
	p := w.NewProgress(nil, false)
	if p != nil {
		t.Error("a bar without a terminal")
	}
	p.Expect(1)
	p.Read(1)
	p.Inspected(1)
	p.Wipe()
	p.Done() // nil does nothing
	yes, no := true, false
	if w.NewProgress(&no, false) != nil {
		t.Error("a bar in spite of --no-progress")
	}
	p = w.NewProgress(&yes, true)
	if p == nil {
		t.Fatal("no bar in spite of --progress")
	}
	p.Done()
	p.Done()
	if b.Len() != 0 {
		t.Errorf("a quick run left %q", b.String())
	}
}

func TestAmounts(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9951: "10 kB", 999499: "999 kB", 999500: "1.0 MB", 1.5e9: "1.5 GB", 2e12: "2.0 TB"} {
		if got := amount(n); got != want {
			t.Errorf("amount(%v) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0:00", 61 * time.Second: "1:01", time.Hour + 61*time.Second: "1:01:01", 1000 * time.Hour: "99:00:00"} {
		if got := clock(d); got != want {
			t.Errorf("clock(%v) = %q, want %q", d, got, want)
		}
	}
}
