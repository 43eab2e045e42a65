package jsonrpc

import "bytes"

// skimLimit is the most that Skimmer keeps of one value.
const skimLimit = 64 << 10

// skimKey is the most raw bytes of a key that can be one of ours: all of its
// letters as escapes, and some more.
const skimKey = 64

// Skimmer reads a frame that is too large to hold, piece by piece in bounded
// memory, and remembers what the session machine must know of it: the
// top-level id, method and params.name (each at most 64 KiB), and whether it
// has a result or an error (replay.md, "Over-cap frames"). For one JSON object,
// cut anywhere, it gives what Parser gives; a value over the limit is nil
// although Has has it. The zero value is ready. Outside of JSON it only
// promises to stop nowhere.
type Skimmer struct {
	ID     []byte // raw token
	Method []byte // decoded
	Name   []byte // decoded
	// Has has HasJSONRPC, HasID, HasMethod, HasParams, HasResult, HasError,
	// HasName, Repeated (of those, exactly spelt), BadID and HadBOM.
	Has  Has
	Size int64 // bytes so far

	state   skimState
	params  bool // the object whose members are read is params
	key     member
	seen    [2]uint32 // members seen in the frame and in params
	deep    int64     // open containers below that object
	quoted  bool      // in a string down there
	escape  bool      // a backslash came last, in a string
	capture bool      // the value in hand is kept
	over    bool      // it is too long
	tok     []byte    // what is kept of the key or value in hand
	bom     int       // bytes of a byte-order mark so far
}

type skimState uint8

const (
	skimStart  skimState = iota // before the object
	skimKeyPos                  // where a key may begin, at a depth that matters
	skimInKey
	skimColon
	skimValue  // before a value of a key that matters
	skimString // in a string
	skimScalar // in a literal or number
	skimAfter  // after a value at a depth that matters
	skimDeep   // in a container that does not matter
	skimEnd    // after the object, or where nothing can be said
)

// Reset makes s ready for another frame.
func (s *Skimmer) Reset() { *s = Skimmer{tok: s.tok[:0]} }

// Write reads the next piece. It keeps nothing of b, and always takes all.
func (s *Skimmer) Write(b []byte) (int, error) {
	n := len(b)
	s.Size += int64(n)
	for len(b) > 0 && s.state != skimEnd {
		b = b[s.step(b):]
	}
	return n, nil
}

// step reads at least one byte of b, or changes the state, and returns how many
// it has read.
func (s *Skimmer) step(b []byte) int {
	switch s.state {
	case skimInKey, skimString:
		return s.inString(b)
	case skimScalar:
		return s.inScalar(b)
	case skimDeep:
		return s.inDeep(b)
	}
	c := b[0]
	if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
		return 1
	}
	switch s.state {
	case skimStart:
		if s.Has&HadBOM == 0 && c == utf8BOM[s.bom] {
			if s.bom++; s.bom == len(utf8BOM) {
				s.Has |= HadBOM
			}
			return 1
		}
		s.state = skimEnd
		if c == '{' {
			s.state = skimKeyPos
		}
	case skimKeyPos:
		switch c {
		case '"':
			s.state, s.tok, s.over = skimInKey, s.tok[:0], false
		case '}':
			s.close()
		default:
			s.state = skimEnd
		}
	case skimColon:
		s.state = skimEnd
		if c == ':' {
			s.state = skimValue
		}
	case skimValue:
		s.begin(c)
		if s.state == skimScalar {
			return 0
		}
	case skimAfter:
		switch c {
		case ',':
			s.state = skimKeyPos
		case '}':
			s.close()
		default:
			s.state = skimEnd
		}
	}
	return 1
}

// close leaves the frame or its params.
func (s *Skimmer) close() {
	s.state = skimEnd
	if s.params {
		s.state, s.params = skimAfter, false
	}
}

// begin starts a value with its first byte.
func (s *Skimmer) begin(c byte) {
	s.capture = s.note(c)
	s.tok, s.over = append(s.tok[:0], c), false
	switch c {
	case '"':
		s.state, s.escape = skimString, false
	case '{', '[':
		if c == '{' && !s.params && s.key == frameParams {
			s.state, s.params = skimKeyPos, true
			s.seen[1] = 0
			return
		}
		s.state, s.deep, s.quoted = skimDeep, 1, false
	default:
		s.state = skimScalar
		s.tok = s.tok[:0]
	}
}

// note takes note of the member whose value begins with c, and says whether
// the value is to be kept.
func (s *Skimmer) note(c byte) bool {
	if s.key == 0 {
		return false
	}
	at := 0
	if s.params {
		at = 1
	}
	if s.seen[at]>>s.key&1 != 0 {
		s.Has |= Repeated
	}
	s.seen[at] |= 1 << s.key
	if s.params {
		if s.key != paramsName {
			return false
		}
		s.Has |= HasName
		s.Name = nil
		return c == '"'
	}
	switch s.key {
	case frameJSONRPC:
		s.Has |= HasJSONRPC
	case frameID:
		s.Has = s.Has&^BadID | HasID
		if c != '"' && c != '-' && c != 'n' && (c < '0' || c > '9') {
			s.Has |= BadID
		}
		s.ID = nil
		return true
	case frameMethod:
		s.Has |= HasMethod
		s.Method = nil
		return c == '"'
	case frameParams:
		s.Has = s.Has&^HasName | HasParams
		s.Name = nil
	case frameResult:
		s.Has |= HasResult
	case frameError:
		s.Has |= HasError
	}
	return false
}

// inString goes on in a key or a string, up to its end if b has it.
func (s *Skimmer) inString(b []byte) int {
	for i := 0; i < len(b); i++ {
		if s.escape {
			s.escape = false
			continue
		}
		switch b[i] {
		case '\\':
			s.escape = true
		case '"':
			s.hold(b[:i])
			if s.state == skimInKey {
				s.endKey()
			} else {
				s.hold(b[i : i+1])
				s.endValue()
			}
			return i + 1
		}
	}
	s.hold(b)
	return len(b)
}

// hold keeps what belongs to the token in hand, within its bound.
func (s *Skimmer) hold(b []byte) {
	limit := skimLimit
	if s.state == skimInKey {
		limit = skimKey
	} else if !s.capture {
		return
	}
	if s.over || len(s.tok)+len(b) > limit {
		s.over = true
		return
	}
	s.tok = append(s.tok, b...)
}

func (s *Skimmer) endKey() {
	s.key = 0
	s.state = skimColon
	if s.over {
		return
	}
	k := s.tok
	if bytes.IndexByte(k, '\\') >= 0 {
		k, _ = Unquote(nil, k)
	}
	lv := inFrame
	if s.params {
		lv = inParams
	}
	if id, exact := classify(lv, k); exact {
		s.key = id
	}
}

// endValue keeps the value that has ended.
func (s *Skimmer) endValue() {
	s.state = skimAfter
	if !s.capture || s.over {
		return
	}
	switch {
	case s.params:
		s.Name, _ = Unquote([]byte{}, s.tok[1:len(s.tok)-1])
	case s.key == frameID:
		s.ID = bytes.Clone(s.tok)
	default:
		s.Method, _ = Unquote([]byte{}, s.tok[1:len(s.tok)-1])
	}
}

func (s *Skimmer) inScalar(b []byte) int {
	i := 0
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] > ' ' {
		i++
	}
	s.hold(b[:i])
	if i < len(b) {
		s.endValue()
	}
	return i
}

// inDeep goes on in a container that does not matter, up to its end if b has
// it. Only its depth is counted, so that memory stays bounded.
func (s *Skimmer) inDeep(b []byte) int {
	for i, c := range b {
		switch {
		case s.escape:
			s.escape = false
		case s.quoted:
			switch c {
			case '\\':
				s.escape = true
			case '"':
				s.quoted = false
			}
		case c == '"':
			s.quoted = true
		case c == '{' || c == '[':
			s.deep++
		case c == '}' || c == ']':
			if s.deep--; s.deep == 0 {
				s.hold(b[:i+1])
				s.endValue()
				return i + 1
			}
		}
	}
	s.hold(b)
	return len(b)
}
