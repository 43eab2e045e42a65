// Package report turns one stream of findings into the forms that people and
// programs read: text, JSONL, SARIF and more, one file a handler. Handlers are
// fed in trace order by one goroutine and never see a raw secret; making text
// from a trace safe for their own medium is their work.
package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
)

// Run is what every report may say of the whole run, before its first trace.
type Run struct {
	Version  string
	Ruleset  string // hash of the compiled rules, "sha256:..."
	Coverage analyze.Coverage
	Rules    []ruleset.Rule // all rules, in catalog order
	Start    time.Time
	// Scrub redacts what looks like a vendor's secret in names, ids and
	// pointers, over what rules have redacted already. nil is secret.Scrub,
	// which knows the built-in patterns alone.
	Scrub func(string) string
	// Set is where the rules come from, for the reports that redact whole
	// payloads. nil is the built-in set.
	Set *ruleset.Set

	// What the reports have redacted of the last finding: each is shown the same
	// one in turn, by the one goroutine that feeds them.
	seen *lens
}

// Rule returns the rule with that id, or nil.
func (r *Run) Rule(id string) *ruleset.Rule {
	for i := range r.Rules {
		if r.Rules[i].ID == id {
			return &r.Rules[i]
		}
	}
	return nil
}

// Problem is something that is wrong with a trace rather than with a session.
type Problem struct {
	Trace   string
	Line    int64 // 0: the whole trace
	Offset  int64
	Message string
	// Fatal problems make the exit code 2; others are notices.
	Fatal bool
	// Parse says that it is a line that could not be read.
	Parse bool
}

// String is the problem with its place, named once: what opening a trace fails
// with names the trace itself.
func (p *Problem) String() string {
	switch {
	case p.Trace == "" || strings.HasPrefix(p.Message, p.Trace+": "):
		return p.Message
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.Trace, p.Line, p.Message)
	}
	return p.Trace + ": " + p.Message
}

// MoreLines is the problem that counts unreadable lines which are not named.
func MoreLines(n int) Problem {
	return Problem{Message: count(int64(n), "more line", "more lines") + " could not be read", Parse: true, Fatal: true}
}

// Counts are findings by tier and by rule.
type Counts struct {
	Block, Monitor, Note int64
	Rules                map[string]int64
	Accepted             int64 // by the baseline; in none of the others
	LeftOut              int64 // not chosen by --where; in none of the others
}

// Session sums up one session.
type Session struct {
	Name     string // "" for the only session of a trace
	Number   int    // from 0, in order of first frames
	Fidelity string
	Frames   int64
	Calls    int64
	Counts   Counts
	Start    time.Time // zero without times
	End      time.Time
	Protocol string // revision seen, "" if none
	Server   string // serverInfo name and version, "" if none
}

// Trace sums up one trace file, when it has been read.
type Trace struct {
	Name        string
	Format      string
	Fidelity    string
	Bytes       int64 // uncompressed
	Frames      int64
	Inspected   int64
	ParseErrors int64
	Incomplete  bool // not read to its end: damaged or, with Interrupted, left there
	Interrupted bool // the run was interrupted in it
	Counts      Counts
	Sessions    []Session // at most MaxSessions, busiest first by findings then order
	SessionsAll int64
}

// Lacks says of a trace that was not read to its end why that is; "" of another.
func (t *Trace) Lacks() string {
	switch {
	case !t.Incomplete:
		return ""
	case t.Interrupted:
		return "not read to its end: the run was interrupted"
	}
	return "damaged and was read as far as it went"
}

// interrupted is what a report says of a run that the user ended.
const interrupted = "the run was interrupted: this is what was found until then"

// MaxSessions is how many sessions a Trace names; the rest are counted.
const MaxSessions = 100

// Summary is the whole run, last of all.
type Summary struct {
	Traces, Sessions, Frames, Inspected, Bytes, ParseErrors int64
	InjectPhraseFindings                                    int64
	Unrecognised                                            int64 // files of no known form that were passed over
	Counts                                                  Counts
	ExitCode                                                int
	Interrupted                                             bool
	Elapsed                                                 time.Duration
}

// Handler receives the stream. An error ends the run with exit code 2.
type Handler interface {
	Problem(*Problem) error
	// Finding may keep nothing of its argument after it returns.
	Finding(*analyze.Finding) error
	Trace(*Trace) error
	// Close writes what is left and puts the report in its place.
	Close(*Summary) error
	// Abort throws the report away; nothing half-written stays.
	Abort()
}
