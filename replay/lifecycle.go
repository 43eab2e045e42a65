package replay

import (
	"strconv"
)

// ServerGone answers the client's requests in flight because the server has
// left, in order of arrival, and takes them out of flight. reason is made of
// the driver's own words and numbers.
func (m *Machine) ServerGone(reason string) [][]byte {
	n := m.client.len()
	return m.answerAll(refusal{code: codeLifecycle, stage: "lifecycle",
		message: "warden: server exited before responding",
		reason:  reason + "; " + strconv.Itoa(n) + " in flight"})
}

// AbortAnswers answers the client's requests in flight because a strict
// session ends, the request in hand among them.
func (m *Machine) AbortAnswers(a *Abort) [][]byte {
	r := refusal{code: codeStrict, stage: "strict_abort", site: a.Site,
		message: "warden: an inspection could not complete; the session ends (--strict)"}
	var out [][]byte
	if id := a.RPCID; len(id) > 0 && !a.ofServer {
		// The request in hand was not registered, or the answer in hand has
		// taken its id out of flight: its caller still waits. An id that is in
		// flight is answered with the others, once.
		if k, ok := key(id); !ok || m.client.get(k) == nil {
			out = append(out, r.frame(id))
		}
	}
	return append(out, m.answerAll(r)...)
}

func (m *Machine) answerAll(r refusal) [][]byte {
	var ids [][]byte
	m.client.each(func(c *call) {
		if c.id != nil {
			ids = append(ids, c.id)
		}
	})
	for m.client.len() > 0 {
		m.client.remove(m.client.ring.next)
	}
	out := make([][]byte, 0, len(ids))
	for _, id := range ids {
		out = append(out, r.frame(id))
	}
	return out
}
