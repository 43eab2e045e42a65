package offline

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/secret"
)

// prints makes the fingerprints of one trace file: 128 bits of SHA-256 over
// what makes a finding itself and survives a new recording, and which repeat of
// that it is within the file (product.md).
type prints struct {
	seen map[[16]byte]uint32
}

// judged reports a rule about a call's arguments: what it matched is the path, the
// host, the word or the keyword that its message names. Who accepts a call that
// writes one file has not accepted all others.
func judged(rule string) bool {
	return strings.HasPrefix(rule, "POL-") || strings.HasPrefix(rule, "GWH-")
}

// maxPrints bounds the distinct findings whose repeats are told apart; beyond
// it the repeats of new ones count together. A trace of that many different
// findings is not triaged one by one.
const maxPrints = 1 << 20

func (p *prints) of(f *analyze.Finding) string {
	h := sha256.New()
	part := func(s string) {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	part("wardenFingerprint/v1")
	part(f.Rule)
	part(f.SubRule)
	part(secret.Scrub(f.Method))
	part(secret.Scrub(f.Tool)) // an id must not tell a secret that stands for a name
	part(f.Pointer)
	if f.SubRule != "" {
		part(f.Snippet) // a secret's redaction form
	}
	for _, m := range f.Matched {
		part(m)
	}
	if judged(f.Rule) {
		part(f.Message)
	}
	var base [16]byte
	copy(base[:], h.Sum(nil))
	if p.seen == nil {
		p.seen = make(map[[16]byte]uint32)
	}
	slot := base
	if _, ok := p.seen[base]; !ok && len(p.seen) >= maxPrints {
		slot = [16]byte{}
	}
	n := p.seen[slot]
	p.seen[slot] = n + 1
	var repeat [4]byte
	binary.BigEndian.PutUint32(repeat[:], n)
	h.Write(repeat[:])
	return hex.EncodeToString(h.Sum(nil)[:16])
}
