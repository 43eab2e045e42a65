// Package allowlist is the call allow-list (policy.md, sections 2 and 4, from
// seed 001): a closed list of tools, each with a schema for its arguments, and
// the rules on the order of calls and answers in a session. It is pure; a
// verdict is fail-closed, so that whatever goes wrong denies.
package allowlist

import (
	"strings"

	"github.com/warden-trace/warden/analyze"
)

// Rule ids, in the order in which a call can fail.
const (
	RuleHandshake     = "GWH-HANDSHAKE-INCOMPLETE"
	RuleDuplicateID   = "GWH-DUPLICATE-ID"
	RuleResourceLimit = "GWH-RESOURCE-LIMIT-EXCEEDED"
	RuleDangerousKey  = "GWH-DANGEROUS-OBJECT-KEY"
	RuleNonJSON       = "GWH-NON-JSON-VALUE"
	RuleInvalid       = "GWH-INVALID-PAYLOAD"
	RuleUnavailable   = "GWH-POLICY-UNAVAILABLE"
	RulePolicyInvalid = "GWH-POLICY-INVALID"
	RuleUnauthorized  = "GWH-UNAUTHORIZED-TOOL"
	RuleNotEnforced   = "GWH-POLICY-NOT-ENFORCED"
	RuleMutation      = "GWH-PAYLOAD-MUTATION"
	RuleArguments     = "GWH-ARGUMENT-VALIDATION-FAILED"
	RuleInternal      = "GWH-INTERNAL-VALIDATION-ERROR"
	RuleConcurrency   = "GWH-CONCURRENCY-EXCEEDED"
	RuleDeadline      = "GWH-DEADLINE-EXCEEDED"
	RuleLateResult    = "GWH-LATE-RESULT"
	RuleUnlistedTool  = "GWH-UNLISTED-TOOL"
)

// GuwahCode is the seed's name of a rule, as the error on the wire carries it
// in data.guwahCode: UNAUTHORIZED_TOOL for GWH-UNAUTHORIZED-TOOL.
func GuwahCode(rule string) string {
	return strings.ReplaceAll(strings.TrimPrefix(rule, "GWH-"), "-", "_")
}

// Policy is an allow-list that has been read, or the fact that it could not
// be. It is never changed and may be shared between goroutines.
type Policy struct {
	Name   string // the file's name, for messages
	Limits Limits

	broken string // rule id when there is no usable list
	tools  map[string]*tool
	order  []string
}

type tool struct {
	name    string
	enforce bool
	args    *schema
}

// Unavailable stands in for a list whose file can't be read any more: it denies
// every call with GWH-POLICY-UNAVAILABLE.
func Unavailable(name string, limits Limits) *Policy {
	return &Policy{Name: name, Limits: limits, broken: RuleUnavailable}
}

// Invalid stands in for a list that turned bad while in use: it denies every
// call with GWH-POLICY-INVALID.
func Invalid(name string, limits Limits) *Policy {
	return &Policy{Name: name, Limits: limits, broken: RulePolicyInvalid}
}

// Tools are the names in the file's order.
func (p *Policy) Tools() []string { return p.order }

// Allows says whether calls of the named tool can be let through at all.
func (p *Policy) Allows(name string) bool {
	if p == nil || p.broken != "" {
		return false
	}
	t := p.tools[name]
	return t != nil && t.enforce
}

// reservedPrefix marks the seed's own namespace, which no tool may use.
const reservedPrefix = "guwah__"

// Violation is why a call is denied.
type Violation struct {
	Code    string `json:"rule"`    // rule id
	Tool    string `json:"tool"`    // as the call names it; "" when it names none
	Pointer string `json:"pointer"` // JSON Pointer into the frame; "" is the whole, or the candidate
	Keyword string `json:"keyword"` // schema keyword that failed
	Message string `json:"message"` // never holds a value of the call
}

// Finding turns a violation into a finding about the request; the session
// machine fills in the rest.
func (v *Violation) Finding() analyze.Finding {
	return analyze.Finding{
		Rule: v.Code, Tier: analyze.Block, Severity: analyze.High,
		Direction: analyze.ClientToServer, Tool: v.Tool, Block: -1,
		Pointer: v.Pointer, Message: v.Message,
	}
}

// Unreadable is the verdict on a client frame that is no message: with an
// allow-list it is not forwarded.
func Unreadable() *Violation {
	return &Violation{Code: RuleInvalid, Message: "a client frame that can't be read as a message is not forwarded"}
}

// OverCap is the verdict on a client frame over the frame cap.
func OverCap() *Violation {
	return &Violation{Code: RuleResourceLimit, Message: "a client frame over --max-frame-bytes is not forwarded"}
}
