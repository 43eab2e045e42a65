package report

import (
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// appendResult appends the SARIF result of a finding. Results are written by
// hand, in all other things the library does the writing: with it a result
// costs ten times as much, and on a large recording that was more than reading
// and judging it. Tests hold the two against each other.
//
// All text of a trace goes through package safe, since viewers show it raw.
func (s *sarifLog) appendResult(b []byte, f *analyze.Finding) []byte {
	v := s.lens.view(f)
	b = appendJSON(append(b, `{"ruleId":`...), f.Rule)
	if i, ok := s.index[f.Rule]; ok {
		b = num(b, "ruleIndex", int64(i))
	}
	b = str(b, "level", f.Level())
	b = appendJSON(append(b, `,"message":{"text":`...), resultText(v))
	b = append(b, `},"locations":[{"physicalLocation":{"artifactLocation":{"uri":`...)
	b = appendJSON(b, s.uri(f.Trace))
	line := max(f.Line, 1)
	b = strconv.AppendInt(append(b, `},"region":{"startLine":`...), line, 10)
	if f.Line >= 1 {
		if f.Column >= 1 {
			b = num(b, "startColumn", f.Column)
			if f.EndColumn > f.Column {
				b = num(b, "endColumn", f.EndColumn)
			}
		}
		if f.Offset >= 0 {
			b = num(b, "byteOffset", f.Offset)
		}
	}
	b = append(b, "}}"...)
	tool := safe.String(v.tool)
	if tool != "" {
		b = appendJSON(append(b, `,"logicalLocations":[{"name":`...), tool)
		b = str(b, "fullyQualifiedName", "tools/"+tool)
		b = append(b, `,"kind":"function"}]`...)
	}
	b = append(b, "}]"...)
	if f.Fingerprint != "" {
		b = appendJSON(append(b, `,"partialFingerprints":{"`+FingerprintKey+`":`...), f.Fingerprint)
		b = append(b, '}')
	}
	if f.Accepted() {
		b = append(b, `,"suppressions":[{"kind":"external","status":"accepted","justification":`...)
		b = append(appendJSON(b, justification(s.lens, f.Suppressed)), "}]"...)
	}
	if s.o.BaselineState != nil {
		if state := s.o.BaselineState(f); state != "" {
			b = str(b, "baselineState", state)
		}
	}
	b = appendJSON(append(b, `,"properties":{"severity":`...), f.Severity.String())
	b = str(b, "tier", f.Tier.String())
	b = str(b, "action", f.Action.String())
	b = str(b, "direction", f.Direction.String())
	id := v.id
	if id.kind != idNumber {
		id.text = safe.String(id.text)
	}
	b = appendID(append(b, `,"rpcId":`...), id)
	b = str(b, "tool", tool)
	b = num(b, "contentBlockIndex", int64(f.Block))
	b = str(b, "subRule", safe.String(f.SubRule))
	b = append(b, `,"matchedPhrases":[`...)
	for i, m := range f.Matched {
		if i == maxMatched {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, safe.String(s.lens.matched.Raw(m)))
	}
	b = append(b, ']')
	b = str(b, "session", safe.String(v.session))
	b = num(b, "frame", int64(f.Frame))
	b = str(b, "pointer", safe.String(v.pointer))
	return append(b, "}}"...)
}

// justification is why a baseline accepts a finding.
func justification(l *lens, s *analyze.Suppression) string {
	text := s.State
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	if s.Owner != "" {
		text += " (" + s.Owner + ")"
	}
	if s.Expires != "" {
		text += ", until " + s.Expires
	}
	return safe.String(l.message.Raw(text))
}

// resultText is the message of a result: what was found, and the evidence where
// that does not have it. GitHub shows nothing else of a result.
func resultText(v *view) string {
	text := safe.String(v.told())
	if text == "" {
		text = v.Rule
	}
	if e := safe.String(v.snippet); e != "" && !strings.Contains(text, e) {
		text += "\nEvidence: " + e
	}
	return text
}

// uri is traceURI, remembering the last: findings come a trace at a time.
func (s *sarifLog) uri(trace string) string {
	trace = s.lens.trace.Raw(trace)
	if s.uriOf != trace || s.lastURI == "" {
		s.uriOf, s.lastURI = trace, traceURI(trace, s.o.Root)
	}
	return s.lastURI
}
