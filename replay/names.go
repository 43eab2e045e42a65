package replay

import (
	"crypto/sha256"

	"github.com/warden-trace/warden/analyze/recent"
)

// names keeps one copy of each short, often repeated name. The zero value is
// ready.
type names struct {
	all  map[string]string
	last [1 << 5]string // found without the map
}

// Bounds of what is kept.
const (
	maxNames   = 4096
	maxInterns = 256 // bytes of a name
)

// bounded is a copy of a method's or tool's name, of a long one its beginning
// and a digest.
func bounded(b []byte) string {
	if len(b) > maxKeptName {
		h := sha256.Sum256(b)
		const hexDigits = "0123456789abcdef"
		s := append([]byte(nil), b[:maxKeptName]...)
		s = append(s, "…#"...)
		for _, x := range h[:8] {
			s = append(s, hexDigits[x>>4], hexDigits[x&15])
		}
		return string(s)
	}
	return string(b)
}

// name is bounded, with one copy of short names.
func (n *names) name(b []byte) string {
	if len(b) == 0 || len(b) > maxInterns {
		return bounded(b)
	}
	at := &n.last[recent.Slot(b, 5)]
	if *at == string(b) {
		return *at
	}
	s, ok := n.all[string(b)]
	if !ok {
		if s = string(b); len(n.all) < maxNames {
			if n.all == nil {
				n.all = make(map[string]string)
			}
			n.all[s] = s
		}
	}
	*at = s
	return s
}
