package allowlist

import (
	"container/list"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// tick moves the session's time on; it never goes back, and a record without a
// time leaves it.
func (s *Session) tick(t time.Time) {
	if t.After(s.now) {
		s.now = t
	}
}

// add notes a call in flight.
func (s *Session) add(c Call) {
	f := &flight{key: c.Key, tool: briefly(c.Tool), ref: c.Ref}
	if s.opts.Timeout > 0 && !c.At.IsZero() {
		// By the session's time, so that deadlines stay in order.
		f.deadline = s.now.Add(s.opts.Timeout)
		f.timed = s.timed.PushBack(f)
	}
	s.calls[c.Key] = s.age.PushBack(f)
	// What the id was before counts only while an answer of that is due.
	if end := s.ended[c.Key]; end != nil && end.due == 0 {
		s.forget(c.Key)
	}
}

// briefly keeps an entry small, whatever a call names as its tool.
func briefly(tool string) string {
	const most = 256
	if len(tool) > most {
		tool = strings.ToValidUTF8(tool[:most], "") + "…"
	}
	return strings.Clone(tool)
}

// remove takes a call out of flight.
func (s *Session) remove(e *list.Element) *flight {
	f := s.age.Remove(e).(*flight)
	if f.timed != nil {
		s.timed.Remove(f.timed)
		f.timed = nil
	}
	delete(s.calls, f.key)
	return f
}

// end notes that a call ended and its answer is still due.
func (s *Session) end(f *flight, why string, cancel bool) *ending {
	end := s.ended[f.key]
	if end == nil {
		if len(s.ended) >= s.opts.room() {
			s.forget(s.endings.Front().Value.(jsonrpc.Key))
		}
		end = &ending{at: s.endings.PushBack(f.key)}
		s.ended[f.key] = end
	}
	end.tool, end.why, end.cancel = f.tool, why, cancel
	end.due++
	return end
}

func (s *Session) forget(key jsonrpc.Key) {
	s.endings.Remove(s.ended[key].at)
	delete(s.ended, key)
}
