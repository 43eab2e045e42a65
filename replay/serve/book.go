// Package serve answers a real client from a recorded session: the server half
// of the recording, matched to what the client really asks (replay.md, "More
// drivers").
package serve

import (
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/replay/script"
)

// exchange is one recorded request of the client, or a notification of it, and
// what the server said about it.
type exchange struct {
	ask       *script.Line
	before    []*script.Line // server messages that stand between request and answer
	answer    *script.Line   // nil: none was recorded
	after     []*script.Line // server messages before the client's next one
	cancelled bool           // the client gave it up
	used      bool
}

// book is the recorded exchanges, by what is asked.
type book struct {
	first  []*script.Line         // server messages before the client's first
	byKey  map[string][]*exchange // method and parameters
	byKind map[string][]*exchange // method and target, in order
	known  map[string]bool        // methods that were ever asked
}

// newBook sorts a session into exchanges. A server message belongs to the
// request whose progress it tells; else to the latest request that was still
// open; else to the client's latest message.
func newBook(s *script.Session) *book {
	b := &book{byKey: map[string][]*exchange{}, byKind: map[string][]*exchange{}, known: map[string]bool{}}
	open := map[jsonrpc.Key]*exchange{}
	tokens := map[jsonrpc.Key]*exchange{}
	var inFlight []*exchange
	var latest *exchange
	for i := range s.Lines {
		l := &s.Lines[i]
		if l.Dir == analyze.ClientToServer {
			if l.Method == "" {
				continue // an answer: the live client gives its own
			}
			e := &exchange{ask: l}
			latest = e
			if k, ok := jsonrpc.IDKey(l.ID); ok && l.ID != nil {
				open[k] = e
				inFlight = append(inFlight, e)
				b.known[l.Method] = true
				if t, ok := jsonrpc.IDKey(script.Member(l.Params, "_meta", "progressToken")); ok {
					tokens[t] = e
				}
			} else if k, ok := jsonrpc.IDKey(script.Member(l.Params, "requestId")); ok && l.Method == "notifications/cancelled" && open[k] != nil {
				open[k].cancelled = true
			}
			b.byKey[l.Key()] = append(b.byKey[l.Key()], e)
			b.byKind[kind(l)] = append(b.byKind[kind(l)], e)
			continue
		}
		if l.IsAnswer() {
			k, _ := jsonrpc.IDKey(l.ID)
			if e := open[k]; e != nil {
				e.answer = l
				delete(open, k)
				inFlight = without(inFlight, e)
			}
			continue
		}
		if l.Method == "" {
			continue
		}
		var owner *exchange
		if l.Method == "notifications/progress" {
			if t, ok := jsonrpc.IDKey(script.Member(l.Params, "progressToken")); ok {
				owner = tokens[t]
			}
		}
		if owner == nil && len(inFlight) > 0 {
			owner = inFlight[len(inFlight)-1]
		}
		switch {
		case owner != nil && owner.answer == nil:
			owner.before = append(owner.before, l)
		case owner != nil:
			owner.after = append(owner.after, l)
		case latest != nil:
			latest.after = append(latest.after, l)
		default:
			b.first = append(b.first, l)
		}
	}
	return b
}

func without(list []*exchange, e *exchange) []*exchange {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == e {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// kind is what requests share that may stand for each other in order: the
// method, and what it is about.
func kind(l *script.Line) string { return l.Method + "\x00" + l.Target }

// find returns the exchange that answers a message: one of the same method and
// parameters that was not used yet; else, where asking changes nothing, the
// last such one again; else the next of the same method and target in order.
// exact is false in that last case.
func (b *book) find(l *script.Line) (e *exchange, exact bool) {
	same := b.byKey[l.Key()]
	if e := unused(same); e != nil {
		return e, true
	}
	if n := len(same); n > 0 && repeatable(l.Method) {
		return same[n-1], true
	}
	return unused(b.byKind[kind(l)]), false
}

func unused(list []*exchange) *exchange {
	for _, e := range list {
		if !e.used {
			return e
		}
	}
	return nil
}

// repeatable reports a request that may be asked any number of times.
func repeatable(method string) bool {
	switch method {
	case "ping", "initialize", "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list",
		"resources/read", "prompts/get", "completion/complete":
		return true
	}
	return strings.HasPrefix(method, "notifications/")
}
