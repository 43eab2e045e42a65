package replay

import (
	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
)

// Posture says which block-tier findings change the wire (replay.md,
// "Posture"). The zero value is the default: the block tier blocks, secrets
// and exfiltration by an error, control characters by redaction.
type Posture struct {
	AuditOnly bool // nothing is blocked or changed

	NoBlockANSI        bool
	NoBlockSecretEcho  bool
	NoBlockExfilDomain bool // --allow-exfil-domain is the same
	NoBlockIPLiteral   bool
	NoBlockListChanged bool
	NoBlockPolicy      bool
	NoBlockAllowlist   bool
	NoBlockProfile     bool
	NoBlockAll         bool // --no-block-deterministic

	RedactSecretEcho  bool
	BlockInjectPhrase bool
	// BlockPhrases are the phrases that block one by one
	// (--block-inject-phrase-only), in the form of catalog.FoldPhrase.
	BlockPhrases map[string]bool
}

// mode is what a posture makes of one finding.
type mode uint8

const (
	modePass   mode = iota // forwarded: a note, or a monitor rule left alone
	modeShadow             // would act, but the posture forbids it
	modeRedact
	modeError
)

// mode decides about one finding by its rule and tier alone.
func (p *Posture) mode(f *analyze.Finding) mode {
	switch {
	case f.Rule == rulePhrase:
		if !p.BlockInjectPhrase && !p.namesPhrase(f.Matched) {
			return modePass
		}
	case f.Tier != analyze.Block:
		return modePass
	}
	if p.AuditOnly || p.optedOut(f.Rule) {
		return modeShadow
	}
	if f.Rule == ruleANSI || f.Rule == ruleSecret && p.RedactSecretEcho {
		return modeRedact
	}
	return modeError
}

func (p *Posture) namesPhrase(matched []string) bool {
	for _, m := range matched {
		if p.BlockPhrases[catalog.FoldPhrase(m)] {
			return true
		}
	}
	return false
}

// optedOut reports a --no-block flag that covers the rule. The fuzzy phrase
// tier has no opt-out: it blocks only where it was asked to.
func (p *Posture) optedOut(rule string) bool {
	if rule == rulePhrase {
		return false
	}
	if p.NoBlockAll {
		return true
	}
	switch {
	case rule == ruleANSI:
		return p.NoBlockANSI
	case rule == ruleSecret:
		return p.NoBlockSecretEcho
	case rule == ruleExfil:
		return p.NoBlockExfilDomain
	case rule == ruleIP:
		return p.NoBlockIPLiteral
	case rule == ruleDrift:
		return p.NoBlockListChanged
	case hasPrefix(rule, "POL-"):
		return p.NoBlockPolicy
	case hasPrefix(rule, "GWH-"):
		return p.NoBlockAllowlist
	case hasPrefix(rule, "OCU-"), hasPrefix(rule, "EXEC-"):
		return p.NoBlockProfile
	}
	return false
}

func hasPrefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }

// Ids of the rules that the machine itself speaks of.
const (
	ruleANSI       = "WRD-RES-ANSI"
	ruleSecret     = "WRD-RES-SECRET-ECHO"
	ruleExfil      = "WRD-RES-EXFIL-DOMAIN"
	ruleIP         = "WRD-RES-EXFIL-IP-LITERAL"
	rulePhrase     = "WRD-RES-INJECT-PHRASE"
	ruleFrameError = "WRD-RES-FRAME-ERROR"
	ruleDrift      = "MCP-DRIFT"
)
