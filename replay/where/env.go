package where

import (
	"strconv"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Env is what an expression sees: a frame, and one finding on it or none. The
// driver fills it; a field that the recording lacks is empty, 0 or false.
type Env struct {
	// of the frame
	Trace     string    `expr:"trace"`
	Session   string    `expr:"session"`
	Frame     int       `expr:"frame"`
	Line      int       `expr:"line"`
	Offset    int       `expr:"offset"`
	TS        time.Time `expr:"ts"`
	Direction string    `expr:"direction"`
	Type      string    `expr:"type"`
	Method    string    `expr:"method"`
	Tool      string    `expr:"tool"`
	ID        any       `expr:"id"`
	Size      int       `expr:"size"`
	Error     bool      `expr:"error"`
	Verdict   string    `expr:"verdict"`
	Findings  int       `expr:"findings"`
	Rules     []string  `expr:"rules"`
	Raw       string    `expr:"raw"`
	Truncated bool      `expr:"truncated"`
	Elided    bool      `expr:"elided"`
	Redacted  bool      `expr:"redacted"`
	Synthetic bool      `expr:"synthetic"`
	Server    string    `expr:"server"`
	Protocol  string    `expr:"protocol"`

	// of the finding
	Rule        string   `expr:"rule"`
	SubRule     string   `expr:"sub_rule"`
	Tier        string   `expr:"tier"`
	Severity    string   `expr:"severity"`
	Action      string   `expr:"action"`
	Block       int      `expr:"block"`
	Pointer     string   `expr:"pointer"`
	Message     string   `expr:"message"`
	Snippet     string   `expr:"snippet"`
	Matched     []string `expr:"matched"`
	Fingerprint string   `expr:"fingerprint"`
	Accepted    bool     `expr:"accepted"`

	// ranks of the ordered words, for < and >; -1 without a finding
	TierRank     int `expr:"__tier"`
	SeverityRank int `expr:"__severity"`
}

// Field describes a field of an expression.
type Field struct {
	Name, Type, Help string
	Alias            string   // its name in the JSON of reports, where that is another
	Of               string   // "frame", "finding" or "both"
	Values           []string // all that it can be, where that is a short list
	Ordered          bool     // Values stand in order, for < and >
}

// Fields are all fields, in the order of the help.
var Fields = []Field{
	{Name: "trace", Type: "text", Of: "both", Help: "the file, as reports show it"},
	{Name: "session", Type: "text", Of: "both", Help: "the session's name, empty for the only one of a file"},
	{Name: "frame", Type: "number", Of: "both", Help: "number of the frame within its session, from 0"},
	{Name: "line", Type: "number", Of: "both", Help: "line of the file, from 1"},
	{Name: "offset", Type: "number", Of: "both", Help: "byte of the uncompressed file, from 0"},
	{Name: "ts", Type: "time", Of: "both", Help: `when, to be compared with "2026-08-01" or "2026-08-01T10:00:00Z" (UTC)`},
	{Name: "direction", Type: "text", Of: "both", Values: []string{"c2s", "s2c", ""}, Help: "which way the frame travels"},
	{Name: "type", Type: "text", Of: "both", Values: []string{"request", "notification", "response", "batch", "over-cap", "text", "binary", "http", "junk"}, Help: "what the frame is"},
	{Name: "method", Type: "text", Of: "both", Help: "of a request, or of the request that is answered"},
	{Name: "tool", Type: "text", Of: "both", Help: "tool of the call that the frame belongs to"},
	{Name: "id", Alias: "rpc_id", Type: "any", Of: "both", Help: `the JSON-RPC id: 7, "7" or nil`},
	{Name: "size", Type: "number", Of: "both", Help: "bytes of the frame"},
	{Name: "error", Alias: "is_error", Type: "yes/no", Of: "both", Help: "the answer is an error, or says isError"},
	{Name: "verdict", Type: "text", Of: "both", Values: []string{"forward", "replace", "drop"}, Help: "what guard does to the frame"},
	{Name: "findings", Type: "number", Of: "both", Help: "findings on the frame"},
	{Name: "rules", Type: "list", Of: "both", Help: "rules of the findings on the frame"},
	{Name: "raw", Type: "text", Of: "both", Help: "the frame's own bytes"},
	{Name: "truncated", Type: "yes/no", Of: "both", Help: "the recording cut the frame; so elided, redacted, synthetic"},
	{Name: "elided", Type: "yes/no", Of: "both", Help: "the recording left out a part of the frame"},
	{Name: "redacted", Type: "yes/no", Of: "both", Help: "secrets of the frame have been replaced"},
	{Name: "synthetic", Type: "yes/no", Of: "both", Help: "the frame was rebuilt, not recorded"},
	{Name: "server", Type: "text", Of: "both", Help: "name and version that the server gave"},
	{Name: "protocol", Type: "text", Of: "both", Help: "revision of the session, as far as known by then"},
	{Name: "rule", Alias: "rule_id", Type: "text", Of: "finding", Help: "the rule's id"},
	{Name: "sub_rule", Type: "text", Of: "finding", Help: "for secrets the WRD-SEC-* id"},
	{Name: "tier", Type: "text", Of: "finding", Values: []string{"note", "monitor", "block"}, Ordered: true, Help: "ordered"},
	{Name: "severity", Type: "text", Of: "finding", Values: []string{"low", "medium", "high", "critical"}, Ordered: true, Help: "ordered"},
	{Name: "action", Type: "text", Of: "finding", Values: []string{"passed", "shadowed", "modified", "blocked"}, Help: "what the posture makes of it"},
	{Name: "block", Alias: "block_index", Type: "number", Of: "finding", Help: "index of the content block, -1 outside of them"},
	{Name: "pointer", Type: "text", Of: "finding", Help: "JSON Pointer of the string"},
	{Name: "message", Type: "text", Of: "finding", Help: "what was found"},
	{Name: "snippet", Type: "text", Of: "finding", Help: "evidence, redacted"},
	{Name: "matched", Alias: "matched_phrases", Type: "list", Of: "finding", Help: "entries that matched"},
	{Name: "fingerprint", Type: "text", Of: "finding", Help: "stable over re-recording"},
	{Name: "accepted", Type: "yes/no", Of: "finding", Help: "the baseline accepts it"},
}

func field(name string) *Field {
	for i := range Fields {
		if f := &Fields[i]; f.Name == name || f.Alias == name && name != "" {
			return &Fields[i]
		}
	}
	return nil
}

// SetFinding puts a finding into the fields of findings; nil empties them.
func (e *Env) SetFinding(f *analyze.Finding) {
	if f == nil {
		e.Rule, e.SubRule, e.Tier, e.Severity, e.Action, e.Pointer, e.Message, e.Snippet, e.Fingerprint = "", "", "", "", "", "", "", "", ""
		e.Block, e.Matched, e.Accepted, e.TierRank, e.SeverityRank = -1, nil, false, -1, -1
		return
	}
	e.Rule, e.SubRule, e.Tier, e.Severity, e.Action = f.Rule, f.SubRule, f.Tier.String(), f.Severity.String(), f.Action.String()
	e.Block, e.Pointer, e.Message, e.Snippet, e.Matched = f.Block, f.Pointer, f.Message, f.Snippet, f.Matched
	e.Fingerprint, e.TierRank, e.SeverityRank = f.Fingerprint, int(f.Tier), int(f.Severity)
	e.Accepted = f.Accepted()
}

// ID is the value of a raw id for Env: an int or float64, a string, or nil.
func ID(raw []byte) any {
	switch {
	case len(raw) == 0:
		return nil
	case raw[0] == '"':
		if len(raw) < 2 {
			return nil
		}
		s, _ := jsonrpc.Unquote(nil, raw[1:len(raw)-1])
		return string(s)
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		if n, err := strconv.Atoi(string(raw)); err == nil {
			return n
		}
		if len(raw) > 64 {
			return string(raw)
		}
		if x, err := strconv.ParseFloat(string(raw), 64); err == nil {
			return x
		}
	}
	return nil
}

// Help is the text of `--where help`.
func Help() string {
	var b strings.Builder
	b.WriteString(`--where EXPR keeps the findings and frames that EXPR is true for. It is tried on
each finding together with its frame; a frame without findings is tried with the
fields of findings empty. A frame matches when one of its findings does. The names
of the JSON reports are understood too ("also").

Fields of frames and findings:
`)
	for _, of := range []string{"both", "finding"} {
		if of == "finding" {
			b.WriteString("\nFields of findings:\n")
		}
		for i := range Fields {
			f := &Fields[i]
			if f.Of != of {
				continue
			}
			help := f.Help
			if len(f.Values) > 0 {
				var v []string
				for _, s := range f.Values {
					if s != "" {
						v = append(v, s)
					}
				}
				sep := ", "
				if f.Ordered {
					sep = " < "
				}
				help += ": " + strings.Join(v, sep)
			}
			if f.Alias != "" {
				help += "; also " + f.Alias
			}
			b.WriteString("  " + f.Name + strings.Repeat(" ", 13-len(f.Name)) + f.Type + strings.Repeat(" ", 8-len(f.Type)) + help + "\n")
		}
	}
	b.WriteString(`
Operators: == != < <= > >=, and or not, in, contains, startsWith, endsWith,
matches (RE2, a pattern in quotes), ?:. Functions: ` + strings.Join(functions, ", ") + `.
In any, all, none, one and count the element is #: any(rules, # startsWith "POL-").

Examples:
  tier == "block" and tool == "read_file"
  severity >= "high" and not accepted
  rule in ["WRD-RES-ANSI", "WRD-RES-INVISIBLE"]
  method == "tools/call" and type == "response" and size > 65536
  ts >= "2026-08-01" and session startsWith "web-"
  raw matches "(?i)authorization"
`)
	return b.String()
}
