package formats

import (
	"math"
	"strconv"
	"time"
)

// parseTime reads a time as logs write it, into Unix nanoseconds: RFC 3339
// with any fraction (digits past the ninth are dropped), with a space for the
// T, or without a zone (then loc's), and seconds, milliseconds, microseconds
// or nanoseconds since 1970 as a number, told apart by their size. False when
// it is none of these or lies outside of what int64 holds (1678 to 2261).
func parseTime(b []byte, loc *time.Location) (int64, bool) {
	if len(b) >= 20 && b[4] == '-' && b[7] == '-' && (b[10] == 'T' || b[10] == 't' || b[10] == ' ') && b[13] == ':' && b[16] == ':' {
		if ns, ok := parseRFC3339(b, loc); ok {
			return ns, true
		}
		return 0, false
	}
	if len(b) == 19 && b[4] == '-' && b[13] == ':' {
		return parseRFC3339(b, loc)
	}
	return parseEpoch(b)
}

func two(b []byte, i int) int {
	x, y := b[i]-'0', b[i+1]-'0'
	if x > 9 || y > 9 {
		return -1
	}
	return int(x)*10 + int(y)
}

// daysBefore counts the days of a common year before each month.
var daysBefore = [13]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

func leap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

func parseRFC3339(b []byte, loc *time.Location) (int64, bool) {
	y1, y2 := two(b, 0), two(b, 2)
	mo, d, h, mi, s := two(b, 5), two(b, 8), two(b, 11), two(b, 14), two(b, 17)
	y := y1*100 + y2
	if y1 < 0 || y2 < 0 || y < 1679 || y > 2261 || mo < 1 || mo > 12 || d < 1 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 60 {
		return 0, false
	}
	month := daysBefore[mo] - daysBefore[mo-1]
	if mo == 2 && leap(y) {
		month++
	}
	if d > month {
		return 0, false
	}
	i, ns := 19, 0
	if i < len(b) && (b[i] == '.' || b[i] == ',') {
		i++
		from, scale := i, 100_000_000
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			ns += int(b[i]-'0') * scale
			scale /= 10
			i++
		}
		if i == from {
			return 0, false
		}
	}
	n := y - 1601 // the first year of a cycle of 400; 134,774 days before 1970
	days := n*365 + n/4 - n/100 + n/400 - 134774 + daysBefore[mo-1] + d - 1
	if mo > 2 && leap(y) {
		days++
	}
	sec := int64(days)*86400 + int64(h*3600+mi*60+s)
	switch {
	case i == len(b):
		if loc == nil {
			loc = time.UTC
		}
		if loc != time.UTC {
			return time.Date(y, time.Month(mo), d, h, mi, s, ns, loc).UnixNano(), true
		}
	case (b[i] == 'Z' || b[i] == 'z') && i+1 == len(b):
	case (b[i] == '+' || b[i] == '-') && (len(b) == i+6 && b[i+3] == ':' || len(b) == i+5):
		// as lax about offsets as the standard library
		zh, zm := two(b, i+1), two(b, len(b)-2)
		if zh < 0 || zh > 24 || zm < 0 || zm > 60 {
			return 0, false
		}
		off := int64(zh*3600 + zm*60)
		if b[i] == '+' {
			off = -off
		}
		sec += off
	default:
		return 0, false
	}
	return sec*1e9 + int64(ns), true
}

// parseEpoch tells the unit by the size: below 1e11 seconds (until the year
// 5138), below 1e14 milliseconds, below 1e17 microseconds, else nanoseconds.
func parseEpoch(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 40 {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		abs := n
		if abs < 0 {
			abs = -abs
		}
		var unit int64 = 1
		switch {
		case abs < 0:
			return 0, false
		case abs < 1e11:
			unit = 1e9
		case abs < 1e14:
			unit = 1e6
		case abs < 1e17:
			unit = 1e3
		}
		if abs > math.MaxInt64/unit {
			return 0, false
		}
		return n * unit, true
	}
	if c := b[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) >= 1e14 {
		return 0, false
	}
	unit := 1e9
	if math.Abs(f) >= 1e11 {
		unit = 1e6
	}
	// whole and fraction apart: a float of nanoseconds has no microseconds left
	whole, frac := math.Modf(f)
	if math.Abs(whole) > float64(math.MaxInt64)/unit-1 {
		return 0, false
	}
	return int64(whole)*int64(unit) + int64(math.Round(frac*1e6))*int64(unit/1e6), true
}
