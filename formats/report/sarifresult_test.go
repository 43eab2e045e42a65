package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v2/sarif"
	"pgregory.net/rapid"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/formats/report/safe"
)

// slowResult makes the SARIF result of a finding with the library. It is what
// appendResult is held against.
func slowResult(s *sarifLog, f *analyze.Finding) *sarif.Result {
	v := s.lens.view(f)
	text := resultText(v)
	loc := &sarif.Location{PhysicalLocation: s.physical(f.Trace, f.Line, f.Offset, f.Column, f.EndColumn)}
	if v.tool != "" {
		name := safe.String(v.tool)
		loc.LogicalLocations = []*sarif.LogicalLocation{{
			Name: &name, FullyQualifiedName: ptr("tools/" + name), Kind: ptr("function"),
		}}
	}
	matched := make([]string, 0, min(len(f.Matched), maxMatched))
	for _, m := range f.Matched[:min(len(f.Matched), maxMatched)] {
		matched = append(matched, safe.String(s.lens.matched.Raw(m)))
	}
	r := &sarif.Result{
		RuleID:    &f.Rule,
		Level:     ptr(f.Level()),
		Message:   sarif.Message{Text: &text},
		Locations: []*sarif.Location{loc},
		PropertyBag: sarif.PropertyBag{Properties: sarif.Properties{
			"severity":          f.Severity.String(),
			"tier":              f.Tier.String(),
			"action":            f.Action.String(),
			"direction":         f.Direction.String(),
			"rpcId":             sarifID(v.id),
			"tool":              safe.String(v.tool),
			"contentBlockIndex": f.Block,
			"subRule":           safe.String(f.SubRule),
			"matchedPhrases":    matched,
			"session":           safe.String(v.session),
			"frame":             f.Frame,
			"pointer":           safe.String(v.pointer),
		}},
	}
	if i, ok := s.index[f.Rule]; ok {
		r.RuleIndex = &i
	}
	if f.Fingerprint != "" {
		r.PartialFingerprints = map[string]any{FingerprintKey: f.Fingerprint}
	}
	return r
}

// sarifID is an id as a property: a number as it was written, a string, nil.
func sarifID(id rpcID) any {
	switch id.kind {
	case idNumber:
		return json.RawMessage(id.text)
	case idString, idHuge:
		return safe.String(id.text)
	}
	return nil
}

// TestResultsEqualTheLibrary holds the results written by hand against those
// that the library marshals.
func TestResultsEqualTheLibrary(t *testing.T) {
	s := NewSARIF(&bytes.Buffer{}, SARIFOptions{Root: "/repo"}, testRun()).(*sarifLog)
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom(nasties[:len(nasties)-4]), rapid.Just(""))
	rapid.Check(t, func(t *rapid.T) {
		f := &analyze.Finding{
			Rule:      rapid.SampledFrom([]string{"WRD-RES-ANSI", "WRD-RES-URL", "POL-UNKNOWN"}).Draw(t, "rule"),
			SubRule:   text.Draw(t, "sub"),
			Tier:      analyze.Tier(rapid.IntRange(0, 2).Draw(t, "tier")),
			Severity:  analyze.Severity(rapid.IntRange(0, 3).Draw(t, "severity")),
			Action:    analyze.Action(rapid.IntRange(0, 3).Draw(t, "action")),
			Direction: analyze.Direction(rapid.IntRange(0, 2).Draw(t, "direction")),
			RPCID:     []byte(rapid.SampledFrom([]string{"", "1", "-1.5e3", `"a\u202e"`, "null", "{}", `"x`}).Draw(t, "id")),
			Tool:      text.Draw(t, "tool"), Message: text.Draw(t, "message"), Snippet: text.Draw(t, "snippet"),
			Pointer: text.Draw(t, "pointer"), Block: rapid.IntRange(-1, 3).Draw(t, "block"),
			Matched: rapid.SliceOfN(text, 0, 3).Draw(t, "matched"),
			Place: analyze.Place{
				Trace: rapid.OneOf(text, rapid.Just("/repo/a b.jsonl")).Draw(t, "trace"), Session: text.Draw(t, "session"),
				Line: rapid.Int64Range(0, 3).Draw(t, "line"), Offset: rapid.Int64Range(-1, 9).Draw(t, "offset"),
				Column: rapid.Int64Range(0, 2).Draw(t, "column"), EndColumn: rapid.Int64Range(0, 4).Draw(t, "end column"), Frame: rapid.IntRange(-1, 9).Draw(t, "frame"),
				Fingerprint: rapid.SampledFrom([]string{"", "00ff"}).Draw(t, "fingerprint"),
			},
		}
		slow, err := json.Marshal(slowResult(s, f))
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(slow, &want); err != nil {
			t.Fatal(err)
		}
		fast := s.appendResult(nil, f)
		if err := json.Unmarshal(fast, &got); err != nil {
			t.Fatalf("%s: %v", fast, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
