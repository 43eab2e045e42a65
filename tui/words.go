package tui

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// nameOf names a frame as reports and expressions do: by its number within its
// session, from 0. A line that can't be read has none.
func (a *App) nameOf(frame int) string {
	if n := a.tape.Number(frame); n >= 0 {
		return "frame " + count(n)
	}
	for _, r := range a.tape.Rows([]int{frame}) {
		return fmt.Sprintf("line %d", r.Line)
	}
	return "frame"
}

// say puts a sentence at the bottom. Whatever it quotes, a vendor's secret in it is
// redacted.
func (a *App) say(format string, args ...any) {
	a.notice = notice{text: a.mask.Scrub(fmt.Sprintf(format, args...))}
}

// fail says what went wrong.
func (a *App) fail(format string, args ...any) {
	a.say(format, args...)
	a.notice.fault = true
}

// since is the time since the start of the trace.
func (a *App) since(ts int64) string {
	if ts == 0 || a.ov.From == 0 {
		return ""
	}
	return "+" + span(time.Duration(ts-a.ov.From))
}

// span writes a duration with milliseconds below an hour.
func span(d time.Duration) string {
	neg := ""
	if d < 0 {
		neg, d = "-", -d
	}
	ms := d.Milliseconds()
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%s%d.%03ds", neg, ms/1000, ms%1000)
	case d < time.Hour:
		return fmt.Sprintf("%s%dm%02d.%ds", neg, ms/60000, ms/1000%60, ms/100%10)
	case d < 100*time.Hour:
		return fmt.Sprintf("%s%dh%02dm%02ds", neg, int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%s%dd%02dh", neg, int(d.Hours())/24, int(d.Hours())%24)
}

// size writes a number of bytes in at most five cells.
func size(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	case n < 10_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// count writes a number with its thousands apart.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }
