package profile

import (
	"strconv"

	"github.com/warden-trace/warden/analyze"
)

// RuleIDs lists every rule of both profiles. Their texts are in the rule set's
// profile.yaml.
func RuleIDs() []string {
	return []string{
		"OCU-BASE", "OCU-BATCH", "OCU-METHOD", "OCU-TOOLS-CHANGED", "OCU-LIST-CHANGED",
		"OCU-PROTOCOL-VERSION", "OCU-CAPABILITIES", "OCU-SERVER-INFO", "OCU-INSTRUCTIONS",
		"OCU-ERROR-CODE", "OCU-ERROR-SHAPE", "OCU-ERROR-MESSAGE", "OCU-ERROR-DATA", "OCU-ERROR-LEAK",
		"OCU-TOOL-NAME", "OCU-TOOL-DESCRIPTION", "OCU-TOOL-INPUT-SCHEMA", "OCU-TOOL-ANNOTATIONS",
		"OCU-ARGUMENTS-SIZE", "OCU-RESULT-CONTENT", "OCU-RESULT-SIZE", "OCU-CONTENT-BLOCKS",
		"OCU-CONTENT-TYPE", "OCU-IS-ERROR", "OCU-STRUCTURED-CONTENT", "OCU-SEQUENTIAL",
		"OCU-HTTP-VERSION-HEADER", "OCU-HTTP-TOKEN-IN-QUERY", "OCU-HTTP-AUDIENCE", "OCU-HTTP-ORIGIN",
		"OCU-HTTP-401-CHALLENGE",
		"EXEC-SCHEMA", "EXEC-HANDSHAKE", "EXEC-CAPABILITIES", "EXEC-ANSWER", "EXEC-TIMEOUT",
		"EXEC-ANNOUNCE", "EXEC-BUFFER", "EXEC-AFTER-EOF", "EXEC-DETACH", "EXEC-TRACE",
		"EXEC-AFTER-EXIT", "EXEC-SECRET", "EXEC-COMPRESSED",
	}
}

// grade is a rule's fixed tier and severity (policy.md, "Tier and severity").
func grade(rule string) (analyze.Tier, analyze.Severity) {
	switch rule {
	case "OCU-SEQUENTIAL", "OCU-TOOL-ANNOTATIONS", "EXEC-COMPRESSED":
		return analyze.Note, analyze.Low
	case "OCU-ERROR-LEAK":
		return analyze.Monitor, analyze.Medium
	case "EXEC-SECRET":
		return analyze.Block, analyze.High
	}
	return analyze.Block, analyze.Medium
}

func newFinding(rule, pointer, message string) analyze.Finding {
	tier, sev := grade(rule)
	return analyze.Finding{Rule: rule, Tier: tier, Severity: sev, Block: -1, Pointer: cutPointer(pointer), Message: message}
}

// maxPointer bounds a pointer built from a frame's own keys, as the message
// reader does.
const maxPointer = 4096

func cutPointer(p string) string {
	if len(p) <= maxPointer {
		return p
	}
	p = p[:maxPointer]
	for len(p) > 0 && p[len(p)-1]&0xc0 == 0x80 {
		p = p[:len(p)-1]
	}
	if n := len(p); n > 0 && p[n-1] >= 0xc0 {
		p = p[:n-1]
	}
	return p
}

// bytesOver words a size that is over its limit.
func bytesOver(what string, got, limit int64) string {
	return what + " has " + strconv.FormatInt(got, 10) + " bytes, over the limit of " + strconv.FormatInt(limit, 10)
}
