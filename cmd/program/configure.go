package program

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // --tz must not depend on the machine

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats"
	"github.com/warden-trace/warden/replay"
)

// maxListFile bounds the files that a user gives as rules. They are small; a
// huge one is a mistake.
const maxListFile = 16 << 20

// readInput reads a whole small file that steers a run.
func readInput(what, name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err == nil && st.Size() > maxListFile {
		return nil, Fail("give a smaller file", "%s %s: larger than %d bytes", what, name, maxListFile)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, Fail("check the name and its permissions", "%s: %w", what, err)
	}
	return data, nil
}

// Configure loads everything that the flags name into one configuration of the
// session machine. The warnings are sentences for the user.
func Configure(w *World, r *RuleFlags, p *PostureFlags, in *ReadFlags) (*replay.Config, []string, error) {
	var warnings []string
	rules, err := RuleSets(r.Base, r.Ruleset)
	if err != nil {
		return nil, nil, err
	}
	cfg := &replay.Config{Rules: rules, MaxInflight: in.MaxInflight, MaxFrame: in.MaxFrameBytes}
	if r.Coverage == "spec" {
		cfg.Coverage = analyze.Spec
	}
	opts := catalog.Options{Rules: rules, Coverage: cfg.Coverage}
	for _, name := range r.ExfilDenylist {
		data, err := readInput("--exfil-denylist", name)
		if err != nil {
			return nil, nil, err
		}
		entries, warn, err := catalog.ParseDenylist(name, data)
		if err != nil {
			return nil, nil, Fail("one host a line, # begins a comment", "--exfil-denylist: %w", err)
		}
		opts.Denylist = append(opts.Denylist, entries...)
		warnings = append(warnings, warn...)
	}
	for _, name := range r.InjectPhrases {
		phrases, err := phraseFile("--inject-phrases", name)
		if err != nil {
			return nil, nil, err
		}
		opts.Phrases = append(opts.Phrases, phrases...)
	}
	if cfg.Posture, err = posture(p, &opts); err != nil {
		return nil, nil, err
	}
	if cfg.Catalog, err = catalog.New(opts); err != nil {
		return nil, nil, Fail("", "%w", err)
	}
	more, err := families(cfg, r)
	if err != nil {
		return nil, nil, err
	}
	return cfg, append(warnings, more...), nil
}

// RuleSets is base (nil: the built-in rules) with what the files and built-in
// sets of these names add.
func RuleSets(base *ruleset.Set, names []string) (*ruleset.Set, error) {
	rules := base
	if rules == nil {
		rules = ruleset.Builtin()
	}
	for _, name := range names {
		// A built-in set is where the others are added to, wherever it stands.
		if set, ok := ruleset.Named(name); ok {
			rules = set
		}
	}
	for _, name := range names {
		if _, ok := ruleset.Named(name); ok {
			continue
		}
		data, err := readInput("--ruleset", name)
		if err != nil {
			return nil, err
		}
		more, err := ruleset.Load(name, data)
		if err == nil {
			rules, err = rules.Merge(more)
		}
		if err != nil {
			return nil, Fail("a ruleset can only add; relaxing is the lock's and the flags' work", "--ruleset: %w", err)
		}
	}
	return rules, nil
}

func phraseFile(what, name string) ([]string, error) {
	data, err := readInput(what, name)
	if err != nil {
		return nil, err
	}
	phrases, err := catalog.ParsePhrases(name, data)
	if err != nil {
		return nil, Fail("one phrase a line, # begins a comment", "%s: %w", what, err)
	}
	return phrases, nil
}

// posture turns the flags into what the machine asks of them.
func posture(p *PostureFlags, opts *catalog.Options) (replay.Posture, error) {
	out := replay.Posture{
		AuditOnly: p.AuditOnly, NoBlockANSI: p.NoBlockANSI, NoBlockSecretEcho: p.NoBlockSecretEcho,
		NoBlockExfilDomain: p.NoBlockExfilDomain || p.AllowExfilDomain, NoBlockIPLiteral: p.NoBlockExfilIP,
		NoBlockListChanged: p.NoBlockListChanged, NoBlockPolicy: p.NoBlockPolicy, NoBlockAllowlist: p.NoBlockAllowlist,
		NoBlockProfile: p.NoBlockProfile, NoBlockAll: p.NoBlockDeterministic, RedactSecretEcho: p.RedactSecretEcho,
		BlockInjectPhrase: p.BlockInjectPhrase,
	}
	for _, name := range p.BlockInjectOnly {
		phrases, err := phraseFile("--block-inject-phrase-only", name)
		if err != nil {
			return out, err
		}
		if out.BlockPhrases == nil {
			out.BlockPhrases = make(map[string]bool)
		}
		for _, s := range phrases {
			out.BlockPhrases[catalog.FoldPhrase(s)] = true
		}
		opts.Phrases = append(opts.Phrases, phrases...) // what blocks must be looked for
	}
	return out, nil
}

// Options turns the reading flags into those of the readers.
func (f *ReadFlags) Options(w *World) (formats.Options, error) {
	o := formats.Options{MaxFrame: f.MaxFrameBytes, ZstdWindowLog: f.ZstdWindowLog, MaxDocument: f.MaxDocument, Perspective: f.Perspective, Interrupt: w.Interrupt}
	switch {
	case f.MaxFrameBytes < 1:
		return o, Fail("give a number of bytes, 8388608 for instance", "--max-frame-bytes: %d is no size", f.MaxFrameBytes)
	case f.MaxInflight < 1:
		return o, Fail("give a number of at least 1", "--max-inflight: %d", f.MaxInflight)
	case f.ZstdWindowLog < 10 || f.ZstdWindowLog > 31:
		return o, Fail("give a number from 10 to 31", "--zstd-window-log: %d", f.ZstdWindowLog)
	case f.MaxDocument < 1:
		return o, Fail("give a number of bytes", "--max-document-bytes: %d", f.MaxDocument)
	case f.Jobs < 0 || f.Jobs > 1024:
		return o, Fail("give a number from 0 (one a processor) to 1024", "--jobs: %d", f.Jobs)
	case (f.C2S == "") != (f.S2C == ""):
		return o, Fail("give both halves", "--c2s and --s2c go together")
	}
	if f.TZ != "" {
		loc, err := time.LoadLocation(f.TZ)
		if err != nil {
			return o, Fail("give an IANA zone name such as Europe/Berlin", "--tz: %w", err)
		}
		o.Location = loc
	}
	return o, nil
}

// Workers is the number of workers that --jobs asks for.
func Workers(jobs int) int {
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return jobs
}

func limits(list []string) (map[string]int64, error) {
	out := make(map[string]int64, len(list))
	for _, s := range list {
		name, value, ok := strings.Cut(s, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil || n < 1 || n > 1<<53-1 {
			return nil, Fail("write --limit NAME=N with a positive whole number", "--limit %s", s)
		}
		out[name] = n
	}
	return out, nil
}
