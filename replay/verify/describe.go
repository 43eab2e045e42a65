package verify

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// described is a finding with all fields but those that belong to a recording:
// trace, session, line, offset, time, fingerprint.
type described struct {
	Rule, SubRule, Tier, Severity, Action string
	Direction, RPCID, Method, Tool        string
	Block                                 int
	Pointer                               string
	Spans                                 []analyze.Span
	Message, Snippet                      string
	Matched                               []string
	IsError                               bool
}

// describe writes findings so that they can be compared and shown.
func describe(fs []analyze.Finding) []string {
	out := make([]string, 0, len(fs))
	for i := range fs {
		f := &fs[i]
		b, err := json.Marshal(described{f.Rule, f.SubRule, f.Tier.String(), f.Severity.String(), f.Action.String(),
			f.Direction.String(), string(f.RPCID), f.Method, f.Tool, f.Block, f.Pointer, f.Spans, f.Message, f.Snippet, f.Matched, f.IsError})
		if err != nil {
			b = []byte("a finding that can't be written: " + f.Rule)
		}
		out = append(out, string(b))
	}
	return out
}

// compare returns the first finding that differs.
func compare(a, b []string) (inA, inB string, same bool) {
	for i := range max(len(a), len(b)) {
		x, y := "no finding", "no finding"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x, y, false
		}
	}
	return "", "", true
}

// show is a frame as a difference names it: its size and its beginning, with
// secrets scrubbed and nothing raw.
func show(b []byte) string {
	if len(b) == 0 {
		return "nothing"
	}
	head := string(b[:min(len(b), 200)])
	more := ""
	if len(b) > 200 {
		more = "…"
	}
	return strings.TrimSpace(safe.String(secret.Scrub(head))) + more
}

func number(n int) string { return strconv.Itoa(n) }

func size(n int64) string { return strconv.FormatInt(n, 10) + " bytes" }

// bareText is an error without the path that it may name.
func bareText(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}
