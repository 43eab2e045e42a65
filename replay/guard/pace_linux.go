package guard

import "time"

// pace knows whether the next frame of a stream is worth being waited for
// awake: frames are small and come close upon each other, and it has paid.
type pace struct {
	brisk  bool // the latest read was small, and its wait a short one
	misses int  // waits in a row in which nothing came
	rest   int  // reads for which it is not tried
	sat    int  // the latest rest, less what has paid since
}

const (
	// near is a wait for a frame after which the next one is expected soon. It
	// leaves room for a round trip in which everyone had to be woken.
	near = 2 * awake
	// Disappointments double the reads that are let pass before the next try.
	minRest, maxRest = 64, 4096
	fewMisses        = 4
)

// expects reports that the next read should wait awake.
func (p *pace) expects() bool {
	if p.rest > 0 {
		p.rest--
		return false
	}
	return p.brisk
}

// came tells of a read of n bytes and how long it took.
func (p *pace) came(n int, took time.Duration) {
	p.brisk = n <= atomicWrite && took < near
}

// paid tells that something came in time.
func (p *pace) paid() {
	p.misses, p.sat = 0, max(0, p.sat-1)
}

// missed tells that nothing did.
func (p *pace) missed() {
	if p.misses++; p.misses >= fewMisses {
		p.crowded()
	}
}

// crowded tells that the processor is wanted for other things, or waiting awake
// does not pay: it is left alone for a while.
func (p *pace) crowded() {
	p.sat = min(maxRest, max(minRest, 2*p.sat))
	p.misses, p.rest = 0, p.sat
}
