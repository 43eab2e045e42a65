package guard

import (
	"errors"
	"io"
)

// ErrOverCap is what Messages.Next returns for a message over the cap; the
// stream goes on behind it.
var ErrOverCap = errors.New("a message over the frame cap was passed over")

// Messages reads the framed messages of a stream, in whichever framing it turns
// out to have, as guard does.
type Messages struct{ f *framer }

// NewMessages returns the messages of r, of at most max bytes each.
func NewMessages(r io.Reader, max int) *Messages {
	return &Messages{newFramer(r, Undecided, max)}
}

// Next returns the next message, which is the caller's, with outer white space
// cut, and skips empty ones. io.EOF at the end of the stream, inside a message
// too; ErrOverCap in the place of a message over the cap.
func (m *Messages) Next() ([]byte, error) {
	for {
		u, big, err := m.f.next()
		switch {
		case errors.Is(err, errPartial):
			return nil, io.EOF
		case err != nil:
			return nil, err
		case big != nil:
			for last := false; !last; {
				if _, last, err = big.piece(); err != nil {
					return nil, io.EOF
				}
			}
			return nil, ErrOverCap
		}
		if body := trim(u.body); len(body) > 0 {
			return append([]byte(nil), body...), nil
		}
	}
}

// Framing is the framing of the stream: Undecided before its first message.
func (m *Messages) Framing() Framing { return m.f.framing }

// EndServer tells the server that nothing more comes: what waits for it is
// written, then its stream is closed. It returns when that is done.
func (p *Proxy) EndServer() {
	p.toServer.close()
	<-p.toServer.done
	if c, ok := p.toServer.w.(io.Closer); ok {
		c.Close()
	}
}
