package allowlist

import (
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
	var f *flight
	if n := len(s.spare); n > 0 {
		f, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		f = new(flight)
	}
	s.begun++
	*f = flight{key: c.Key, tool: briefly(c.Tool), ref: c.Ref, order: s.begun}
	if s.opts.Timeout > 0 && !c.At.IsZero() {
		// By the session's time, so that deadlines stay in order.
		f.deadline = s.now.Add(s.opts.Timeout)
		f.timed = s.timed.PushBack(f)
	}
	s.calls[c.Key] = f
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
	return tool
}

// manySpare bounds the memory of ended calls that is kept for the next ones.
const manySpare = 16

// remove takes a call out of flight. It is valid until the next add.
func (s *Session) remove(f *flight) *flight {
	if f.timed != nil {
		s.timed.Remove(f.timed)
		f.timed = nil
	}
	delete(s.calls, f.key)
	if len(s.spare) < manySpare {
		s.spare = append(s.spare, f)
	}
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
