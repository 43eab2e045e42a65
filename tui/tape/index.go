package tape

import (
	"sort"
	"sync"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/replay"
)

const (
	pageLen = 1 << 12
	// maxLabels bounds the pairs of method and tool that are told apart; beyond
	// it frames are shown without, a hostile trace must not fill the memory.
	maxLabels = 1 << 13
	maxLabel  = 256 // bytes of a name that the list can show
	maxRules  = 1 << 12
	// maxMarks bounds the findings whose fingerprints are kept: 96 MiB.
	maxMarks = 4 << 20
)

// page is a run of entries with what a search for the next finding needs.
type page struct {
	e       [pageLen]Entry
	blocked int // entries that are Blocked
	tiers   [4]int
	from    int64 // earliest and latest time in it; 0: none
	to      int64
	// numbers within the session, where not all of them are the numbers in the
	// trace: nil while they are, which they nearly always are.
	numbers []uint32
}

// noNumber is the number of a line that can't be read: it is no frame.
const noNumber = 1<<32 - 1

// Session is what the index knows of one session.
type Session struct {
	Name     string
	First    int // number of its first frame
	Last     int
	Frames   int
	Blocked  int // frames
	Findings [3]int
	Server   string
	Protocol string
	Closed   bool
}

// RuleCount sums up one rule in the trace.
type RuleCount struct {
	Rule, Sub string
	Tier      analyze.Tier
	Count     int
	Open      int // block findings without a decision
	First     int // frame of the first one
	Tool      string
}

// index is filled by the indexer and read by everybody else.
type index struct {
	mu       sync.RWMutex
	pages    []*page
	n        int
	labels   []Label
	labelOf  map[Label]uint16
	names    func() *secret.Patterns // of what a cut must not halve
	sessions []*Session
	marks    []Mark // by frame
	late     map[uint32][]Mark
	nlate    int
	rules    []RuleCount
	ruleOf   map[[3]string]uint16
	open     int // block findings without a decision
	blocks   int // block findings
	findings [3]int
	skims    map[uint32]*jsonrpc.Skimmer
	stops    map[uint32][]checkpoint // by session
	weight   int
	stride   int
	from, to int64 // times
	bad      int   // lines that can't be read
	lost     int   // findings beyond maxMarks

	notices []string
	read    int64 // bytes of the input
	size    int64 // of it; -1 unknown
	done    bool
	err     error
}

// checkpoint is a machine as it was after a frame of its session.
type checkpoint struct {
	after int // frame
	count int // frames of the session so far
	m     *replay.Machine
}

func newIndex(rules *ruleset.Set) *index {
	return &index{names: sync.OnceValue(func() *secret.Patterns { return patterns(rules) }),
		labelOf: map[Label]uint16{}, labels: []Label{{}}, ruleOf: map[[3]string]uint16{},
		late: map[uint32][]Mark{}, skims: map[uint32]*jsonrpc.Skimmer{}, stops: map[uint32][]checkpoint{}, stride: 128}
}

func (x *index) entry(i int) *Entry { return &x.pages[i/pageLen].e[i%pageLen] }

// number is the number of entry i within its session, from 0, as all other tools
// count; -1 for a line that can't be read.
func (x *index) number(i int) int {
	p := x.pages[i/pageLen]
	switch {
	case p.numbers == nil:
		return i
	case p.numbers[i%pageLen] == noNumber:
		return -1
	}
	return int(p.numbers[i%pageLen])
}

// add appends an entry with its number within the session (-1: none); the caller
// holds the lock.
func (x *index) add(e Entry, number int) {
	if x.n%pageLen == 0 {
		x.pages = append(x.pages, new(page))
	}
	p := x.pages[x.n/pageLen]
	p.e[x.n%pageLen] = e
	if number != x.n && p.numbers == nil {
		p.numbers = make([]uint32, pageLen)
		for i := range x.n % pageLen {
			p.numbers[i] = uint32(x.n - x.n%pageLen + i)
		}
	}
	if p.numbers != nil {
		p.numbers[x.n%pageLen] = uint32(number) // -1 is noNumber
	}
	if e.Blocked() {
		p.blocked++
	}
	p.tiers[e.flags>>tierShift&3]++
	if e.TS != 0 {
		if p.from == 0 || e.TS < p.from {
			p.from = e.TS
		}
		p.to = max(p.to, e.TS)
		if x.from == 0 || e.TS < x.from {
			x.from = e.TS
		}
		x.to = max(x.to, e.TS)
	}
	x.n++
}

func (x *index) label(method, tool string) uint16 {
	if method == "" && tool == "" {
		return 0
	}
	l := Label{x.cut(method), x.cut(tool)}
	if n, ok := x.labelOf[l]; ok {
		return n
	}
	if len(x.labels) >= maxLabels {
		return 0
	}
	n := uint16(len(x.labels))
	x.labels = append(x.labels, l)
	x.labelOf[l] = n
	return n
}

// cut bounds a name. Secrets are redacted before: half of one is none any more
// that would be known for what it is.
func (x *index) cut(s string) string {
	if len(s) > maxLabel {
		s = x.names().Scrub(s)
		return s[:min(len(s), maxLabel)]
	}
	return s
}

func patterns(rules *ruleset.Set) *secret.Patterns {
	if rules != nil {
		if p, err := secret.Compile(rules.Secrets); err == nil {
			return p
		}
	}
	return secret.Builtin()
}

// mark keeps a finding on frame.
func (x *index) mark(frame int, f *analyze.Finding, late bool, decided uint8, print [16]byte) {
	k := [3]string{f.Rule, f.SubRule, f.Tier.String()}
	r, ok := x.ruleOf[k]
	if !ok {
		if len(x.rules) >= maxRules {
			r = 0
		} else {
			r = uint16(len(x.rules))
			x.rules = append(x.rules, RuleCount{Rule: f.Rule, Sub: f.SubRule, Tier: f.Tier, First: frame, Tool: x.cut(f.Tool)})
			x.ruleOf[k] = r
		}
	}
	x.rules[r].Count++
	x.findings[f.Tier]++
	m := Mark{frame: uint32(frame), rule: r, tier: uint8(f.Tier), Decided: decided, Print: print}
	if f.Tier == analyze.Block {
		x.blocks++
		if decided == 0 {
			x.open++
			x.rules[r].Open++
		}
	}
	switch {
	case len(x.marks)+x.nlate >= maxMarks:
		x.lost++
	case late:
		x.late[m.frame] = append(x.late[m.frame], m)
		x.nlate++
	default:
		x.marks = append(x.marks, m)
	}
}

// on returns the marks on a frame, for changing; the caller holds the lock.
func (x *index) on(frame int) []*Mark {
	at := sort.Search(len(x.marks), func(i int) bool { return int(x.marks[i].frame) >= frame })
	var out []*Mark
	for ; at < len(x.marks) && int(x.marks[at].frame) == frame; at++ {
		out = append(out, &x.marks[at])
	}
	late := x.late[uint32(frame)]
	for i := range late {
		out = append(out, &late[i])
	}
	return out
}

// maxWeight bounds what the checkpoints hold, in requests and tasks.
const maxWeight = 1 << 17

// stop keeps a checkpoint, and thins all of them out when they get heavy.
func (x *index) stop(session uint32, c checkpoint) {
	x.stops[session] = append(x.stops[session], c)
	x.weight += 8 + c.m.Weight()
	if x.weight < maxWeight {
		return
	}
	x.weight, x.stride = 0, 2*x.stride
	for s, list := range x.stops {
		kept := list[:0]
		for i, c := range list {
			if i%2 == 1 {
				kept = append(kept, c)
				x.weight += 8 + c.m.Weight()
			}
		}
		clear(list[len(kept):])
		x.stops[s] = kept
	}
}
