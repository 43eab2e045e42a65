package tui

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/tui/paint"
)

// machineLine is the machine's state in one row.
func (a *App) machineLine(w int) *paint.Row {
	row := a.p.Row(w).Put(paint.Dim, " machine ")
	if a.step == nil || a.step.After.Frames == 0 {
		return row
	}
	s := &a.step.After
	verdict, role := decision2(a.step.Outcome.Verdict, a.step.Findings)
	row.Put(role, verdict)
	state := "not enforcing yet"
	if s.Enforcing {
		state = "enforcing"
	}
	row.Put(paint.Dim, " · "+state)
	if s.Gate != "off" {
		row.Put(paint.Dim, " · gate "+s.Gate)
	}
	row.Put(paint.Dim, fmt.Sprintf(" · in flight %d", len(s.Client)))
	for i, f := range s.Client {
		if i == 4 {
			row.Put(paint.Dim, fmt.Sprintf(" +%d", len(s.Client)-i))
			break
		}
		row.Put(paint.Text, " "+a.rpcID(f.ID)+" ").Put(paint.Dim, a.mask.Scrub(name(f.Method, f.Tool)))
	}
	if n := len(s.ServerOwn); n > 0 {
		row.Put(paint.Dim, fmt.Sprintf(" · from the server %d", n))
	}
	if n := len(s.Tasks); n > 0 {
		row.Put(paint.Dim, fmt.Sprintf(" · tasks %d", n))
	}
	return row
}

// rpcID is a request's id as it may be shown: JSON, which may escape a secret.
func (a *App) rpcID(id []byte) string {
	if bytes.IndexByte(id, '\\') < 0 {
		return a.mask.Scrub(string(id))
	}
	return string(a.mask.JSON(nil, id))
}

func name(method, tool string) string {
	if tool != "" {
		return tool
	}
	return method
}

// decision2 is what became of a frame in a word.
func decision2(v replay.Verdict, fs []stepFinding) (string, paint.Role) {
	switch v {
	case replay.Drop:
		return "dropped", paint.Block
	case replay.Replace:
		for i := range fs {
			if fs[i].Action == analyze.Blocked {
				return "replaced by an error", paint.Block
			}
		}
		return "edited", paint.Block
	}
	for i := range fs {
		switch fs[i].Action {
		case analyze.Shadowed:
			return "passed by posture", paint.Monitor
		case analyze.Blocked:
			return "refused", paint.Block
		}
	}
	return "forwarded", paint.Good
}

// machineRows are the view of the machine: before the frame, the decision, and
// after it.
func (a *App) machineRows(w int) {
	s := a.step
	if s.After.Frames == 0 {
		a.addText(paint.Dim, "a line that can't be read: no machine has seen it", w)
		return
	}
	verdict, role := decision2(s.Outcome.Verdict, s.Findings)
	a.addText(role, fmt.Sprintf("this frame is %s", verdict), w)
	var said []string
	if s.Outcome.Inspected {
		said = append(said, "a rule family looked at it")
	}
	if s.Outcome.Calls > 0 {
		said = append(said, fmt.Sprintf("it begins %d tool call(s)", s.Outcome.Calls))
	}
	if len(s.Outcome.Replies) > 0 {
		said = append(said, fmt.Sprintf("%d error(s) go back to the sender", len(s.Outcome.Replies)))
	}
	if len(said) > 0 {
		a.addText(paint.Dim, strings.Join(said, " · "), w)
	}
	before, after := a.stateLines(&s.Before), a.stateLines(&s.After)
	old := map[string]bool{}
	for _, l := range before {
		old[l] = true
	}
	fresh := map[string]bool{}
	for _, l := range after {
		fresh[l] = true
	}
	a.addText(paint.Accent, "state of the session, before (-) and after (+) this frame", w)
	for _, l := range before {
		if !fresh[l] {
			a.addText(paint.Removed, "- "+l, w)
		}
	}
	for _, l := range after {
		if old[l] {
			a.addText(paint.Text, "  "+l, w)
		} else {
			a.addText(paint.Added, "+ "+l, w)
		}
	}
}

func (a *App) stateLines(s *replay.State) []string {
	scrub := a.mask.Scrub
	yes := map[bool]string{true: "yes", false: "no"}
	out := []string{
		"frames judged: " + count(int(s.Frames)),
		"handshake seen: " + yes[s.Handshaken] + ", enforcement begun: " + yes[s.Enforcing] + ", drift gate: " + s.Gate,
	}
	if s.Protocol != "" || s.Server != "" {
		out = append(out, "protocol "+a.mask.Text(s.Protocol)+", server "+a.mask.Text(s.Server))
	}
	out = append(out, fmt.Sprintf("client's requests in flight: %d", len(s.Client)))
	out = append(out, a.flights(s.Client)...)
	if len(s.ServerOwn) > 0 {
		out = append(out, fmt.Sprintf("server's requests in flight: %d", len(s.ServerOwn)))
		out = append(out, a.flights(s.ServerOwn)...)
	}
	for _, t := range s.Tasks {
		out = append(out, "task "+scrub(t.ID)+" of "+scrub(t.Tool))
	}
	if s.Retries > 0 {
		out = append(out, fmt.Sprintf("results that wait for a retry: %d", s.Retries))
	}
	return out
}

func (a *App) flights(fs []replay.Flight) []string {
	scrub := a.mask.Scrub
	var out []string
	for i, f := range fs {
		if i == 200 {
			return append(out, fmt.Sprintf("  … %d more", len(fs)-i))
		}
		at := ""
		if f.TS != 0 {
			at = " since " + time.Unix(0, f.TS).UTC().Format("15:04:05.000")
		}
		out = append(out, fmt.Sprintf("  %s %s %s, frame %d of the session%s", a.rpcID(f.ID), scrub(f.Method), scrub(f.Tool), f.Place.Frame, at))
	}
	return out
}
