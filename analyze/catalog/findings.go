package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Ids of the rules of this package.
const (
	RuleANSI          = "WRD-RES-ANSI"
	RuleSecret        = "WRD-RES-SECRET-ECHO"
	RuleDomain        = "WRD-RES-EXFIL-DOMAIN"
	RuleIP            = "WRD-RES-EXFIL-IP-LITERAL"
	RuleURL           = "WRD-RES-URL"
	RulePhrase        = "WRD-RES-INJECT-PHRASE"
	RuleInvisible     = "WRD-RES-INVISIBLE"
	RuleAmbiguous     = "WRD-RES-AMBIGUOUS"
	RuleUninspectable = "WRD-RES-UNINSPECTABLE"
	RuleFrameError    = "WRD-RES-FRAME-ERROR"
	RuleLockInvalid   = "WRD-RES-LOCK-INVALID"
	RuleEntropy       = "WRD-SEC-ENTROPY"
)

// Select says which strings of a message are a tool's output.
type Select uint8

// Selections (protocol.md, "Where tool output travels").
const (
	// SelectResult is an answer to tools/call: all under result and error.
	SelectResult Select = iota
	// SelectNested is a task's tool result within another message: result.result
	// or params.result.
	SelectNested
)

// takes reports whether the selection covers a hit.
func (sel Select) takes(h *Hit) bool {
	switch {
	case h.kind == hitAmbiguous, h.kind == hitRest:
		return true
	case sel == SelectNested:
		return h.text.Nested
	case h.kind == hitNote:
		return !h.text.Nested
	}
	return true
}

// block is the content block that a finding names.
func (sel Select) block(h *Hit) int {
	if sel == SelectResult && h.text.Nested {
		return -1 // a string like any other under the result
	}
	return int(h.text.Block)
}

// Findings says what the hits of a message are, in the order of catalog.md
// ("Order and number of findings"). m.Raw must hold the bytes that were scanned;
// m.Texts and m.Notes are not looked at. Action, Direction, RPCID, Method, Tool
// and Place are left to the caller.
func (c *Catalog) Findings(m *jsonrpc.Message, hits []Hit, sel Select, ins analyze.Inspection) []analyze.Finding {
	r := reader{c: c, m: m, sel: sel, ins: ins}
	for _, why := range ins.Invalid {
		r.add(analyze.Finding{Rule: RuleLockInvalid, Block: -1, Message: why})
	}
	var notes, texts []*Hit
	ambiguous := false
	more := 0
	for i := range hits {
		h := &hits[i]
		switch {
		case !sel.takes(h):
		case h.kind == hitNote:
			notes = append(notes, h)
		case h.kind == hitText:
			texts = append(texts, h)
		case h.kind == hitRest:
			more = h.rest.more[sel]
		default:
			ambiguous = true
		}
	}
	slices.SortStableFunc(notes, func(a, b *Hit) int { return cmp.Compare(a.text.Block, b.text.Block) })
	blocks := 0
	for _, h := range notes {
		blocks += int(h.more)
		r.add(analyze.Finding{Rule: RuleUninspectable, Block: int(h.text.Block), Pointer: r.blockPointer(h), Message: whyNot(h.why)})
	}
	if blocks > 0 {
		r.out[len(r.out)-1].Message += fmt.Sprintf("; %s like it not listed", count(blocks, "further block"))
	}
	if n := len(r.out); len(texts) > 0 {
		if r.texts(texts); more > 0 && len(r.out) > n {
			r.out[len(r.out)-1].Message += fmt.Sprintf("; the findings of %s of this frame are not listed", count(more, "further text"))
		}
	}
	if ambiguous {
		r.add(analyze.Finding{Rule: RuleAmbiguous, Block: -1, Message: "the frame can be read in two ways: " + strings.Join(doubts(m), ", ")})
	}
	return r.out
}

// Ambiguous returns the finding for a message that two parsers can read
// differently, whatever it is: for those that Findings is not asked about. ok is
// false for a plain message and with coverage spec.
func (c *Catalog) Ambiguous(m *jsonrpc.Message) (f analyze.Finding, ok bool) {
	if !c.wide || !ambiguous(m) {
		return f, false
	}
	r := reader{c: c, m: m}
	r.add(analyze.Finding{Rule: RuleAmbiguous, Block: -1, Message: "the frame can be read in two ways: " + strings.Join(doubts(m), ", ")})
	return r.out[0], true
}

// doubts names why a frame is ambiguous.
func doubts(m *jsonrpc.Message) (out []string) {
	for _, d := range []struct {
		has  jsonrpc.Has
		text string
	}{
		{jsonrpc.Repeated, "a key is there twice or in another case"},
		{jsonrpc.BadUTF8, "it holds invalid UTF-8"},
		{jsonrpc.LoneSurrogate, "it holds half a surrogate pair"},
		{jsonrpc.NotANumber, "it holds NaN or Infinity"},
		{jsonrpc.BadID, "its id is neither string, number nor null"},
		{jsonrpc.Junk, "there is junk around the message"},
	} {
		if m.Has&d.has != 0 {
			out = append(out, d.text)
		}
	}
	if m.Has&jsonrpc.HasMethod != 0 && m.Has&(jsonrpc.HasResult|jsonrpc.HasError) != 0 {
		out = append(out, "it has both a method and a result or error")
	}
	return out
}

func whyNot(w jsonrpc.Why) string {
	switch w {
	case jsonrpc.WhyBinary:
		return "the content block holds binary data, which is not decoded"
	case jsonrpc.WhyNoObject:
		return "the content block is not an object"
	case jsonrpc.WhyNoText:
		return "the content block has no text to inspect"
	case jsonrpc.WhyLink:
		return "the content block is a resource link, which the original catalog does not know"
	}
	return "the content block is of an unknown type"
}

// reader builds the findings of one message.
type reader struct {
	c   *Catalog
	m   *jsonrpc.Message
	sel Select
	ins analyze.Inspection
	out []analyze.Finding
	// secrets counts the findings of SECRET-ECHO, bounded by maxSecrets; spans
	// those of texts.
	secrets, spans int
}

// add completes a finding with its rule's tier and severity.
func (r *reader) add(f analyze.Finding) {
	if rule := r.c.rules.Rule(f.Rule); rule != nil {
		f.Tier = rule.Tier
		if f.SubRule == "" {
			f.Severity = rule.Severity
		}
	}
	if f.Rule == RuleSecret && r.ins.SecretsOff {
		f.Tier, f.Severity = analyze.Note, analyze.Low
	}
	f.IsError = r.m.Has&jsonrpc.HasIsError != 0
	r.out = append(r.out, f)
}

func (r *reader) blockPointer(h *Hit) string {
	base := "/result"
	if h.text.Nested {
		base = "/result/result"
		if r.m.Has&jsonrpc.HasResult == 0 {
			base = "/params/result"
		}
	}
	return fmt.Sprintf("%s/content/%d", base, h.text.Block)
}

// texts adds the findings of the texts: content blocks in their order, then what
// stands outside of them, each text in the order of the frame.
func (r *reader) texts(texts []*Hit) {
	order := func(a, b *Hit) int {
		return cmp.Or(cmp.Compare(last(r.sel.block(a)), last(r.sel.block(b))), cmp.Compare(a.text.Start, b.text.Start))
	}
	if !slices.IsSortedFunc(texts, order) {
		slices.SortStableFunc(texts, order)
	}
	for _, h := range texts {
		made := h.made
		if h.found&foundANSI != 0 && r.ins.Charset != analyze.CharsetText {
			made = r.again(h)
		}
		for i := range made {
			f := made[i]
			if f.Rule == RuleURL && r.ins.MayReturnURLs {
				continue
			}
			if f.Rule == RuleSecret && r.ins.SecretsOff {
				f.Tier, f.Severity = analyze.Note, analyze.Low
			}
			f.Block = r.sel.block(h)
			if h.of > 0 {
				f.Message += fmt.Sprintf(" (in string %d of %d at this place)", h.nth, h.of)
			}
			r.out = append(r.out, f)
		}
	}
}

// last orders what stands outside of content blocks behind them.
func last(block int) int {
	if block < 0 {
		return int(^uint(0) >> 1)
	}
	return block
}

// again makes the findings of a text under other settings than the strictest.
func (r *reader) again(h *Hit) []analyze.Finding {
	s := r.c.cold.Get().(*Scanner)
	defer r.c.cold.Put(s)
	text := s.decoded(r.m, h.text.Start, h.text.End, h.text.Escaped)
	s.all.reset()
	s.scan.scan(text, &s.all)
	// With no more secrets than there were before.
	s.list = listing{secrets: maxSecrets - secretsOf(h.made), spans: r.spans}
	made := s.findings(r.m, &h.text, text, analyze.Inspection{Charset: r.ins.Charset})
	r.spans = s.list.spans
	if len(h.made) > 0 {
		for i := range made {
			made[i].Pointer = h.made[0].Pointer
		}
	}
	return made
}

// secretsOf counts the findings of SECRET-ECHO.
func secretsOf(list []analyze.Finding) (n int) {
	for i := range list {
		if list[i].Rule == RuleSecret {
			n++
		}
	}
	return n
}

// pointer hides the secrets that keys may hold: a pointer is shown everywhere.
func (c *Catalog) pointer(p string) string {
	short := min(c.patterns.Shortest(), c.entropy.MinLength())
	if len(p) < short {
		return p
	}
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if len(part) < short {
			continue
		}
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if hidden := c.patterns.Hide(c.entropy, key); hidden != key {
			parts[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(hidden)
		}
	}
	return strings.Join(parts, "/")
}
