package program

import (
	"time"

	"github.com/warden-trace/warden/analyze/ruleset"
)

// RuleFlags are the inputs of the rules (product.md).
type RuleFlags struct {
	Lock          string   `placeholder:"FILE" help:"Pinned tool surface: per-tool precision, tool shapes and the drift gate." group:"Rules"`
	Policy        string   `placeholder:"FILE" help:"Argument policy (YAML): judge the arguments of tool calls." group:"Rules"`
	Allowlist     string   `placeholder:"FILE" help:"Call allow-list (JSON, default deny): judge whole calls and the session's order." group:"Rules"`
	Profile       []string `complete:"profile" placeholder:"NAME" sep:"none" help:"Conformance profile: ocu-mcp-2025-06-18, ocu-exec. May be given several times." group:"Rules"`
	ExfilDenylist []string `placeholder:"FILE" sep:"none" help:"More never-callback hosts, one a line, beside the built-in ones." group:"Rules"`
	InjectPhrases []string `placeholder:"FILE" sep:"none" help:"More injection phrases, one a line, beside the built-in ones." group:"Rules"`
	Ruleset       []string `complete:"more" placeholder:"FILE" sep:"none" help:"More rules (YAML): secret patterns, hosts, phrases, networks. Can only add. Or the name of a built-in set: calibrated." group:"Rules"`
	Coverage      string   `enum:"full,spec" default:"full" help:"full: everything that carries a tool's output; spec: the original catalog alone." group:"Rules"`
	Limit         []string `placeholder:"NAME=N" sep:"none" help:"Override a limit of the allow-list (guwah.NAME) or of a profile." group:"Rules"`
	Audience      string   `placeholder:"AUD" help:"Expected audience of bearer tokens, for the profile's HTTP rules." group:"Rules"`
	AllowParams   []string `placeholder:"KEY" sep:"none" help:"Further member of params that the allow-list's envelope admits." group:"Rules"`

	MaxConcurrent  int           `placeholder:"N" help:"With --allowlist: most tool calls in flight." group:"Rules"`
	RequestTimeout time.Duration `placeholder:"D" help:"With --allowlist: longest wait for a call's answer." group:"Rules"`
	FilterTools    bool          `help:"With --allowlist: tools/list shows the allowed tools only." group:"Rules"`

	// Base are the rules that everything else is added to; nil: the built-in
	// ones. For programs that compare rule sets.
	Base *ruleset.Set `kong:"-"`
}

// Files are the files that the rules are read from. A name may be that of a
// built-in set or profile instead.
func (f *RuleFlags) Files() []Named {
	list := []Named{{"--lock", f.Lock}, {"--policy", f.Policy}, {"--allowlist", f.Allowlist}}
	for _, m := range []struct {
		flag  string
		paths []string
	}{{"--exfil-denylist", f.ExfilDenylist}, {"--inject-phrases", f.InjectPhrases}, {"--ruleset", f.Ruleset}} {
		for _, p := range m.paths {
			list = append(list, Named{m.flag, p})
		}
	}
	return list
}

// PostureFlags decide what blocks (replay.md, "Posture").
type PostureFlags struct {
	AuditOnly            bool     `help:"Report only: nothing is blocked or changed, and findings alone never fail the run." group:"Posture"`
	NoBlockANSI          bool     `name:"no-block-ansi" help:"Control characters: report, don't strip." group:"Posture"`
	NoBlockSecretEcho    bool     `help:"Echoed secrets: report only." group:"Posture"`
	NoBlockExfilDomain   bool     `help:"Exfiltration hosts: report only." group:"Posture"`
	AllowExfilDomain     bool     `help:"Same as --no-block-exfil-domain." group:"Posture"`
	NoBlockExfilIP       bool     `name:"no-block-exfil-ip-literal" help:"Private address literals: report only." group:"Posture"`
	NoBlockListChanged   bool     `help:"Drift of the tool surface: report only." group:"Posture"`
	NoBlockPolicy        bool     `help:"Argument policy: report only." group:"Posture"`
	NoBlockAllowlist     bool     `help:"Allow-list: report only." group:"Posture"`
	NoBlockProfile       bool     `help:"Profiles: report only." group:"Posture"`
	NoBlockDeterministic bool     `help:"All of the --no-block flags." group:"Posture"`
	RedactSecretEcho     bool     `help:"Echoed secrets: replace them in place instead of refusing the result." group:"Posture"`
	BlockInjectPhrase    bool     `help:"Injection phrases block too." group:"Posture"`
	BlockInjectOnly      []string `name:"block-inject-phrase-only" placeholder:"FILE" sep:"none" help:"Only the phrases in FILE block." group:"Posture"`

	OldANSI          bool `name:"block-ansi" hidden:""`
	OldSecretEcho    bool `name:"block-secret-echo" hidden:""`
	OldExfilDomain   bool `name:"block-exfil-domain" hidden:""`
	OldListChanged   bool `name:"block-list-changed" hidden:""`
	OldPolicy        bool `name:"block-policy" hidden:""`
	OldDeterministic bool `name:"block-deterministic" hidden:""`
}

// Deprecated names the old enable flags that were given; they do nothing.
func (p *PostureFlags) Deprecated() []string {
	var names []string
	for _, f := range []struct {
		on   bool
		name string
	}{
		{p.OldANSI, "--block-ansi"}, {p.OldSecretEcho, "--block-secret-echo"}, {p.OldExfilDomain, "--block-exfil-domain"},
		{p.OldListChanged, "--block-list-changed"}, {p.OldPolicy, "--block-policy"}, {p.OldDeterministic, "--block-deterministic"},
	} {
		if f.on {
			names = append(names, f.name)
		}
	}
	return names
}

// ReadFlags bound and steer the reading of recordings.
type ReadFlags struct {
	C2S           string `name:"c2s" placeholder:"FILE" help:"Client half of a tee'd session; give --s2c too." group:"Input"`
	S2C           string `name:"s2c" placeholder:"FILE" help:"Server half of a tee'd session." group:"Input"`
	Perspective   string `enum:",client,server" default:"" help:"Whose in/out, send/recv, read/write a log means: client or server." group:"Input"`
	TZ            string `name:"tz" placeholder:"ZONE" help:"Zone of times that name none (an IANA name); UTC else." group:"Input"`
	MaxFrameBytes int    `default:"8388608" placeholder:"N" help:"Frames over this many bytes pass uninspected (${default})." group:"Input"`
	MaxInflight   int    `default:"1024" placeholder:"N" help:"Requests in flight that are remembered, per direction (${default})." group:"Input"`
	ZstdWindowLog int    `default:"27" placeholder:"N" help:"Largest zstd window, as a power of two, up to 31 (${default})." group:"Input"`
	MaxDocument   int64  `name:"max-document-bytes" default:"268435456" placeholder:"N" help:"Largest whole-document recording (${default})." group:"Input"`
	Jobs          int    `default:"0" placeholder:"N" help:"Workers; 0: one a processor. Never changes the output." group:"Input"`
}
