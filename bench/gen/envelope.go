package gen

import (
	"strconv"
	"time"
)

func (s *session) next() int { s.id++; return s.id }

// begin opens the envelope of a frame, end closes it and the line.
func (g *writer) begin(s *session, direction string) {
	g.clock += int64(g.n(2 * g.o.Gap))
	g.out = append(g.out, `{"direction":"`...)
	g.out = append(g.out, direction...)
	g.out = append(g.out, `","ts":"`...)
	g.time()
	g.out = append(g.out, s.line...)
}

func (g *writer) end() {
	g.out = append(g.out, '}', '\n')
	g.stats.Frames++
}

// time appends the clock as RFC 3339 with microseconds.
func (g *writer) time() {
	const perDay = 86_400_000_000
	day := g.clock / perDay
	if day != g.day {
		g.day = day
		g.date = time.UnixMicro(g.clock).UTC().AppendFormat(g.date[:0], "2006-01-02T")
	}
	g.out = append(g.out, g.date...)
	us := int(g.clock % perDay)
	two := func(v int) { g.out = append(g.out, byte('0'+v/10), byte('0'+v%10)) }
	sec := us / 1_000_000
	two(sec / 3600)
	g.out = append(g.out, ':')
	two(sec / 60 % 60)
	g.out = append(g.out, ':')
	two(sec % 60)
	g.out = append(g.out, '.')
	two(us / 10_000 % 100)
	two(us / 100 % 100)
	two(us % 100)
	g.out = append(g.out, 'Z')
}

// lit appends JSON that is written here compactly, as the session's library
// would space it. It must begin outside a string.
func (g *writer) lit(s *session, json string) {
	if s.style != stylePython {
		g.out = append(g.out, json...)
		return
	}
	sp, ok := g.spaced[json]
	if !ok {
		sp = space(json)
		g.spaced[json] = sp
	}
	g.out = append(g.out, sp...)
}

// space puts a space after every colon and comma outside strings.
func space(json string) string {
	var b []byte
	in := false
	for i := range len(json) {
		c := json[i]
		if c == '"' {
			in = !in // no literal of ours holds an escape
		}
		b = append(b, c)
		if !in && (c == ':' || c == ',') {
			b = append(b, ' ')
		}
	}
	return string(b)
}

// str appends a short string that needs no escape.
func (g *writer) str(_ *session, v string) {
	g.out = append(g.out, '"')
	g.out = append(g.out, v...)
	g.out = append(g.out, '"')
}

func (g *writer) id(s *session, id int) {
	if s.strings {
		g.out = append(g.out, `"req-`...)
		g.out = strconv.AppendInt(g.out, int64(id), 10)
		g.out = append(g.out, '"')
		return
	}
	g.out = strconv.AppendInt(g.out, int64(id), 10)
}

// request opens a request up to its method; the caller goes on with its
// params or closes it. The order of members is the library's.
func (g *writer) request(s *session, id int, method string) {
	if s.style == stylePython {
		g.lit(s, `{"method":`)
		g.str(s, method)
		g.lit(s, `,"jsonrpc":"2.0","id":`)
		g.id(s, id)
		return
	}
	g.lit(s, `{"jsonrpc":"2.0","id":`)
	g.id(s, id)
	g.lit(s, `,"method":`)
	g.str(s, method)
}

// response opens a response up to the value of its result; the caller writes
// that and the closing brace.
func (g *writer) response(s *session, id int) {
	g.lit(s, `{"jsonrpc":"2.0","id":`)
	g.id(s, id)
	g.lit(s, `,"result":`)
}
