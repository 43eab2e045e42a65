package jsonrpc

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"pgregory.net/rapid"
)

// writer writes random messages: mostly of the known form, with repeated keys,
// case variants, escapes and white space strewn in.
type writer struct {
	strings.Builder
	pick func(n int) int // from [0, n)
	wild bool            // also what is no JSON by the letter
}

func rapidWriter(t *rapid.T) *writer {
	g := rapid.IntRange(0, 1<<16)
	return &writer{pick: func(n int) int { return g.Draw(t, "pick") % n }}
}

func seededWriter(seed uint64) *writer {
	r := rand.New(rand.NewPCG(seed, 7))
	return &writer{pick: r.IntN}
}

func (w *writer) one(of ...string) string { return of[w.pick(len(of))] }

func (w *writer) space() {
	if w.pick(6) == 0 {
		w.WriteString(w.one(" ", "\n", "\t", "\r", "  \t "))
	}
}

// str writes a string that decodes to s, some of it escaped.
func (w *writer) str(s string) {
	w.WriteByte('"')
	dense := w.pick(4) == 0
	for _, c := range s {
		switch {
		case dense && c < 0x10000 || c < 0x20:
			fmt.Fprintf(w, w.one(`\u%04x`, `\u%04X`), c)
		case c == '"' || c == '\\':
			w.WriteByte('\\')
			w.WriteRune(c)
		case c == '/' && w.pick(2) == 0:
			w.WriteString(`\/`)
		default:
			w.WriteRune(c)
		}
	}
	if w.pick(8) == 0 {
		w.WriteString(w.one(`\n`, `\"`, `\\`, `\\\"`, "\u00e9", `\u20ac`, `\ud83d\ude00`, "😀", `\t\b\f\r`, "\u2028"))
	}
	if w.pick(60) == 0 {
		w.WriteString(w.one(`\ud83d`, `\udc00`, `\ud83d\u0041`, `\ud83d\ud83d\ude00`))
	}
	if w.wild && w.pick(20) == 0 {
		w.WriteString(w.one("\xff", "\xe2\x82", "\xed\xa0\x80", "\xc0\x80"))
	}
	w.WriteByte('"')
}

func (w *writer) scalar() {
	if w.wild && w.pick(12) == 0 {
		w.WriteString(w.one("NaN", "Infinity", "-Infinity"))
		return
	}
	switch w.pick(7) {
	case 0:
		w.WriteString(w.one("true", "false", "null"))
	case 1:
		w.WriteString(w.one("0", "-0", "1", "1.50", "-12e+5", "1E-9", "123456789012345678901234567890"))
	default:
		w.str(w.one("", "a", "text", "image", "AAAA", "AA==\r\n", "A/+=", "A-_", "sk-x", "resource", strings.Repeat("long ", 30), "é", "{\"a\":1}", "\x00"))
	}
}

// any writes any value.
func (w *writer) any(depth int) {
	w.space()
	switch k := w.pick(8); {
	case depth <= 0 || k < 4:
		w.scalar()
	case k < 6:
		w.WriteByte('[')
		for i := w.pick(4); i > 0; i-- {
			w.any(depth - 1)
			if i > 1 {
				w.WriteByte(',')
			}
		}
		w.space()
		w.WriteByte(']')
	default:
		w.object(w.pick(4), func(int) {
			w.key("a", "b", "text", "type", "data", "result")
			w.any(depth - 1)
		})
	}
	w.space()
}

func (w *writer) object(n int, member func(i int)) {
	w.WriteByte('{')
	w.space()
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
			w.space()
		}
		member(i)
		w.space()
	}
	w.WriteByte('}')
}

// key writes one of the names, now and then in another case, and the colon.
func (w *writer) key(of ...string) string {
	name := w.one(of...)
	k := name
	if w.pick(40) == 0 {
		k = w.one(strings.ToUpper(k), strings.ToUpper(k[:1])+k[1:], strings.Replace(k, "s", "\u017f", 1), strings.Replace(k, "k", "\u212a", 1))
	}
	w.str2(k)
	w.space()
	w.WriteByte(':')
	w.space()
	return name
}

// str2 is str without surprises.
func (w *writer) str2(s string) {
	if w.pick(10) == 0 {
		w.WriteByte('"')
		for _, c := range s {
			fmt.Fprintf(w, `\u%04x`, c)
		}
		w.WriteByte('"')
		return
	}
	w.WriteString(`"` + s + `"`)
}

// distinct deals the names out one after another, to have frames without
// repeats as well; a rare one comes twice.
func (w *writer) distinct(of ...string) func() string {
	rest := append([]string(nil), of...)
	return func() string {
		if len(rest) == 0 || w.pick(50) == 0 {
			return w.one(of...)
		}
		i := w.pick(len(rest))
		k := rest[i]
		rest = append(rest[:i], rest[i+1:]...)
		return k
	}
}

func (w *writer) message() string {
	next := w.distinct("jsonrpc", "id", "method", "params", "result", "error", "x", "y")
	w.object(w.pick(7), func(int) {
		switch w.key(next()) {
		case "method":
			w.str(w.one("tools/call", "notifications/tasks", "notifications/tasks/status", "notifications/task", "ping"))
		case "params":
			w.params()
		case "result":
			w.result(1)
		default:
			w.any(3)
		}
	})
	return w.String()
}

func (w *writer) params() {
	if w.pick(10) == 0 {
		w.any(2)
		return
	}
	next := w.distinct("name", "arguments", "_meta", "task", "cursor", "inputResponses", "requestState", "result", "z")
	w.object(w.pick(6), func(int) {
		if w.key(next()) == "result" {
			w.result(0)
			return
		}
		w.any(2)
	})
}

func (w *writer) result(nest int) {
	if w.pick(12) == 0 {
		w.any(2)
		return
	}
	next := w.distinct("content", "structuredContent", "isError", "resultType", "task", "taskId", "inputRequests", "requestState", "result", "_meta", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9", "q10", "q11")
	n := w.pick(6)
	if w.pick(10) == 0 {
		n = 15 + w.pick(10)
	}
	w.object(n, func(int) {
		switch k := w.key(next()); {
		case k == "content" && w.pick(8) > 0:
			w.WriteByte('[')
			for i := w.pick(4); i > 0; i-- {
				w.space()
				w.block()
				w.space()
				if i > 1 {
					w.WriteByte(',')
				}
			}
			w.WriteByte(']')
		case k == "result" && nest > 0:
			w.result(nest - 1)
		default:
			w.any(3)
		}
	})
}

func (w *writer) block() {
	if w.pick(8) == 0 {
		w.any(2)
		return
	}
	next := w.distinct("type", "type", "text", "resource", "data", "blob", "uri", "name", "title", "description", "annotations")
	w.object(w.pick(6), func(int) {
		switch k := w.key(next()); {
		case k == "type" && w.pick(10) > 0:
			w.str2(w.one("text", "text", "resource", "resource", "resource_link", "image", "audio", "blob", "Text", "weird"))
		case k == "resource" && w.pick(8) > 0:
			more := w.distinct("text", "uri", "blob", "data", "mimeType")
			w.object(w.pick(4), func(int) {
				w.key(more())
				w.any(1)
			})
		default:
			w.any(2)
		}
	})
}
