package formats

import (
	"bytes"
	"regexp"

	"github.com/warden-trace/warden/analyze"
)

// sniffLen is how much of a stream decides its form.
const sniffLen = 64 << 10

type form uint8

const (
	formNone   form = iota
	formEmpty       // nothing, or white space alone
	formLines       // JSON lines of any spelling but mcpsnoop's
	formSnoop       // mcpsnoop session
	formSDK         // go-sdk LoggingTransport
	formFramed      // Content-Length framing
)

// formNames are what reports and UnrecognisedError call the forms.
var formNames = map[form]string{
	formEmpty: "empty", formLines: "JSON lines", formSnoop: "mcpsnoop session",
	formSDK: "go-sdk log", formFramed: "Content-Length framing",
}

// tried lists the forms that a stream was held against.
var tried = []string{
	"canonical JSON lines", "bare frames", "envelopes of other recorders", "captured stdio",
	"Content-Length framing", "go-sdk log", "mcpsnoop session",
}

// sniffed is what the head of a stream says.
type sniffed struct {
	form form
	name string            // of the spelling, for reports
	tee  bool              // junk lines stand among bare frames
	weak bool              // too little to believe of a file that nobody named
	out  analyze.Direction // what the log's writer sends, where its beginning says so
	rel  bool              // directions are relative to the writer
	both bool              // both sides send what only a client sends
}

var (
	sdkLine    = regexp.MustCompile(`^(read|write): [{\[]`)
	headerLine = regexp.MustCompile(`(?i)^content-length:[ \t]*[0-9]+[ \t]*\r?$`)
	// textForms are logs that are known but not (or not yet) readable.
	textForms = []struct {
		line         *regexp.Regexp
		form, advice string
		metadata     bool
	}{
		{regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:.]+Z \[.*Message from (client|server): `), "Claude Desktop log", "", false},
		{regexp.MustCompile(`\[(editor -> server|server -> editor|Client Says|Server Says)\]`), "VS Code MCP output log", "", false},
		{regexp.MustCompile(`Handling CallTool action for tool '`), "Cursor MCP log", "it names the calls but holds no arguments and no results; record the session with warden-replay guard --record", true},
		{regexp.MustCompile(`^\s*- Calling tool \S+ with arguments: object with \d+ field`), "Docker MCP gateway log", "it leaves argument values out on purpose; record the session with warden-replay guard --record", true},
		{regexp.MustCompile(`^\[[^\]]*\]\[\d+\] (Local → Remote|Remote → Local)`), "mcp-remote debug log", "it holds summaries only; record the session with warden-replay guard --record", true},
		{regexp.MustCompile(`Processing request of type [A-Z]\w*Request`), "Python SDK server log", "it names the requests but holds no payload; record the session with warden-replay guard --record", true},
		{regexp.MustCompile(`^\[supergateway\] .*(→|->)`), "supergateway log", "", false},
		{regexp.MustCompile(`^\[\d{4}-[^\]]*Z\] (inbound|outbound) \| .*\| \{`), "mcp-guardian log", "", false},
	}
)

// sniff tells the form from the head of a stream, after decompression and
// byte-order mark. whole says that head is all there is.
func sniff(head []byte, whole bool, o Options) (sniffed, error) {
	s := sniffed{form: formLines, name: formNames[formLines]}
	body, _ := trimSpace(head)
	body = bytes.TrimPrefix(body, bom)
	if len(body) == 0 {
		if whole {
			s.form, s.name = formEmpty, formNames[formEmpty]
		}
		return s, nil
	}
	if bytes.IndexByte(body[:min(len(body), 4096)], 0) >= 0 {
		return s, &UnrecognisedError{Tried: tried, binary: true}
	}
	if framedHead(body) {
		s.form, s.name = formFramed, formNames[formFramed]
		return s, nil
	}
	err := s.lines(body, whole)
	if err == nil && s.form == formNone {
		if o.Dir == analyze.Unknown {
			return s, &UnrecognisedError{Tried: tried}
		}
		// A captured stream may begin with any amount of junk.
		s.form, s.name, s.weak = formLines, "captured stdio", true
	}
	if err != nil {
		return s, err
	}
	switch o.Perspective {
	case "client":
		s.out, s.both = analyze.ClientToServer, false
	case "server":
		s.out, s.both = analyze.ServerToClient, false
	}
	if o.Dir != analyze.Unknown {
		s.tee = true
	}
	return s, nil
}

// lines looks at the head line by line until one is known, and counts the
// others.
func (s *sniffed) lines(body []byte, whole bool) error {
	s.form = formNone
	first, junk, good := true, 0, 0
	var foreign error
	var by writer
	for rest := body; len(rest) > 0; {
		line := rest
		cut := true // the head may end in the line
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			line, rest, cut = rest[:n], rest[n+1:], false
		} else {
			rest = nil
		}
		line, _ = trimSpace(line)
		if len(line) == 0 {
			continue
		}
		if sdkLine.Match(line) {
			if s.form == formNone {
				s.form, s.name, s.rel = formSDK, formNames[formSDK], true
			}
			_, frame, _ := bytes.Cut(line, []byte(": "))
			by.see(frame, line[0] == 'w')
			good++
			first = false
			continue
		}
		if opensValue(line[0]) {
			obj := line
			if first {
				obj = body // may go over several lines
			}
			k, name, err := classify(obj, cut && !whole)
			if err != nil && foreign == nil {
				foreign = err
			}
			if err != nil && first {
				return err
			}
			if k != formNone && err == nil {
				good++
				if s.form == formNone {
					s.form, s.name = k, name
				}
				s.relative(line, &by)
				first = false
				continue
			}
		} else if headerLine.Match(line) && s.form == formNone {
			s.form, s.name = formFramed, formNames[formFramed]
			return nil
		}
		if line[0] != '{' && good == 0 && foreign == nil {
			foreign = foreignText(line)
		}
		if s.form == formNone || good < 3 {
			junk++
		}
		first = false
	}
	if s.form == formNone {
		return foreign
	}
	if s.rel {
		s.out, s.both = by.sends()
	}
	if junk > 0 && s.form == formLines && s.name == nameBare && !openBody(body) {
		s.weak = junk > good
		if oneWay(body) {
			s.tee, s.name = true, "captured stdio"
		}
	}
	return nil
}

// foreignText knows lines of logs that are not read.
func foreignText(line []byte) error {
	for _, t := range textForms {
		if t.line.Match(line) {
			return &UnsupportedError{Form: t.form, Advice: t.advice, MetadataOnly: t.metadata}
		}
	}
	return nil
}

// serverAsks are the requests that a server may send.
var serverAsks = map[string]bool{"sampling/createMessage": true, "elicitation/create": true, "roots/list": true, "ping": true}

// oneWay reports bare frames that are all a server's, answers among them: its
// output as tee captures it. There, junk is what the client saw; in a recording
// of both sides, it is a line that can't be read.
func oneWay(body []byte) bool {
	answers := false
	for line := range bytes.Lines(body) {
		line, _ = trimSpace(line)
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		id, method := false, ""
		for _, m := range topMembers(line) {
			switch m.key {
			case "id":
				id = true
			case "method":
				method = string(content(m.raw))
			case "result", "error":
				answers = true
			}
		}
		if id && method != "" && !serverAsks[method] || method == "notifications/initialized" {
			return false
		}
	}
	return answers
}

// openBody reports a body that begins with a value over several lines: its
// other lines are no junk.
func openBody(body []byte) bool {
	n := bytes.IndexByte(body, '\n')
	if n < 0 || !opensValue(body[0]) {
		return false
	}
	var l letter
	_, st := l.feed(body[:n])
	return st == stateMore
}

// relative notes a direction that depends on who wrote the log.
func (s *sniffed) relative(line []byte, by *writer) {
	ms := topMembers(line)
	for _, m := range ms {
		if m.key != "direction" && m.key != "dir" {
			continue
		}
		switch wayOf(content(m.raw)) {
		case wayOut:
			s.rel = true
			by.see(heldFrame(ms), true)
		case wayIn:
			s.rel = true
			by.see(heldFrame(ms), false)
		}
	}
}
