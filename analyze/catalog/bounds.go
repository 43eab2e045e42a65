package catalog

import "github.com/warden-trace/warden/analyze/jsonrpc"

// A frame may hold a million texts with something wrong, or as many blocks that
// can't be read. A reader of reports is served by the first of them, and memory
// must not grow with what an attacker repeats.
const (
	// maxNotes bounds the WRD-RES-UNINSPECTABLE notes of one message; the last
	// says how many more there are.
	maxNotes = 1000
	// maxListed bounds the findings of the texts of one message. Beyond it a text
	// gets findings only if it breaks a rule, or holds a phrase, that no text
	// before it did: what a message does must not depend on how much else is in
	// it. The last finding counts the texts that are not listed.
	maxListed = 10000
	// maxSecrets bounds the findings of secrets among them; a text beyond it has
	// one. Each is a finding of its own, with its excerpt and place, and a text of
	// nothing but random words would cost many times what reading it does. The
	// last finding of a text says that more are not listed. All are redacted.
	maxSecrets = 1000
	// maxListedSpans bounds the spans of those findings; a finding beyond it has
	// one.
	maxListedSpans = 100_000
	// maxAddresses bounds the addresses that one finding lists.
	maxAddresses = 1000
)

// selections is how many kinds of selection there are: for each it must be known
// what was listed.
const selections = int(SelectNested) + 1

// listing is what has been said of the message in hand.
type listing struct {
	found   int // findings of texts
	secrets int // those of SECRET-ECHO among them
	spans   int
	notes   [selections]int // notes that a selection takes
	last    [selections]int // index in dst of the last note hit that it takes
	rules   [selections]found
	phrases [selections]map[int32]bool
	rest    *rest
}

// rest is what is kept of the texts that are not listed.
type rest struct {
	more [selections]int // how many
	work []redactable    // those in which Redact may have work
}

// redactable is a text that may have something to cut out.
type redactable struct {
	start, end      int32 // as jsonrpc.Text
	escaped, nested bool
	found           found
}

// takers are the selections that take a text: all do of a task's result.
func takers(nested bool) int {
	if nested {
		return selections
	}
	return int(SelectNested)
}

// full reports that a text gets no finding: there are enough, and it adds nothing
// new to any selection.
func (l *listing) full(t *jsonrpc.Text, f found, d *detail) bool {
	if l.found < maxListed {
		return false
	}
	for sel := range takers(t.Nested) {
		if f&^l.rules[sel] != 0 {
			return false
		}
		for p := range d.phrases {
			if !l.phrases[sel][p] {
				return false
			}
		}
	}
	return true
}

// add counts a text with findings.
func (l *listing) add(t *jsonrpc.Text, f found, d *detail, findings int) {
	l.found += findings
	for sel := range takers(t.Nested) {
		l.rules[sel] |= f
		for p := range d.phrases {
			if l.phrases[sel] == nil {
				l.phrases[sel] = map[int32]bool{}
			}
			l.phrases[sel][p] = true
		}
	}
}

// drop counts a text without findings.
func (l *listing) drop(t *jsonrpc.Text, f found) {
	if l.rest == nil {
		l.rest = &rest{}
	}
	for sel := range takers(t.Nested) {
		l.rest.more[sel]++
	}
	if f&(foundANSI|foundSecret) != 0 {
		l.rest.work = append(l.rest.work, redactable{t.Start, t.End, t.Escaped, t.Nested, f})
	}
}

// note adds the hit of a block that can't be read, or counts it in the last one.
func (l *listing) note(n *jsonrpc.BlockNote, dst []Hit) []Hit {
	sel := SelectResult
	if n.Nested {
		sel = SelectNested // the only one that takes it
	}
	if l.notes[sel]++; l.notes[sel] > maxNotes {
		dst[l.last[sel]].more++
		return dst
	}
	l.last[sel] = len(dst)
	return append(dst, Hit{kind: hitNote, why: n.Why, text: jsonrpc.Text{Block: n.Block, Nested: n.Nested}})
}
