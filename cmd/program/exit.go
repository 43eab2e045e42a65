package program

// Outcome is what a finished run says about its exit code.
type Outcome struct {
	Found       bool // something at or above --fail-on
	Failed      bool // unreadable input, unparseable lines that nobody allowed, a report not written
	AuditOnly   bool
	Interrupted bool
}

// ExitCode maps an outcome as product.md has it: an error beats a finding,
// --audit-only hides findings and never errors, and an interrupt is told apart
// from both, because what was read is not all there was.
func (o Outcome) ExitCode() int {
	switch {
	case o.Interrupted:
		return ExitInterrupt
	case o.Failed:
		return ExitError
	case o.Found && !o.AuditOnly:
		return ExitFindings
	}
	return ExitClean
}

// Worse joins the exit codes of two parts of a run: an interrupt first, then
// an error, then a finding.
func Worse(a, b int) int {
	for _, code := range [...]int{ExitInterrupt, ExitError, ExitAborted, ExitFindings} {
		if a == code || b == code {
			return code
		}
	}
	return max(a, b)
}
