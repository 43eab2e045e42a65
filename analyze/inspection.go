package analyze

// Charset is what code points a tool's output may hold
// (lock.md, `expected_output_charset`).
type Charset uint8

// Charsets. Text is the strict default.
const (
	CharsetText     Charset = iota // catalog.md's allowed set
	CharsetExtended                // C1 and U+2028/9 allowed too
	CharsetBinary                  // WRD-RES-ANSI is off for the tool
)

// Inspection is the per-tool precision that a lock gives the catalog. The zero
// value is the strictest.
type Inspection struct {
	Charset       Charset
	MayReturnURLs bool
	SecretsOff    bool // secret_echo_applies: false
	// Invalid has one message for each bad value in the lock: a
	// WRD-RES-LOCK-INVALID note on each result of the tool.
	Invalid []string
}
