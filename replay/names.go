package replay

import "crypto/sha256"

// names keeps one copy of each short, often repeated name. The zero value is
// ready.
type names struct {
	all  map[string]string
	last [16]string // found without the map
}

// Bounds of what is kept.
const (
	maxNames   = 4096
	maxInterns = 256 // bytes of a name
)

// name is a bounded copy of a method's or tool's name.
func (n *names) name(b []byte) string {
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
	if len(b) == 0 || len(b) > maxInterns {
		return string(b)
	}
	at := &n.last[(len(b)+int(b[0])*5+int(b[len(b)-1])*3+int(b[len(b)/2]))%len(n.last)]
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
