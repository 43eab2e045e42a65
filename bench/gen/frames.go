package gen

import (
	"strconv"
	"strings"
	"time"
)

// writer makes one frame after another into out.
type writer struct {
	rng
	o        Options
	out      []byte
	clock    int64 // microseconds since the epoch
	day      int64 // day that date shows
	date     []byte
	sessions []session
	raw      []byte // a text before it is quoted
	b64      []byte
	spaced   map[string]string
	stats    Stats
}

// session is one client and its server, somewhere in their conversation.
type session struct {
	name    string
	style   style
	server  int
	strings bool // ids are strings
	started bool
	id      int
	open    []call
	line    []byte // what every envelope of the session holds after its time
}

type call struct {
	id   int
	tool string
}

func newWriter(o Options) *writer {
	g := &writer{rng: newRand(o.Seed), o: o, spaced: map[string]string{}}
	g.clock = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC).UnixMicro()
	styles := [4]style{styleNode, styleNode, stylePython, styleGo}
	for i := range o.Sessions {
		s := session{style: styles[g.n(4)], server: g.n(len(servers)), strings: g.one(6)}
		if o.Settled {
			s.server = 0
		}
		s.name = servers[s.server] + "-" + strconv.Itoa(1000+i)
		s.line = []byte(`","session":"` + s.name + `","frame":`)
		g.sessions = append(g.sessions, s)
	}
	return g
}

// turn writes what happens next in one of the sessions: one to six frames.
func (g *writer) turn() {
	s := &g.sessions[g.n(len(g.sessions))]
	switch x := g.n(100); {
	case !s.started:
		g.handshake(s)
	case g.o.Settled && len(s.open) > 0:
		g.answer(s)
	case x < 2:
		g.aside(s)
	case len(s.open) > 0 && (len(s.open) > 3 || x < 90):
		g.answer(s)
	default:
		g.call(s)
		if len(s.open) == 1 && x%8 != 0 { // most clients wait
			g.answer(s)
		}
	}
}

func (g *writer) handshake(s *session) {
	s.started = true
	id := s.next()
	g.begin(s, "c2s")
	g.request(s, id, "initialize")
	g.agreed(s, `,"params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"desk","version":"4.2.0"}}}`)
	g.end()
	g.begin(s, "s2c")
	g.response(s, id)
	g.agreed(s, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":`)
	g.str(s, servers[s.server])
	g.lit(s, `,"version":"1.4.2"}}}`)
	g.end()
	g.begin(s, "c2s")
	g.lit(s, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	g.end()
	id = s.next()
	g.begin(s, "c2s")
	g.request(s, id, "tools/list")
	g.lit(s, `}`)
	g.end()
	g.begin(s, "s2c")
	g.response(s, id)
	g.lit(s, `{"tools":[`)
	for i, t := range tools[s.server] {
		if i > 0 {
			g.lit(s, `,`)
		}
		g.lit(s, `{"name":`)
		g.str(s, t)
		g.lit(s, `,"description":`)
		if g.raw = g.sentence(g.sentence(g.raw[:0], false), false); g.o.Settled {
			g.raw = append(append(g.raw[:0], "The tool "...), t...)
		}
		g.out = s.style.quote(g.out, g.raw)
		g.agreed(s, `,"inputSchema":{"type":"object","properties":{"path":{"type":"string","maxLength":4096},"query":{"type":"string"},"limit":{"type":"integer","minimum":1}},"required":["path"]},"annotations":{"readOnlyHint":true}}`)
	}
	g.lit(s, `]}}`)
	g.end()
}

// agreed is lit, in settled sessions with what the profile asks for.
func (g *writer) agreed(s *session, text string) {
	if g.o.Settled {
		text = settled.Replace(text)
	}
	g.lit(s, text)
}

var settled = strings.NewReplacer("2025-11-25", "2025-06-18", `{"tools":{"listChanged":true},"logging":{}}`, `{"tools":{"listChanged":false}}`,
	`,"annotations":{"readOnlyHint":true}`, "")

func (g *writer) call(s *session) {
	c := call{id: s.next(), tool: g.pick(tools[s.server])}
	s.open = append(s.open, c)
	g.stats.Calls++
	g.begin(s, "c2s")
	g.request(s, c.id, "tools/call")
	g.lit(s, `,"params":{"name":`)
	g.str(s, c.tool)
	g.lit(s, `,"arguments":{"path":`)
	g.raw = g.path(g.raw[:0])
	g.out = s.style.quote(g.out, g.raw)
	g.lit(s, `,"query":`)
	g.raw = g.sentence(g.raw[:0], g.one(8))
	g.out = s.style.quote(g.out, g.raw)
	g.lit(s, `,"limit":`)
	g.out = strconv.AppendInt(g.out, int64(1+g.n(500)), 10)
	g.lit(s, `}`)
	if g.one(5) {
		g.lit(s, `,"_meta":{"progressToken":`)
		g.id(s, c.id)
		g.lit(s, `}`)
	}
	g.lit(s, `}}`)
	g.end()
}

// aside writes what goes on beside calls.
func (g *writer) aside(s *session) {
	kind := g.n(4)
	if g.o.Settled {
		kind = 1
	}
	switch kind {
	case 0:
		g.begin(s, "s2c")
		g.lit(s, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":`)
		g.str(s, s.name)
		g.lit(s, `,"data":`)
		g.raw = g.sentence(g.raw[:0], false)
		g.out = s.style.quote(g.out, g.raw)
		g.lit(s, `}}`)
	case 1:
		id := s.next()
		g.begin(s, "c2s")
		g.request(s, id, "ping")
		g.lit(s, `}`)
		g.end()
		g.begin(s, "s2c")
		g.response(s, id)
		g.lit(s, `{}}`)
	case 2:
		if len(s.open) == 0 {
			g.call(s)
		}
		c := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		g.begin(s, "c2s")
		g.lit(s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`)
		g.id(s, c.id)
		g.lit(s, `,"reason":"the user moved on"}}`)
	default:
		id := s.next()
		g.begin(s, "c2s")
		g.request(s, id, "resources/read")
		g.lit(s, `,"params":{"uri":"file:///srv/demo/notes.md"}}`)
		g.end()
		g.begin(s, "s2c")
		g.response(s, id)
		g.lit(s, `{"contents":[{"uri":"file:///srv/demo/notes.md","mimeType":"text/markdown","text":`)
		g.body(s, false)
		g.lit(s, `}]}}`)
	}
	g.end()
}

// size draws the length of a text: most are some hundred bytes to some
// thousand, one in eighty is a whole file.
func (g *writer) size() int {
	n := 0
	if g.one(80) {
		n = 8192 + g.n(1<<16)
	} else {
		base := 200 << g.n(5) // whole numbers: the same on every processor
		n = base + g.n(base)
	}
	return n * g.o.Texts / 100
}

// body appends a text as a JSON string, with a finding now and then where one
// may stand.
func (g *writer) body(s *session, plant bool) {
	g.raw = g.text(g.raw[:0], g.size())
	if plant && g.o.Findings > 0 && g.float() < g.o.Findings {
		k := Plant(g.n(int(plantKinds)))
		g.stats.Planted[k]++
		at := len(g.raw) / 2
		for at < len(g.raw) && g.raw[at] != ' ' && g.raw[at] != '\n' {
			at++
		}
		tail := append([]byte(nil), g.raw[at:]...)
		g.raw = append(g.plant(g.raw[:at], k), tail...)
	} else if g.one(40) {
		g.raw = join(g.raw, "\nSee https://", g.pick(hosts), "/", g.word(), "/", g.word(), "?page=2#top\n")
	}
	g.out = s.style.quote(g.out, g.raw)
}
