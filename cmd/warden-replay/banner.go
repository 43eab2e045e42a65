package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/warden-trace/warden/replay"
)

// banner says what this session is guarded by: what blocks, what only watches,
// what is off. It is made of the resolved configuration alone: no command, no
// path of the server (replay.md, "Live guard").
func banner(w io.Writer, cfg *replay.Config, c *guardCmd) {
	p := &cfg.Posture
	var blocks, monitor, inactive []string
	put := func(name string, armed, off bool, why string) {
		switch {
		case !armed:
			inactive = append(inactive, name+" ("+why+")")
		case off || p.NoBlockAll || p.AuditOnly:
			monitor = append(monitor, name)
		default:
			blocks = append(blocks, name)
		}
	}
	put("control characters", true, p.NoBlockANSI, "")
	put("echoed secrets", true, p.NoBlockSecretEcho, "")
	put("exfiltration hosts", true, p.NoBlockExfilDomain, "")
	put("private addresses", true, p.NoBlockIPLiteral, "")
	put("tool list drift", cfg.Lock != nil, p.NoBlockListChanged, "no --lock")
	put("argument policy", cfg.Policy != nil, p.NoBlockPolicy, "no --policy")
	put("call allow-list", cfg.Allow != nil, p.NoBlockAllowlist, "no --allowlist")
	put("profile", len(cfg.Profiles) > 0, p.NoBlockProfile, "no --profile")
	if p.BlockInjectPhrase || len(p.BlockPhrases) > 0 {
		put("injection phrases", true, false, "")
	} else {
		monitor = append(monitor, "injection phrases")
	}
	fmt.Fprintf(w, "%s: guarding this session\n", name)
	for _, l := range []struct {
		what string
		list []string
	}{{"BLOCKS", blocks}, {"MONITOR", monitor}, {"INACTIVE", inactive}} {
		if len(l.list) > 0 {
			fmt.Fprintf(w, "  %-8s %s\n", l.what, strings.Join(l.list, ", "))
		}
	}
	switch {
	case p.AuditOnly:
		fmt.Fprintln(w, "  --audit-only: nothing is blocked or changed")
	case c.Strict:
		fmt.Fprintln(w, "  --strict: an inspection that can't complete ends the session")
	}
}
