package offline

import "github.com/warden-trace/warden/analyze"

// Fingerprinter makes the fingerprints of findings that no pipeline made: the
// drift between two locks, say. One for each file; its zero value is ready.
type Fingerprinter struct{ p prints }

// Of returns the finding's fingerprint (product.md). Equal findings are told
// apart by the order in which they are given.
func (f *Fingerprinter) Of(x *analyze.Finding) string { return f.p.of(x) }
