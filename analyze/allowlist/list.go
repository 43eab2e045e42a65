package allowlist

import (
	"crypto/sha256"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// maxNoted bounds the tools of a session that get a note.
const maxNoted = 4096

// List is a tools/list result (the raw value of `result`). Every tool in it
// that is not listed with ENFORCE, or that uses the reserved prefix, gets one
// note a session.
func (s *Session) List(result []byte) Decision {
	var d Decision
	for _, name := range listed(result) {
		why := ""
		switch {
		case strings.HasPrefix(name, reservedPrefix):
			why = "begins with the reserved prefix " + reservedPrefix
		case !s.policy.Allows(name):
			why = "is not in the allow-list with ENFORCE"
		default:
			continue
		}
		full := sha256.Sum256([]byte(name))
		sum := [16]byte(full[:16])
		if s.noted[sum] || len(s.noted) >= maxNoted {
			continue
		}
		s.noted[sum] = true
		d.Findings = append(d.Findings, analyze.Finding{
			Rule: RuleUnlistedTool, Tier: analyze.Note, Severity: analyze.Low,
			Direction: analyze.ServerToClient, Tool: name, Block: -1, Pointer: "/result/tools",
			Message: "the listed tool " + showName(name) + " " + why,
		})
	}
	return d
}

// listed are the names in a tools/list result, in order; of a repeated key
// every occurrence.
func listed(result []byte) []string {
	var out []string
	jsonrpc.Each(result, func(key string, tools []byte, _ int) bool {
		if strings.EqualFold(key, "tools") {
			jsonrpc.Elements(tools, func(e []byte) bool {
				out = append(out, namesOf(e)...)
				return true
			})
		}
		return true
	})
	return out
}

// namesOf are the names that a tool entry may be read to have.
func namesOf(entry []byte) []string {
	var out []string
	jsonrpc.Each(entry, func(key string, v []byte, _ int) bool {
		if strings.EqualFold(key, "name") && len(v) > 1 && v[0] == '"' {
			s, _ := jsonrpc.Unquote(nil, v[1:len(v)-1])
			out = append(out, string(s))
		}
		return true
	})
	return out
}

// FilterTools takes the tools that calls could not use out of a tools/list
// answer (the message's own bytes); all other bytes stay as they came. changed
// is false when there was nothing to take out. An entry without one clear name
// goes.
func (p *Policy) FilterTools(message []byte) (out []byte, changed bool) {
	type cutout struct{ from, to int }
	var cuts []cutout
	jsonrpc.Each(message, func(key string, result []byte, at int) bool {
		if !strings.EqualFold(key, "result") {
			return true
		}
		jsonrpc.Each(result, func(key string, tools []byte, off int) bool {
			if !strings.EqualFold(key, "tools") {
				return true
			}
			base := at + off
			kept := false
			last := -1 // end of the element before
			jsonrpc.Elements(tools, func(e []byte) bool {
				start := cap(tools) - cap(e) // e points into tools
				end := start + len(e)
				switch {
				case p.shows(e):
					// The comma before the first kept element goes with those
					// before it.
					if !kept && last >= 0 {
						cuts = append(cuts, cutout{base + last, base + start})
					}
					kept = true
				case last >= 0:
					cuts = append(cuts, cutout{base + last, base + end}) // with the comma before it
				default:
					cuts = append(cuts, cutout{base + start, base + end})
				}
				last = end
				return true
			})
			return true
		})
		return true
	})
	if len(cuts) == 0 {
		return message, false
	}
	from := 0
	for _, c := range cuts {
		out = append(out, message[from:c.from]...)
		from = c.to
	}
	return append(out, message[from:]...), true
}

// shows says whether a list may show an entry.
func (p *Policy) shows(entry []byte) bool {
	names := namesOf(entry)
	for _, n := range names {
		if !p.Allows(n) || strings.HasPrefix(n, reservedPrefix) {
			return false
		}
	}
	return len(names) > 0
}
