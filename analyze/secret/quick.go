package secret

// quick says of a short text, in one look at each byte, whether any pattern's
// keyword could be in it: a bitmap over hashes of three bytes in lower case.
// Names, messages and pointers go through Scrub by the hundred thousand, and
// hardly any holds a keyword.
type quick struct {
	bits [1 << 12 / 64]uint64
	all  bool // a keyword is too short for it: everything could match
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func (q *quick) add(keyword []byte) {
	if len(keyword) < 3 {
		q.all = true
		return
	}
	h := hash3(lower(keyword[0]), lower(keyword[1]), lower(keyword[2]))
	q.bits[h>>6] |= 1 << (h & 63)
}

func hash3(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> 20
}

// may reports whether a keyword could be in s.
func (q *quick) may(s string) bool {
	if q.all {
		return true
	}
	if len(s) < 3 {
		return false
	}
	a, b := lower(s[0]), lower(s[1])
	for i := 2; i < len(s); i++ {
		c := lower(s[i])
		if h := hash3(a, b, c); q.bits[h>>6]>>(h&63)&1 != 0 {
			return true
		}
		a, b = b, c
	}
	return false
}
