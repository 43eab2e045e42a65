package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/replay"
	"github.com/warden-trace/warden/replay/guard"
)

// banner says what this session is guarded by: what blocks, what only watches,
// what is off. It is made of the resolved configuration alone: no command, no
// path of the server (replay.md, "Live guard").
func banner(w io.Writer, cfg *replay.Config, c *guardCmd) {
	p := &cfg.Posture
	var blocks, monitor, inactive []string
	put := func(name, how string, armed, off bool, without string) {
		switch {
		case !armed:
			inactive = append(inactive, name+" ("+without+")")
		case off || p.NoBlockAll || p.AuditOnly:
			monitor = append(monitor, name)
		default:
			blocks = append(blocks, name+how)
		}
	}
	secrets := ""
	if p.RedactSecretEcho {
		secrets = " (redacted)"
	}
	var profiles []string
	for _, p := range cfg.Profiles {
		profiles = append(profiles, p.Name())
	}
	put("control characters", " (stripped)", true, p.NoBlockANSI, "")
	put("echoed secrets", secrets, true, p.NoBlockSecretEcho, "")
	put("exfiltration hosts", "", true, p.NoBlockExfilDomain, "")
	put("private addresses", "", true, p.NoBlockIPLiteral, "")
	put("tool list drift", "", cfg.Lock != nil, p.NoBlockListChanged, "no --lock")
	put("argument policy", "", cfg.Policy != nil, p.NoBlockPolicy, "no --policy")
	put("call allow-list", "", cfg.Allow != nil, p.NoBlockAllowlist, "no --allowlist")
	put(strings.TrimSpace("conformance profile "+strings.Join(profiles, ", ")), "", len(profiles) > 0, p.NoBlockProfile, "no --profile")
	switch {
	case p.AuditOnly || !p.BlockInjectPhrase && len(p.BlockPhrases) == 0:
		monitor = append(monitor, "injection phrases")
	case p.BlockInjectPhrase:
		blocks = append(blocks, "injection phrases")
	default:
		blocks = append(blocks, "the injection phrases named")
		monitor = append(monitor, "other injection phrases")
	}
	if cfg.Coverage == analyze.Full {
		monitor = append(monitor, "hidden text", "ambiguous frames")
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s: guarding this session\n", name)
	for _, l := range []struct {
		what string
		list []string
	}{{"BLOCKS", blocks}, {"MONITOR", monitor}, {"INACTIVE", inactive}} {
		if len(l.list) > 0 {
			fmt.Fprintf(&b, "  %-8s %s\n", l.what, strings.Join(l.list, ", "))
		}
	}
	for _, n := range c.Ruleset {
		if _, ok := ruleset.Named(n); ok {
			fmt.Fprintf(&b, "  --ruleset %s: this built-in set finds less than the default\n", n)
		}
	}
	if c.sink() && !c.NoFindings && !c.Verbose {
		b.WriteString("  findings go to the report and not here; -v shows them here too\n")
	}
	if p.AuditOnly {
		b.WriteString("  --audit-only: nothing is blocked or changed\n")
	}
	if c.Strict {
		b.WriteString("  --strict: an inspection that can't complete ends the session\n")
	}
	switch guard.StrictCap(c.StrictFrameCap) {
	case guard.CapServer:
		b.WriteString("  --strict-frame-cap: a server's frame over the cap ends the session\n")
	case guard.CapBoth:
		b.WriteString("  --strict-frame-cap=both: a frame over the cap ends the session\n")
	}
	io.WriteString(w, b.String())
}
