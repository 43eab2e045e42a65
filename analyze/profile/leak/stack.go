package leak

import (
	"strings"
)

// headers are words that only begin or belong to a stack trace.
var headers = []string{
	"traceback (most recent call last)",
	"stack trace:",
	"stacktrace:",
	"stack backtrace:",
	"exception in thread \"",
	"goroutine ", // checked further below
	"thread '",   // likewise
	"caused by: java.",
	"--- end of stack trace",
	"--- end of inner exception stack trace",
}

// findStack finds the first sign of a stack trace of a known language.
func findStack(text string) (int, int) {
	low := lowerASCII(text)
	best, end := -1, 0
	for _, h := range headers {
		for from := 0; ; {
			i := strings.Index(low[from:], h)
			if i < 0 {
				break
			}
			i += from
			from = i + len(h)
			if best >= 0 && i >= best {
				break
			}
			if headerHolds(low, h, i) {
				best, end = i, lineEnd(text, i)
				break
			}
		}
	}
	for at := 0; at < len(text) && (best < 0 || at < best); {
		e := lineEnd(text, at)
		if frameLine(text[at:e]) {
			return at, e
		}
		at = e + 1
	}
	// A trace that was flattened into one line.
	if a, b := inlineFrame(text); a >= 0 && (best < 0 || a < best) {
		return a, b
	}
	if best < 0 {
		return 0, 0
	}
	return best, end
}

// headerHolds looks at what follows the words that are also ordinary ones.
func headerHolds(low, h string, i int) bool {
	rest := low[i+len(h):]
	rest = rest[:min(len(rest), 200)]
	switch h {
	case "goroutine ":
		n := digits(rest)
		return n > 0 && strings.HasPrefix(rest[n:], " [")
	case "thread '":
		return strings.Contains(rest, "' panicked at") || strings.Contains(rest, "' (") && strings.Contains(rest, "panicked at")
	}
	return true
}

// frameLine reports a line that is one frame of a trace.
func frameLine(line string) bool {
	if len(line) > 4096 {
		line = line[:4096]
	}
	t := strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(t, `File "`): // Python
		i := strings.Index(t[6:], `", line `)
		return i >= 0 && digits(t[6+i+8:]) > 0
	case strings.HasPrefix(t, "at "): // JavaScript, Java, .NET
		return atFrame(t[3:])
	case strings.HasPrefix(t, "#"): // PHP, gdb, sanitizers
		n := digits(t[1:])
		if n == 0 {
			return false
		}
		rest := strings.TrimLeft(t[1+n:], " ")
		return strings.HasPrefix(rest, "0x") && digitsHex(rest[2:]) >= 4 || phpFrame(rest)
	case strings.Contains(t, ":in `") || strings.Contains(t, ":in '"): // Ruby
		i := strings.Index(t, ":in ")
		j := strings.LastIndexByte(t[:i], ':')
		return j > 0 && j+1 < i && digits(t[j+1:i]) == i-j-1
	case strings.Contains(t, " +0x"): // Go
		i := strings.Index(t, " +0x")
		return trailingLine(t[:i])
	}
	return false
}

// atFrame reads what follows "at ": a place with line and column, a Java
// method, or a .NET one.
func atFrame(t string) bool {
	if open := strings.IndexByte(t, '('); open > 0 {
		if c := strings.IndexByte(t[open:], ')'); c > 0 {
			in := t[open+1 : open+c]
			switch in {
			case "Native Method", "Unknown Source", "<anonymous>":
				return true
			}
			if trailingLine(in) && strings.ContainsAny(in, "./") || strings.HasPrefix(in, "node:") || strings.HasPrefix(in, "file://") {
				return true
			}
			dotted := strings.IndexByte(t[:open], '.') > 0 && !strings.ContainsAny(t[:open], " ")
			if dotted && strings.Contains(t[open+c:], ") in ") && strings.Contains(t, ":line ") {
				return true
			}
		}
	}
	// "at /app/index.js:10:5" without a function's name
	word, _, _ := strings.Cut(strings.TrimPrefix(t, "async "), " ")
	i := strings.LastIndexByte(word, ':')
	return i > 0 && digits(word[i+1:]) > 0 && trailingLine(word[:i]) && strings.ContainsAny(word, "./")
}

// phpFrame is "/srv/x.php(12): f()" or "{main}".
func phpFrame(t string) bool {
	if strings.HasPrefix(t, "{main}") {
		return true
	}
	i := strings.Index(t, "): ")
	j := strings.IndexByte(t, '(')
	return i > 0 && j > 0 && j < i && digits(t[j+1:i]) == i-j-1
}

// inlineFrame finds a Java or JavaScript frame in the middle of a line, as in
// a trace whose line breaks were lost: " at name (place:line:column)".
func inlineFrame(text string) (int, int) {
	for from := 0; ; {
		i := strings.Index(text[from:], " at ")
		if i < 0 {
			return -1, 0
		}
		i += from
		from = i + 3
		rest := text[i+4 : min(len(text), i+304)]
		if next := strings.Index(rest, " at "); next >= 0 {
			rest = rest[:next]
		}
		open, shut := strings.IndexByte(rest, '('), strings.IndexByte(rest, ')')
		if open <= 0 || shut < open || strings.Count(rest[:open], " ") > 2 {
			continue
		}
		in := rest[open+1 : shut]
		if trailingLine(in) && strings.ContainsAny(in, "./") && !strings.Contains(in, " ") {
			return i + 1, i + 4 + shut + 1
		}
	}
}

// trailingLine reports a text that ends in ":N".
func trailingLine(t string) bool {
	i := strings.LastIndexByte(t, ':')
	return i > 0 && i+1 < len(t) && digits(t[i+1:]) == len(t)-i-1
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func digitsHex(s string) int {
	n := 0
	for n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	return n
}

func lineEnd(s string, from int) int {
	if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(s)
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}
