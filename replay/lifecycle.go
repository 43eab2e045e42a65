package replay

import (
	"strconv"

	"github.com/warden-trace/warden/analyze"
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
	if m.out.Dir == analyze.ClientToServer && len(a.RPCID) > 0 {
		out = append(out, r.frame(a.RPCID))
	} else if k, ok := key(a.RPCID); ok && m.client.get(k) == nil && len(a.RPCID) > 0 {
		// The answer that could not be inspected has taken its id out of
		// flight; its caller still waits.
		out = append(out, r.frame(a.RPCID))
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
