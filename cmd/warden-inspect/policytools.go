package main

import (
	"fmt"
	"strings"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/policy"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/offline"
)

// unlisted finds the tools that a policy names and no server of the recordings
// lists: a misspelt name constrains nothing, and nobody would notice. It holds
// names of the policy alone, whatever the lists hold.
type unlisted struct {
	policy   *policy.Policy
	seen     map[string]bool             // listed by some server
	next     map[*replay.Session]*string // cursor that goes on with the list being read
	complete bool                        // some list was seen whole
}

// newUnlisted returns what watches for a policy; nil without one.
func newUnlisted(p *policy.Policy) *unlisted {
	if p == nil || len(p.Tools()) == 0 {
		return nil
	}
	u := &unlisted{policy: p, seen: make(map[string]bool), next: make(map[*replay.Session]*string)}
	for _, name := range p.Tools() {
		u.seen[name] = false
	}
	return u
}

// observe looks at the answers to tools/list. A list counts as complete when
// all its pages were seen, one after the other and as the server sent them.
func (u *unlisted) observe(o *offline.Observation) {
	if o.Record == nil {
		delete(u.next, o.Session)
		return
	}
	l := o.Outcome.Listed
	if l == nil || l.Method != "tools/list" || l.Result == nil {
		return
	}
	tools := jsonrpc.Lookup(l.Result, "tools")
	jsonrpc.Elements(tools, func(entry []byte) bool {
		if name, ok := jsonrpc.LookupString(entry, "name"); ok {
			if _, named := u.seen[name]; named {
				u.seen[name] = true
			}
		}
		return true
	})
	want := u.next[o.Session]
	delete(u.next, o.Session)
	if o.Record.Flags&(formats.Elided|formats.Truncated|formats.Redacted) != 0 || len(tools) == 0 || tools[0] != '[' ||
		l.Cursor != "" && (want == nil || *want != l.Cursor) {
		return
	}
	if cursor, ok := jsonrpc.LookupString(l.Result, "nextCursor"); ok && cursor != "" {
		u.next[o.Session] = &cursor
		return
	}
	u.complete = true
}

// notice tells of the names that no list holds.
func (u *unlisted) notice(h report.Handler) error {
	if u == nil || !u.complete {
		return nil
	}
	var names []string
	for _, name := range u.policy.Tools() {
		if !u.seen[name] {
			names = append(names, secret.Scrub(name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	what := "a tool that no tools/list of the recordings has"
	if len(names) > 1 {
		what = "tools that no tools/list of the recordings has"
	}
	more := ""
	if n := len(names) - 10; n > 0 {
		names, more = names[:10], fmt.Sprintf(" and %d more", n)
	}
	return h.Problem(&report.Problem{Trace: u.policy.Name, Message: "names " + what + ": " + strings.Join(names, ", ") + more})
}
