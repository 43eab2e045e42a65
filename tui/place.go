package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// place goes to a place in the trace.
func (a *App) place(s string) tea.Cmd {
	frame, err := a.find(strings.TrimSpace(s))
	if err != nil {
		a.fail("%s", err.Error())
		return nil
	}
	return a.goTo(min(max(frame, 0), max(a.ov.Frames-1, 0)))
}

// numbered is the frame of that number in the session in hand; beyond its end it
// is the last one, and said so.
func (a *App) numbered(n int) int {
	s, ok := a.tape.SessionOf(max(a.frame(), 0))
	if !ok {
		return 0
	}
	if n < s.Frames {
		return a.tape.Numbered(&s, n)
	}
	whose := ""
	if a.ov.Sessions > 1 {
		whose = "session " + a.mask.Scrub(s.Name) + ": "
	}
	a.say("%sthe last frame is %s%s", whose, count(s.Frames-1), a.soFar())
	return s.Last
}

// place is somewhere to go to, as it was written.
type place struct {
	kind placeKind
	n    int           // of frames
	part float64       // of the trace, 0 to 1
	at   time.Duration // since the start
	time time.Time     // with a date or, for placeClock, without
}

type placeKind int

const (
	placeFrame placeKind = iota // by its number within the session in hand, from 0
	placeBy                     // that many frames on or back
	placePart
	placeSince
	placeClock // a time of day
	placeTime
)

// CheckPlace reports what is wrong with a place to begin at, before there is a
// trace to look for it in.
func CheckPlace(s string) error {
	_, ok := readPlace(strings.TrimSpace(s))
	if !ok {
		return fmt.Errorf("%q is no place: a frame (120, +10), a share (50%%), a time (12:30:05, +5s)", s)
	}
	return nil
}

func readPlace(s string) (p place, ok bool) {
	if share, found := strings.CutSuffix(s, "%"); found {
		if x, err := strconv.ParseFloat(share, 64); err == nil && x >= 0 && x <= 100 {
			return place{kind: placePart, part: x / 100}, true
		}
	}
	if n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimPrefix(s, "#"), ",", "")); err == nil {
		if s[0] == '+' || s[0] == '-' {
			return place{kind: placeBy, n: n}, true
		}
		return place{n: n}, true
	}
	if d, err := time.ParseDuration(strings.TrimPrefix(s, "+")); err == nil && d >= 0 {
		return place{kind: placeSince, at: d}, true
	}
	for _, f := range []string{"15:04:05.999999999", "15:04:05", "15:04"} {
		if t, err := time.Parse(f, s); err == nil {
			return place{kind: placeClock, time: t}, true
		}
	}
	for _, f := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(f, s); err == nil {
			return place{kind: placeTime, time: t}, true
		}
	}
	return p, false
}

// find is the frame at a place. A number is that within the session in hand, from
// 0: the one that reports, filters and the list have for a frame.
func (a *App) find(s string) (int, error) {
	p, ok := readPlace(s)
	if !ok {
		return 0, fmt.Errorf("%q is no place and no command: a frame (120, +10), a share (50%%), a time (12:30:05, +5s), or a name that ? shows", s)
	}
	switch p.kind {
	case placeFrame:
		return a.numbered(p.n), nil
	case placeBy:
		return max(a.frame(), 0) + p.n, nil
	case placePart:
		return int(p.part * float64(max(a.ov.Frames-1, 0))), nil
	}
	if a.ov.From == 0 {
		return 0, fmt.Errorf("this recording has no times")
	}
	switch t := p.time; p.kind {
	case placeSince:
		return a.tape.At(a.ov.From + int64(p.at)), nil
	case placeClock: // on the day of the start, or the one after
		start := time.Unix(0, a.ov.From).UTC()
		y, m, d := start.Date()
		t = time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		if t.Before(start.Truncate(time.Minute)) {
			t = t.AddDate(0, 0, 1)
		}
		return a.tape.At(t.UnixNano()), nil
	default:
		return a.tape.At(t.UnixNano()), nil
	}
}
