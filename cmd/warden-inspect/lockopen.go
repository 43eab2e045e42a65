package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/offline"
)

// openSurface reads one recording and gathers the surface that it shows: the
// last complete lists, over all its sessions. It is a variable so that tests
// need no file.
var openSurface = func(w *program.World, trace string) (*lock.Surface, error) {
	read := program.ReadFlags{MaxFrameBytes: formats.DefaultMaxFrame, MaxInflight: 1024, ZstdWindowLog: 27, MaxDocument: 256 << 20}
	cfg, _, err := program.Configure(w, &program.RuleFlags{}, &program.PostureFlags{}, &read)
	if err != nil {
		return nil, err
	}
	ro, err := read.Options(w)
	if err != nil {
		return nil, err
	}
	var c lock.SurfaceCollector
	asked := map[string]string{}
	h := &surfaceProblems{}
	sum, err := offline.Run(formats.Inputs([]string{trace}, w.Stdin, formats.InputOptions{Options: ro}), offline.Options{
		Config: cfg, Formats: ro, Jobs: program.Workers(0), Handler: h, Interrupt: w.Interrupt,
		Meta:    func(_ string, raw []byte) { c.Server = launchOf(raw, c.Server) },
		Observe: func(o *offline.Observation) { collect(&c, asked, o) },
	})
	switch {
	case err != nil:
		return nil, err
	case sum.Interrupted:
		return nil, program.Interrupted("nothing was written")
	case h.err != nil:
		// A surface read from half a recording could be half a surface.
		return nil, h.err
	case sum.Traces > 1:
		return nil, program.Fail("name one recording", "%s: %d recordings; a lock is made from one", trace, sum.Traces)
	}
	s, err := c.Surface()
	switch {
	case errors.Is(err, lock.ErrAmbiguous), errors.Is(err, lock.ErrUnrecorded), errors.Is(err, lock.ErrUnread):
		return nil, program.Fail("such a surface can be neither pinned nor compared; record it again", "%s: %w", trace, err)
	}
	return s, err
}

// collect feeds the collector with what one frame shows.
// asked holds the methods of the latest list requests, for answers that are not
// read.
func collect(c *lock.SurfaceCollector, asked map[string]string, o *offline.Observation) {
	if o.Record == nil || o.Outcome == nil {
		return
	}
	if o.Event != nil && o.Event.Frame != nil {
		for i := range o.Event.Frame.Parts() {
			m := &o.Event.Frame.Parts()[i].Msg
			if m.Has&jsonrpc.HasMethod == 0 || m.Has&jsonrpc.HasID == 0 {
				continue
			}
			switch method := string(m.Method); method {
			case "tools/list", "resources/list", "prompts/list":
				if len(asked) >= maxAsked {
					clear(asked)
				}
				asked[askedKey(o, m.ID)] = method
			default:
				if o.Outcome.Dir == analyze.ClientToServer {
					delete(asked, askedKey(o, m.ID)) // the id means something else now
				}
			}
		}
	}
	if c.Server == nil && o.Record.HTTP != nil {
		c.Server = endpointOf(o.Record.HTTP)
	}
	lacks := o.Record.Flags&(formats.Elided|formats.Truncated|formats.Redacted) != 0
	switch l := o.Outcome.Listed; {
	case l == nil && o.Record.Skim != nil:
		if s := o.Record.Skim; s.Has&jsonrpc.HasResult != 0 {
			c.Refuse(asked[askedKey(o, s.ID)], lock.ErrUnread)
		}
	case l == nil:
		if lacks && bytes.Contains(o.Record.Frame, []byte(`"tools"`)) && o.Record.Dir != analyze.ClientToServer {
			c.Refuse("tools/list", lock.ErrUnrecorded) // perhaps a list, and nobody can say
		}
	case lacks:
		c.Refuse(l.Method, lock.ErrUnrecorded)
	case l.Result != nil && twofold(o, l.Result):
		c.Refuse(l.Method, lock.ErrAmbiguous)
	default:
		c.Feed(l.Method, l.Cursor, l.Result)
	}
	if o.Outcome.Method == "initialize" && o.Event != nil && o.Event.Frame != nil {
		for i := range o.Event.Frame.Parts() {
			if m := &o.Event.Frame.Parts()[i].Msg; m.IsResponse() {
				c.Feed("initialize", "", m.Result)
			}
		}
	}
	if p := o.Session.Machine.Protocol(); p != "" {
		c.Protocol(p)
	}
}

// maxAsked bounds the requests that are remembered.
const maxAsked = 10_000

func askedKey(o *offline.Observation, id []byte) string {
	key, _ := jsonrpc.IDKey(id)
	return string(o.Record.Session) + "\x00" + string(key)
}

// twofold says that the message which holds a result can be read in another way:
// with another result, or as the answer to something else.
func twofold(o *offline.Observation, result []byte) bool {
	if o.Event == nil || o.Event.Frame == nil {
		return false
	}
	for i := range o.Event.Frame.Parts() {
		m := &o.Event.Frame.Parts()[i].Msg
		if len(m.Result) == 0 || &m.Result[0] != &result[0] {
			continue
		}
		seen := map[string]int{}
		jsonrpc.Each(m.Raw, func(key string, _ []byte, _ int) bool {
			for _, k := range []string{"id", "result", "error", "method"} {
				if strings.EqualFold(k, key) {
					if seen[k]++; k != key {
						seen[k]++
					}
				}
			}
			return true
		})
		return seen["id"] > 1 || seen["result"] > 1 || seen["error"] > 0 || seen["method"] > 0
	}
	return false
}

// endpointOf is the server's URL as an HTTP exchange was sent to it, without
// user information, query and fragment: they belong to a session.
func endpointOf(http []byte) *lock.Launch {
	var m struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(http, &m) != nil {
		return nil
	}
	u, err := url.Parse(m.URL)
	if err != nil || u.Host == "" {
		return nil
	}
	return &lock.Launch{URL: (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()}
}

// launchOf reads the launch command or URL from what a recording says of
// itself; old where it says neither.
func launchOf(raw []byte, old *lock.Launch) *lock.Launch {
	var m struct {
		Command json.RawMessage `json:"command"`
		Args    []string        `json:"args"`
		URL     string          `json:"url"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return old
	}
	var list []string
	var one string
	switch {
	case json.Unmarshal(m.Command, &list) == nil && len(list) > 0:
		return &lock.Launch{Command: list[0], Args: append(list[1:len(list):len(list)], m.Args...)}
	case json.Unmarshal(m.Command, &one) == nil && one != "":
		return &lock.Launch{Command: one, Args: m.Args}
	case m.URL != "":
		return &lock.Launch{URL: m.URL}
	}
	return old
}

// surfaceProblems is a report that keeps the first fatal problem.
type surfaceProblems struct{ err error }

func (h *surfaceProblems) Problem(p *report.Problem) error {
	if p.Fatal && h.err == nil {
		h.err = program.Fail("a lock needs a recording that can be read whole", "%s", secret.Scrub(p.String()))
	}
	return nil
}

func (*surfaceProblems) Finding(*analyze.Finding) error { return nil }
func (*surfaceProblems) Trace(*report.Trace) error      { return nil }
func (*surfaceProblems) Close(*report.Summary) error    { return nil }
func (*surfaceProblems) Abort()                         {}
