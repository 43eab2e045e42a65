package report

import (
	"bytes"
	"strconv"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// path is the way from a document's root to the value at hand.
type path struct {
	steps []step
	text  []byte // memory of pointer
	name  []byte
}

// step is a container on the way, and where in it the value at hand is.
type step struct {
	array bool
	index int
	raw   []byte // of the key, as it is spelled
}

// maxKey is the length in bytes from which a key counts as none.
const maxKey = 4096

// key takes content as the key of the value that follows; false outside of
// objects.
func (p *path) key(content []byte) bool {
	n := len(p.steps)
	if n == 0 || p.steps[n-1].array {
		return false
	}
	p.steps[n-1].raw = nil
	if len(content) < maxKey {
		p.steps[n-1].raw = content
	}
	return true
}

// pointer is the JSON Pointer of the value at hand. It is good until the next
// call.
func (p *path) pointer() []byte {
	b := p.text[:0]
	for i := range p.steps {
		b = append(b, '/')
		s := &p.steps[i]
		if s.array {
			b = strconv.AppendInt(b, int64(s.index), 10)
			continue
		}
		p.name, _ = jsonrpc.Unquote(p.name[:0], s.raw)
		if bytes.IndexByte(p.name, '~') < 0 && bytes.IndexByte(p.name, '/') < 0 {
			b = append(b, p.name...)
			continue
		}
		for _, c := range p.name {
			switch c {
			case '~':
				b = append(b, '~', '0')
			case '/':
				b = append(b, '~', '1')
			default:
				b = append(b, c)
			}
		}
	}
	p.text = b
	return b
}
