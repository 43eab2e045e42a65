package allowlist

import (
	"cmp"
	"container/list"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Options bound the calls of one session.
type Options struct {
	MaxConcurrent int           // calls in flight at once; 0: no bound
	Timeout       time.Duration // for an answer; 0: none
	// MaxInflight is what the caller remembers itself. Nothing here depends on it:
	// rules that deny can't have a bound that lets them forget what they deny.
	MaxInflight int
}

// remembered is how many calls in flight, and how many ended ones whose answer
// is due, a session remembers at least; more where more may be in flight at once.
const remembered = 65_536

// room is how many calls a session remembers.
func (o Options) room() int {
	if o.MaxConcurrent >= remembered && o.MaxConcurrent < math.MaxInt {
		return o.MaxConcurrent + 1
	}
	return max(remembered, o.MaxConcurrent)
}

// Decision is what a session rule says about one event. It is about the event
// in hand, except for Expired.
type Decision struct {
	Findings []analyze.Finding
	Deny     bool // do not forward this request; its id, if any, gets an error
	Drop     bool // do not deliver this answer
	Expired  []Expired
}

// Expired is a call whose time ran out: its id gets an error now, and the
// finding stands on the request.
type Expired struct {
	Key     jsonrpc.Key
	Ref     int64     // what Call was given
	Tool    string    // as the call named it
	At      time.Time // the deadline that passed
	Finding analyze.Finding
}

// Session holds what the allow-list's rules on the order of things have to
// know of one session: the handshake, the calls in flight, the calls that
// ended without their answer. Its memory is bounded. It decides as if every
// deny were carried out; what the posture makes of that is the caller's matter.
type Session struct {
	policy *Policy
	opts   Options

	hello    jsonrpc.Key // id of an initialize without its answer
	waiting  bool
	answered bool // initialize was answered with a result
	ready    bool // and the client said so

	calls   map[jsonrpc.Key]*flight // in flight
	begun   int64                   // calls that were let through so far
	spare   []*flight               // to be used again
	timed   *list.List              // of *flight with a deadline, in order
	ended   map[jsonrpc.Key]*ending
	endings *list.List // of jsonrpc.Key, oldest first
	now     time.Time
	noted   map[[16]byte]bool // tools that had their note
}

type flight struct {
	key       jsonrpc.Key
	tool      string
	ref       int64
	order     int64 // of arrival
	deadline  time.Time
	timed     *list.Element // place in Session.timed
	cancelled bool
}

// ending is an id that ended before its answer came.
type ending struct {
	tool   string
	why    string // "the deadline", "a duplicate", ...
	cancel bool   // the client itself ended it
	due    int    // answers of forwarded calls still to come
	denied int    // denied duplicates, which a recording may answer as well
	at     *list.Element
}

// NewSession begins a session. p names the tools that may be listed; nil is a
// list without any.
func NewSession(p *Policy, o Options) *Session {
	return &Session{
		policy: p, opts: o,
		calls: map[jsonrpc.Key]*flight{}, timed: list.New(),
		ended: map[jsonrpc.Key]*ending{}, endings: list.New(),
		noted: map[[16]byte]bool{},
	}
}

// SetPolicy puts a list that was read again in the old one's place.
func (s *Session) SetPolicy(p *Policy) { s.policy = p }

// Initialize is the client's initialize request.
func (s *Session) Initialize(key jsonrpc.Key) { s.hello, s.waiting = key, true }

// Initialized is the client's notifications/initialized.
func (s *Session) Initialized() { s.ready = s.ready || s.answered }

// FirstWithoutHandshake is the first revision that has no handshake; later
// ones, being dates, sort behind it.
const FirstWithoutHandshake = "2026-07-28"

// versionKey is where a request of such a revision names it.
const versionKey = "io.modelcontextprotocol/protocolVersion"

// CallVersion is the protocol revision that a request's params name, "" for
// none. params is the raw value.
func CallVersion(params []byte) string {
	v, _ := jsonrpc.LookupString(params, "_meta", versionKey)
	return v
}

// needsHandshake says whether calls of a revision come after a handshake. In
// doubt they do.
func needsHandshake(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err != nil || version < FirstWithoutHandshake
}

// Ready reports that the handshake is complete: Call then asks for no Version.
func (s *Session) Ready() bool { return s.ready }

// Call is a tools/call request of the client.
type Call struct {
	Key     jsonrpc.Key
	HasKey  bool      // false for a notification, or an id that is none
	Tool    string    // kept while the call is in flight: no part of a larger string
	Version string    // CallVersion; may be missing once the session is Ready
	At      time.Time // zero where the recording has no time
	Ref     int64     // comes back in Expired
}

// Call judges a request. check is the verdict on the frame itself (see
// Policy.Check) and is asked only if the session lets the call be judged; nil
// means that it passed. At most one finding comes back. Feed Clock first.
func (s *Session) Call(c Call, check func() *Violation) Decision {
	s.tick(c.At)
	if !s.ready && needsHandshake(c.Version) {
		return s.deny(c, RuleHandshake, "a call before the handshake was complete")
	}
	if e := s.calls[c.Key]; c.HasKey && e != nil {
		f := s.remove(e)
		end := s.end(f, "a duplicate id", false)
		end.denied++
		return s.deny(c, RuleDuplicateID, "the id belongs to a call in flight, which ends without its answer")
	}
	if check != nil {
		if v := check(); v != nil {
			return Decision{Findings: []analyze.Finding{v.Finding()}, Deny: true}
		}
	}
	if s.opts.MaxConcurrent > 0 && len(s.calls) >= s.opts.MaxConcurrent {
		return s.deny(c, RuleConcurrency, fmt.Sprintf("%d calls are in flight already", s.opts.MaxConcurrent))
	}
	if len(s.calls) >= s.opts.room() {
		// Forgetting one would let its id be used again.
		return s.deny(c, RuleResourceLimit, fmt.Sprintf("%d calls without an answer, and no room to remember another", len(s.calls)))
	}
	if c.HasKey {
		s.add(c)
	}
	return Decision{}
}

func (s *Session) deny(c Call, rule, message string) Decision {
	v := Violation{Code: rule, Tool: c.Tool, Message: message}
	return Decision{Findings: []analyze.Finding{v.Finding()}, Deny: true}
}

// Withdraw takes back a call that Call let through and another rule then kept
// from the server.
func (s *Session) Withdraw(key jsonrpc.Key) {
	if e := s.calls[key]; e != nil {
		s.remove(e)
	}
}

// Cancel is the client's notifications/cancelled. The call holds its place
// until it is answered.
func (s *Session) Cancel(key jsonrpc.Key) {
	if f := s.calls[key]; f != nil {
		f.cancelled = true
	}
}

// Answer is a result or an error of the server for an id. It is to be called
// for every answer, whatever it answers.
func (s *Session) Answer(key jsonrpc.Key, isError bool, at time.Time) Decision {
	s.tick(at)
	if s.waiting && key == s.hello {
		s.waiting = false
		s.answered = s.answered || !isError
		return Decision{}
	}
	end := s.ended[key]
	e := s.calls[key]
	switch {
	case end != nil && (end.due > 0 || e == nil):
		return s.late(key, end, isError)
	case e == nil:
		return Decision{}
	}
	f := s.remove(e)
	if f.cancelled && !isError {
		return Decision{Drop: true, Findings: []analyze.Finding{lateFinding(f.tool, "the client's cancellation", true)}}
	}
	return Decision{}
}

// late is an answer for an id that has ended. An error is no success and makes
// no finding; nor does what a recording holds as the answer to a duplicate,
// which a guard would not have forwarded. None of them is delivered: an id is
// never answered twice.
func (s *Session) late(key jsonrpc.Key, end *ending, isError bool) Decision {
	d := Decision{Drop: true}
	switch {
	case end.due > 0:
		end.due--
	case end.denied > 0:
		end.denied--
		return d
	}
	if !isError {
		d.Findings = []analyze.Finding{lateFinding(end.tool, end.why, end.cancel)}
	}
	return d
}

func lateFinding(tool, why string, note bool) analyze.Finding {
	f := analyze.Finding{
		Rule: RuleLateResult, Tier: analyze.Block, Severity: analyze.High,
		Direction: analyze.ServerToClient, Tool: tool, Block: -1,
		Message: "a result after " + why + ", which ended the call",
	}
	if note {
		f.Tier, f.Severity = analyze.Note, analyze.Low
	}
	return f
}

// Clock says that time has come to t. Calls whose deadline lies before it have
// expired; an answer at the deadline itself is in time. A call that the client
// cancelled just ends.
func (s *Session) Clock(t time.Time) Decision {
	var d Decision
	s.tick(t)
	for e := s.timed.Front(); e != nil; e = s.timed.Front() {
		f := e.Value.(*flight)
		if !f.deadline.Before(s.now) {
			break
		}
		s.remove(s.calls[f.key])
		if f.cancelled {
			s.end(f, "the client's cancellation", true)
			continue
		}
		s.end(f, "its deadline", false)
		v := Violation{Code: RuleDeadline, Tool: f.tool, Message: fmt.Sprintf("no answer within %s", s.opts.Timeout)}
		d.Expired = append(d.Expired, Expired{Key: f.key, Ref: f.ref, Tool: f.tool, At: f.deadline, Finding: v.Finding()})
	}
	return d
}

// NextDeadline is the first moment at which Clock would find a call expired; ok
// is false when nothing is waiting. A live driver sets its timer by it.
func (s *Session) NextDeadline() (t time.Time, ok bool) {
	if e := s.timed.Front(); e != nil {
		return e.Value.(*flight).deadline.Add(1), true
	}
	return t, false
}

// Shutdown ends all calls in flight: their ids get a lifecycle error from the
// caller, and what the server still answers comes too late.
func (s *Session) Shutdown() {
	oldest := func(a, b *flight) int { return cmp.Compare(a.order, b.order) }
	for _, f := range slices.SortedFunc(maps.Values(s.calls), oldest) {
		s.end(s.remove(f), "the shutdown", false)
	}
}
