package formats

import (
	"bytes"
	"fmt"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// keepLimit is the most that a skim keeps of one member beside the frame.
const keepLimit = 64 << 10

// skim reads a line that is too long to hold, piece by piece: it tells the
// envelope's own members from the frame inside, which goes to a Skimmer of its
// own, since a line may turn out to be a bare frame only at its last byte.
type skim struct {
	d     *lineDecoder
	dir   analyze.Direction // a go-sdk line says it in front
	start bool              // the first byte of the value was seen
	first byte
	whole jsonrpc.Skimmer // the line as a bare frame
	frame jsonrpc.Skimmer // the value of `frame` or one of its aliases

	depth  int64
	str    bool // inside a string
	esc    bool // a backslash came last
	value  bool // at depth 1: behind the colon
	word   []byte
	k      key
	inside bool // bytes of the value go to frame
	done   bool // frame has one
	body   int64
	e      envelope
	sizes  [keyCount]int64
}

func newSkim(d *lineDecoder) *skim { return &skim{d: d} }

func (k *skim) write(b []byte) {
	if !k.start {
		if k.d.form == formSDK {
			if n, dir := sdkPrefix(b, k.d.out); n > 0 {
				b, k.dir = b[n:], dir
			}
		}
		for len(b) > 0 && isSpace(b[0]) {
			b = b[1:]
		}
		if len(b) == 0 {
			return
		}
		k.start, k.first = true, b[0]
	}
	k.whole.Write(b)
	if k.first != '{' {
		return
	}
	for i := 0; i < len(b); {
		i = k.step(b, i)
	}
}

// step takes b[i] and what follows alike, and returns where to go on.
func (k *skim) step(b []byte, i int) int {
	if k.str {
		from := i
		for i < len(b) {
			if k.esc {
				k.esc = false
				i++
				continue
			}
			n := i
			for n < len(b) && b[n] != '"' && b[n] != '\\' {
				n++
			}
			i = n
			if i == len(b) {
				break
			}
			i++
			if b[i-1] == '"' {
				k.str = false
				break
			}
			k.esc = true
		}
		k.keep(b[from:i])
		return i
	}
	c := b[i]
	switch {
	case c == '"':
		k.str = true
	case c == '{' || c == '[':
		k.depth++
		if k.depth == 1 {
			return i + 1
		}
		if k.depth == 2 && k.value && c == '{' && (k.k == keyFrame || k.k == keyAlias) && !k.done {
			k.inside = true
		}
	case c == '}' || c == ']':
		k.depth--
		if k.depth <= 0 {
			k.member()
			return i + 1
		}
	case k.depth == 1 && c == ':' && !k.value:
		if name := content(k.word); name != nil {
			name, _ = jsonrpc.Unquote(nil, name)
			if k.d.form == formSnoop {
				k.k = snoopKey(name)
			} else {
				k.k = envelopeKey(name)
			}
		}
		k.value, k.word, k.body = true, k.word[:0], 0
		return i + 1
	case k.depth == 1 && c == ',':
		k.member()
		return i + 1
	case k.depth == 1 && isSpace(c):
		return i + 1
	}
	k.keep(b[i : i+1])
	if k.inside && k.depth == 1 {
		k.inside, k.done = false, true
	}
	return i + 1
}

// keep notes bytes of the key or value in hand.
func (k *skim) keep(b []byte) {
	k.body += int64(len(b))
	if k.inside {
		k.frame.Write(b)
		return
	}
	if len(k.word)+len(b) <= keepLimit && (!k.value || k.k != keyNone) {
		k.word = append(k.word, b...)
	}
}

// member ends a member of the envelope.
func (k *skim) member() {
	if k.value && k.k != keyNone {
		k.sizes[k.k] = k.body
		if int64(len(k.word)) == k.body {
			k.e.put(k.k, bytes.Clone(k.word), 0)
		} else {
			k.e.seen |= 1 << k.k // known by name, too long to keep
			k.e.val[k.k] = nil
		}
	}
	k.value, k.k, k.word, k.body = false, keyNone, k.word[:0], 0
}

// record says what the line was.
func (k *skim) record(line, off int64) *Record {
	r := &Record{Kind: KindOverCap, Line: line, Offset: off, Seq: -1, Dir: k.d.o.Dir, Flags: Truncated}
	if k.dir != analyze.Unknown {
		r.Dir = k.dir
	}
	bare := k.first != '{' || k.e.has(keyVersion) || !k.e.isEnvelope() && !k.done
	if k.d.form == formSnoop {
		bare = k.e.has(keyVersion)
	}
	captured := k.d.o.Dir != analyze.Unknown || k.d.tee
	switch {
	case !captured && !opensValue(k.first):
		r.Kind, r.Err = KindBad, fmt.Sprintf("a line of %d bytes that is not JSON", k.whole.Size)
		r.Flags = 0
		return r
	case !captured && k.first == '{' && k.depth != 0:
		r.Kind, r.Err = KindBad, fmt.Sprintf("a line of %d bytes that ends inside a JSON value", k.whole.Size)
		r.Flags = 0
		return r
	case bare:
		s := k.whole
		r.Skim, r.Size = &s, s.Size
		return r
	}
	k.d.fill(r, &k.e)
	if k.d.form == formSnoop {
		r.Session = k.d.snoop.joined(k.e.get(keySession), k.e.get(keyConn))
	}
	s := k.frame
	if !k.done {
		for _, f := range []key{keyFrame, keyRawB64, keyText, keyBinaryB64, keyAlias, keyMeta} {
			if k.e.has(f) {
				s.Size = k.sizes[f]
				if f == keyRawB64 || f == keyBinaryB64 {
					s.Size = s.Size / 4 * 3
				}
				break
			}
		}
	}
	r.Skim, r.Size = &s, s.Size
	r.Flags |= Truncated
	return r
}
