package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"strconv"

	"github.com/warden-trace/warden/analyze"
)

// Bounds of the HTML report; what is beyond them is counted.
const (
	htmlFindings  = 10000     // in the table
	htmlBuckets   = 500       // of a timeline
	htmlSessions  = 1000      // listed, those with findings first
	htmlTimelines = 200       // sessions and traces with a timeline
	htmlTools     = 2000      // told apart
	htmlText      = 48 << 20  // bytes of frames shown, before compression
	htmlRead      = 512 << 20 // bytes of frames read for that
	htmlBlock     = 256 << 10 // bytes of frames compressed together
	htmlAround    = 2         // frames shown before and after one with findings
)

//go:embed html/report.css
var htmlStyle string

//go:embed html/report.js
var htmlScript string

// NewHTML returns the handler for the one-page report: a single file that makes
// no request, runs no script but its own (a content-security policy names the
// script and the style by their hashes), and in which trace text is data in JSON
// blocks that becomes text nodes, never markup.
//
// Findings and frames are written as they come; only sums stay in memory.
func NewHTML(w io.Writer, run *Run) FrameSink {
	return &page{out: newOut(w), run: run, lens: newLens(run), render: newRenderer(w, run),
		traceIndex: map[string]int{}, tools: map[string]*toolSum{}, running: map[int]*htmlSession{}}
}

type page struct {
	out
	run   *Run
	lens  *lens
	begun bool

	shown, total, accepted int64 // findings
	inBlock                bool  // a block of findings is open
	traces                 []string
	traceIndex             map[string]int
	tools                  map[string]*toolSum
	problems               []htmlProblem
	moreProblems           int64
	rest                   restSum

	// of the trace in hand
	trace   string
	open    bool
	running map[int]*htmlSession
	last    *htmlSession
	held    int // bytes of frames held because a finding may follow
	loose   []*htmlSession
	whole   *htmlSession

	sessions   []*htmlSession // that have ended
	nextID     int
	allTraces  []htmlTrace
	moreTraces int64

	nextFrame int
	render    *renderer
}

// restSum counts what has no row of its own.
type restSum struct{ tools, sessions int64 }

type toolSum struct {
	name                        string
	calls, block, monitor, note int64
}

type htmlProblem struct {
	trace, message string
	line           int64
	fatal          bool
}

type htmlTrace struct {
	index                                 int
	format, fidelity                      string
	frames, inspected, bytes, parseErrors int64
	damaged                               bool
	counts                                Counts
	sessions                              int64
}

// begin writes the head of the page.
func (p *page) begin() {
	if p.begun {
		return
	}
	p.begun = true
	b := p.buf
	b = append(b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"...)
	b = append(b, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '`...)
	b = append(b, hashOf(htmlScript)...)
	b = append(b, `'; style-src '`...)
	b = append(b, hashOf(htmlStyle)...)
	b = append(b, `'; base-uri 'none'; form-action 'none'">`+"\n"...)
	b = append(b, `<meta name="viewport" content="width=device-width, initial-scale=1">`+"\n"...)
	b = append(b, `<meta name="referrer" content="no-referrer">`+"\n"...)
	b = append(b, "<meta name=\"color-scheme\" content=\"light dark\">\n<title>warden report</title>\n<style>"...)
	b = append(b, htmlStyle...)
	p.buf = append(b, "</style>\n</head>\n<body>\n"...)
}

// hand gives what is in the buffer to the renderer, who writes the page until its
// end.
func (p *page) hand() {
	p.closeFindings()
	if len(p.buf) > 0 {
		p.render.send(renderJob{page: p.buf})
		p.buf = make([]byte, 0, flushAt+flushAt/4)
	}
}

// step hands the buffer on when it is full enough, and says what went wrong.
func (p *page) step() error {
	if len(p.buf) >= flushAt {
		p.hand()
	}
	return p.failed()
}

func (p *page) failed() error {
	if p.err == nil {
		p.err = p.render.err()
	}
	return p.err
}

func hashOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}

// traceOf is the trace's number in the table of names.
func (p *page) traceOf(name string) int {
	name = p.lens.trace.Name(name)
	i, ok := p.traceIndex[name]
	if !ok {
		i = len(p.traces)
		p.traces = append(p.traces, name)
		p.traceIndex[name] = i
	}
	return i
}

// Finding implements Handler.
func (p *page) Finding(f *analyze.Finding) error {
	p.begin()
	v := p.lens.view(f)
	p.total++
	tool := p.tool(v.tool)
	if tool != nil && !f.Accepted() {
		switch f.Tier {
		case analyze.Block:
			tool.block++
		case analyze.Monitor:
			tool.monitor++
		default:
			tool.note++
		}
	}
	if f.Accepted() {
		p.accepted++
	}
	if p.shown >= htmlFindings {
		return p.err
	}
	p.shown++
	b := p.buf
	if !p.inBlock {
		b = append(b, `<script type="application/json" class="w-findings">[`...)
		p.inBlock = true
	} else {
		b = append(b, ',', '\n')
	}
	session, frame := -1, -1
	if p.last != nil && f.Session == p.last.name {
		session, frame = p.last.id, p.last.stored
	}
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(session), 10)
	for _, n := range [...]int64{int64(p.traceOf(f.Trace)), int64(frame), int64(f.Tier), int64(f.Severity), int64(f.Action),
		int64(f.Direction), int64(f.Block), int64(f.Frame), f.Line} {
		b = strconv.AppendInt(append(b, ','), n, 10)
	}
	b = append(b, ',')
	if f.TS.IsZero() {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, f.TS.UnixMicro(), 10)
	}
	for _, s := range [...]string{f.Rule, f.SubRule, v.id.shown(), v.tool, v.method, v.message, v.snippet, v.pointer, f.Fingerprint, v.session} {
		b = htmlString(append(b, ','), s)
	}
	b = append(b, ',')
	b = strconv.AppendBool(b, f.IsError)
	b = append(b, ',')
	if s := f.Suppressed; s != nil {
		b = htmlString(b, s.State)
		b = htmlString(append(b, ','), s.Reason)
	} else {
		b = append(b, `"",""`...)
	}
	p.buf = append(b, ']')
	return p.step()
}

func (p *page) tool(name string) *toolSum {
	if name == "" {
		return nil
	}
	t := p.tools[name]
	if t == nil {
		if len(p.tools) >= htmlTools {
			p.rest.tools++
			return nil
		}
		t = &toolSum{name: name}
		p.tools[name] = t
	}
	return t
}

func (p *page) Problem(pr *Problem) error {
	p.begin()
	if len(p.problems) >= 200 {
		p.moreProblems++
		return p.err
	}
	p.problems = append(p.problems, htmlProblem{trace: p.lens.trace.Name(pr.Trace), line: pr.Line, fatal: pr.Fatal, message: p.lens.message.Name(pr.Message)})
	return p.err
}

// closeFindings ends an open block of findings.
func (p *page) closeFindings() {
	if p.inBlock {
		p.buf = append(p.buf, "]</script>\n"...)
		p.inBlock = false
	}
}

// Abort implements Handler.
func (p *page) Abort() {
	p.render.stop()
	p.abort()
}
