package gen

import "strconv"

// answer writes the result or error of one of the open calls, sometimes after
// some progress.
func (g *writer) answer(s *session) {
	at := g.n(len(s.open))
	c := s.open[at]
	s.open = append(s.open[:at], s.open[at+1:]...)
	if g.one(20) {
		for step := range 1 + g.n(4) {
			g.begin(s, "s2c")
			g.lit(s, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`)
			g.id(s, c.id)
			g.lit(s, `,"progress":`)
			g.out = strconv.AppendInt(g.out, int64(25*(step+1)), 10)
			g.lit(s, `,"total":100}}`)
			g.end()
		}
	}
	g.begin(s, "s2c")
	x := g.n(100)
	if x == 0 {
		g.failure(s, c)
		g.end()
		return
	}
	g.response(s, c.id)
	g.lit(s, `{"content":[`)
	if g.o.Settled && x >= 9 && x != 18 {
		x = 50 // what the profile does not know
	}
	switch {
	case x < 9:
		for i := range 2 + g.n(4) {
			if i > 0 {
				g.lit(s, `,`)
			}
			g.block(s, i == 0)
		}
		g.lit(s, `],"isError":false}`)
	case x < 13:
		g.lit(s, `{"type":"resource","resource":{"uri":`)
		g.raw = g.path(append(g.raw[:0], "file:///srv/demo/"...))
		g.out = s.style.quote(g.out, g.raw)
		g.lit(s, `,"mimeType":"text/plain","text":`)
		g.body(s, true)
		g.lit(s, `}}]}`)
	case x < 16:
		g.structured(s)
	case x < 18:
		g.lit(s, `{"type":"text","text":`)
		g.raw = g.sentence(append(g.raw[:0], "Error: "...), false)
		g.out = s.style.quote(g.out, g.raw)
		g.lit(s, `}],"isError":true}`)
	case x == 18:
		g.block(s, true)
		g.lit(s, `,{"type":"image","mimeType":"image/png","data":"`)
		g.b64 = g.chars(g.b64[:0], base64std, 4*(256+g.n(1792)))
		g.out = append(g.out, g.b64...)
		g.out = append(g.out, '"')
		g.lit(s, `}]}`)
	case x == 19:
		g.block(s, true)
		g.lit(s, `,{"type":"resource_link","uri":`)
		g.raw = g.path(append(g.raw[:0], "file:///srv/demo/"...))
		g.out = s.style.quote(g.out, g.raw)
		g.lit(s, `,"name":`)
		g.str(s, g.word())
		g.lit(s, `}]}`)
	default:
		g.block(s, true)
		g.lit(s, `],"isError":false}`)
	}
	g.lit(s, `}`)
	g.end()
}

func (g *writer) block(s *session, plant bool) {
	g.lit(s, `{"type":"text","text":`)
	g.body(s, plant)
	g.lit(s, `}`)
}

// structured writes rows both as data and, as servers do for old clients, as
// JSON in a text.
func (g *writer) structured(s *session) {
	g.raw = append(g.raw[:0], `{"rows":[`...)
	for i := range 1 + g.n(20) {
		if i > 0 {
			g.raw = append(g.raw, ',')
		}
		g.raw = append(g.raw, `{"id":`...)
		g.raw = strconv.AppendInt(g.raw, int64(g.n(1_000_000)), 10)
		g.raw = join(g.raw, `,"name":"`, g.word(), " ", g.word(), `","ratio":`)
		g.raw = strconv.AppendFloat(g.raw, g.float(), 'f', 6, 64)
		g.raw = join(g.raw, `,"state":"`, g.word(), `","parent":null}`)
	}
	g.raw = append(g.raw, `],"next":"`...)
	g.raw = g.uuid(g.raw)
	g.raw = append(g.raw, `"}`...)
	g.lit(s, `{"type":"text","text":`)
	g.out = s.style.quote(g.out, g.raw)
	g.lit(s, `}],"structuredContent":`)
	g.out = append(g.out, g.raw...)
	g.lit(s, `}`)
}

func (g *writer) failure(s *session, c call) {
	g.lit(s, `{"jsonrpc":"2.0","id":`)
	g.id(s, c.id)
	g.lit(s, `,"error":{"code":-32603,"message":`)
	g.raw = g.sentence(append(g.raw[:0], c.tool+" failed: "...), false)
	g.out = s.style.quote(g.out, g.raw)
	g.lit(s, `,"data":{"retry":true}}}`)
}
