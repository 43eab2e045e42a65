package diff

import (
	"encoding/json"
	"io"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/formats/report/safe"
)

// jsonFinding is a finding with the names that the JSONL report of a scan has.
type jsonFinding struct {
	RuleID      string          `json:"rule_id"`
	SubRule     string          `json:"sub_rule"`
	Severity    string          `json:"severity"`
	Level       string          `json:"level"`
	Tier        string          `json:"tier"`
	Action      string          `json:"action"`
	Direction   string          `json:"direction"`
	RPCID       json.RawMessage `json:"rpc_id"`
	Tool        string          `json:"tool"`
	BlockIndex  int             `json:"block_index"`
	Message     string          `json:"message"`
	Snippet     string          `json:"snippet"`
	Matched     []string        `json:"matched_phrases"`
	Trace       string          `json:"trace"`
	Session     string          `json:"session"`
	Frame       int             `json:"frame"`
	Line        int64           `json:"line"`
	Offset      int64           `json:"offset"`
	TS          string          `json:"ts,omitempty"`
	Pointer     string          `json:"pointer"`
	Spans       []analyze.Span  `json:"spans"`
	Fingerprint string          `json:"fingerprint,omitempty"`
}

func jsonOf(f *analyze.Finding) *jsonFinding {
	if f == nil {
		return nil
	}
	name := func(s string) string { return (&safe.Namer{Scrub: secret.Scrub, Max: 512}).Raw(s) }
	text := func(s string) string { return (&safe.Namer{Scrub: secret.Scrub, Max: 4096}).Raw(s) }
	out := &jsonFinding{RuleID: f.Rule, SubRule: f.SubRule, Severity: f.Severity.String(), Level: f.Level(), Tier: f.Tier.String(),
		Action: f.Action.String(), Direction: f.Direction.String(), RPCID: json.RawMessage("null"), Tool: name(f.Tool), BlockIndex: f.Block,
		Message: text(f.Message), Snippet: text(f.Snippet), Matched: []string{}, Trace: f.Trace, Session: name(f.Session),
		Frame: f.Frame, Line: f.Line, Offset: f.Offset, Pointer: text(f.Pointer), Spans: f.Spans, Fingerprint: f.Fingerprint}
	for _, m := range f.Matched[:min(len(f.Matched), 1000)] {
		out.Matched = append(out.Matched, name(m))
	}
	if len(out.Spans) > 1000 {
		out.Spans = out.Spans[:1000]
	}
	if len(f.RPCID) <= 512 {
		var id any
		if json.Unmarshal(f.RPCID, &id) == nil {
			if s, ok := id.(string); ok {
				out.RPCID, _ = json.Marshal(name(s))
			} else {
				out.RPCID = f.RPCID
			}
		}
	}
	if !f.TS.IsZero() {
		out.TS = f.TS.UTC().Format(time.RFC3339Nano)
	}
	return out
}

func encode(w io.Writer, v any) error {
	return report.WriteJSONLine(w, v)
}

// WriteJSON writes a change as a line of JSONL.
func (c *Change) WriteJSON(w io.Writer) error {
	cause := []string{}
	for _, e := range c.Cause {
		cause = append(cause, e.String())
	}
	return encode(w, struct {
		Kind   string       `json:"kind"`
		Change Sign         `json:"change"`
		Fields []string     `json:"fields,omitempty"`
		Cause  []string     `json:"cause"`
		Base   *jsonFinding `json:"base"`
		Head   *jsonFinding `json:"head"`
	}{"finding-change", c.Sign, c.Fields, cause, jsonOf(c.Base), jsonOf(c.Head)})
}

// WriteJSON writes the summary as the last line of JSONL.
func (s *Summary) WriteJSON(w io.Writer, n Names, exit int) error {
	type side struct {
		Name     string `json:"name"`
		Ruleset  string `json:"ruleset"`
		Findings int64  `json:"findings"`
	}
	type rule struct {
		Rule    string `json:"rule_id"`
		SubRule string `json:"sub_rule,omitempty"`
		Base    int64  `json:"base"`
		Head    int64  `json:"head"`
		Added   int64  `json:"added"`
		Removed int64  `json:"removed"`
		Changed int64  `json:"changed"`
	}
	rules := []rule{}
	for _, r := range s.Rules {
		rules = append(rules, rule{r.Rule, r.SubRule, r.Base, r.Head, r.Added, r.Removed, r.Changed})
	}
	edits := s.Edits
	if edits == nil {
		edits = []*Edit{}
	}
	return encode(w, struct {
		Kind        string  `json:"kind"`
		Base        side    `json:"base"`
		Head        side    `json:"head"`
		Added       int64   `json:"added"`
		Removed     int64   `json:"removed"`
		Changed     int64   `json:"changed"`
		Rules       []rule  `json:"rules"`
		Edits       []*Edit `json:"edits"`
		Traces      int64   `json:"traces"`
		Sessions    int64   `json:"sessions"`
		Frames      int64   `json:"frames"`
		ParseErrors int64   `json:"parse_errors"`
		Interrupted bool    `json:"interrupted"`
		ExitCode    int     `json:"exit_code"`
	}{"diff-summary", side{n.Base, s.Base.Hash, s.Base.Findings}, side{n.Head, s.Head.Hash, s.Head.Findings}, s.Added, s.Removed, s.Changed,
		rules, edits, s.Traces, s.Sessions, s.Frames, s.ParseErrors, s.Interrupted, exit})
}
