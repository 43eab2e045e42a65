package verify

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

// peer is one side of a guarded session: what it writes, and a reader that
// checks what it gets against what it must get, as it comes. So nothing large
// is held, whatever the guard sends.
type peer struct {
	in  *os.File // written by the peer
	out *os.File // read by the peer

	mu    sync.Mutex
	want  [][]byte // pieces of what must come
	piece []byte   // what is left of the first
	done  int64    // bytes of the message in hand that came right
	extra []byte   // the beginning of what came instead, or too much
	wrong bool
	moved chan struct{}
	end   chan struct{}
}

// shownExtra is how much is kept of what must not have come.
const shownExtra = 4096

func (p *peer) start(in, out *os.File) {
	p.in, p.out, p.moved, p.end = in, out, make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(p.end)
		buf := make([]byte, 64<<10)
		for {
			n, err := p.out.Read(buf)
			if n > 0 {
				p.take(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
}

func (p *peer) take(b []byte) {
	p.mu.Lock()
	for len(b) > 0 && !p.wrong {
		if len(p.piece) == 0 {
			if len(p.want) == 0 {
				p.wrong = true
				break
			}
			p.piece, p.want = p.want[0], p.want[1:]
			continue
		}
		n := min(len(b), len(p.piece))
		if !bytes.Equal(b[:n], p.piece[:n]) {
			p.wrong = true
			break
		}
		b, p.piece = b[n:], p.piece[n:]
		p.done += int64(n)
	}
	if p.wrong {
		p.extra = append(p.extra, b[:min(len(b), shownExtra-len(p.extra))]...)
	}
	p.mu.Unlock()
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

// arm says what must come next.
func (p *peer) arm(pieces [][]byte) {
	p.mu.Lock()
	p.want, p.done = pieces, 0
	p.mu.Unlock()
}

// state reports whether all has come, and whether something else has.
func (p *peer) state() (all, wrong bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.piece) == 0 && len(p.want) == 0, p.wrong
}

// sides describes what should have come and what came, from where they part.
func (p *peer) sides() (want, got string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := p.piece
	if len(rest) == 0 && len(p.want) > 0 {
		rest = p.want[0]
	}
	at := ""
	if p.done > 0 {
		at = fmt.Sprintf("after %d bytes that are the same: ", p.done)
	}
	return at + show(rest), at + show(p.extra)
}
