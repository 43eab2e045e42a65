package baseline

import (
	"strconv"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Bounds on what an entry copies of a finding.
const maxName = 256

// Of is a new entry for a finding, without state, reason and days. Names are
// redacted by the vendor patterns as in every report.
func Of(f *analyze.Finding) Entry {
	return Entry{Fingerprint: f.Fingerprint, Rule: f.Rule, SubRule: f.SubRule, Tool: name(f.Tool), Where: Where(f)}
}

// Where is the place of a finding as an entry has it.
func Where(f *analyze.Finding) string {
	s := safe.Limit(f.Trace, 1024)
	if f.Line > 0 {
		s += ":" + strconv.FormatInt(f.Line, 10)
	}
	return s
}

func name(s string) string {
	if len(s) > 16*maxName {
		s = s[:16*maxName] // no pattern has to run over megabytes
	}
	return safe.Limit(secret.Scrub(s), maxName)
}
