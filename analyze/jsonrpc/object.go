package jsonrpc

// walker is what Parser keeps while it walks one message.
type walker struct {
	m     *Message
	base  int  // offset in buf of the message's first byte
	text  Text // what the next string is: all but its offsets
	plain bool // every block of the content in hand is a type "text" and a text
	stack []uint64
	mem   []byte   // decoded keys of the open objects
	open  [5]state // the open objects whose keys matter, by depth

	tasksAny  bool // some occurrence of method begins with notifications/tasks
	tasksLast bool // the last one of the exact key does
	ofParams  []span
	ambParams Has // Repeated, if it was found under params.result
}

// state is what is known of one open object whose keys matter.
type state struct {
	level level
	seen  uint32   // members seen with their exact key
	last  [16]span // by member: where the texts and notes of its last occurrence are
	keys  keySet
}

// span is a range of a message's texts and one of its notes.
type span struct{ text, textEnd, note, noteEnd int32 }

func (p *Parser) begin(depth int, lv level) *state {
	s := &p.open[depth]
	s.level, s.seen = lv, 0
	s.keys.reset()
	return s
}

// field reads up to the value of an object's next member. more is false at the
// object's end; v is then the offset after it.
func (p *Parser) field(i int, first bool) (k []byte, v int, more, ok bool) {
	i = p.space(i)
	if i >= p.lim {
		return nil, i, false, false
	}
	c := p.buf[i]
	if c == '}' {
		return nil, i + 1, false, true
	}
	if !first {
		if c != ',' {
			return nil, i, false, false
		}
		if i = p.space(i + 1); i >= p.lim {
			return nil, i, false, false
		}
		c = p.buf[i]
	}
	if c != '"' {
		return nil, i, false, false
	}
	b, esc, ok := p.str(i)
	if !ok {
		return nil, i, false, false
	}
	k = p.buf[i+1 : b]
	if esc {
		n := len(p.mem)
		p.mem, _ = Unquote(p.mem, k)
		k = p.mem[n:len(p.mem):len(p.mem)]
	}
	i = p.space(b + 1)
	if i >= p.lim || p.buf[i] != ':' {
		return nil, i, false, false
	}
	return k, p.space(i + 1), true, true
}

// enter takes note of a key, before its value is read. It returns what to hand
// to leave afterwards.
func (p *Parser) enter(s *state, k []byte) (id member, exact bool, f field) {
	id, exact = classify(s.level, k)
	f.span = p.mark()
	f.shadowed = p.text.Shadowed
	switch {
	case id == 0:
		if s.keys.add(k) {
			p.amb |= Repeated
		}
	case !exact:
		p.amb |= Repeated
		p.text.Shadowed = true
	case s.seen>>id&1 != 0:
		p.amb |= Repeated
		p.shadow(s.last[id])
	default:
		s.seen |= 1 << id
	}
	return id, exact, f
}

// field is one member of an object that is being read.
type field struct {
	span     span
	shadowed bool
}

func (p *Parser) leave(s *state, id member, exact bool, f field) {
	p.text.Shadowed = f.shadowed
	if exact && id != 0 {
		p.upTo(&f.span)
		s.last[id] = f.span
	}
}

func (p *Parser) mark() span {
	return span{text: int32(len(p.m.Texts)), note: int32(len(p.m.Notes))}
}

func (p *Parser) upTo(s *span) {
	s.textEnd, s.noteEnd = int32(len(p.m.Texts)), int32(len(p.m.Notes))
}

// shadow marks what stands under an earlier occurrence. Each level does it at
// most once for a text, so it stays linear.
func (p *Parser) shadow(s span) {
	texts := p.m.Texts[s.text:s.textEnd]
	for i := range texts {
		texts[i].Shadowed = true
	}
	notes := p.m.Notes[s.note:s.noteEnd]
	for i := range notes {
		notes[i].Shadowed = true
	}
}

// take adds the string buf[a:b] to the message's texts.
func (p *Parser) take(a, b int, escaped bool, role Role) {
	t := p.text
	t.Start, t.End = int32(a-p.base), int32(b-p.base)
	t.Escaped, t.Role = escaped, role
	p.m.Texts = append(p.m.Texts, t)
}

func (p *Parser) note(why Why) {
	p.m.Notes = append(p.m.Notes, BlockNote{Block: p.text.Block, Why: why, Nested: p.text.Nested, Shadowed: p.text.Shadowed})
}

// is reports a byte at i, which may be the end.
func (p *Parser) is(i int, c byte) bool { return i < p.lim && p.buf[i] == c }

// isNull reports a null at i, before it has been checked.
func (p *Parser) isNull(i int) bool { return p.is(i, 'n') }

// decoded returns a string's content for keeping: buf's own bytes where they
// say the same.
func (p *Parser) decoded(a, b int, escaped bool) []byte {
	raw := p.buf[a:b:b]
	if escaped || p.amb&BadUTF8 != 0 {
		raw, _ = Unquote(make([]byte, 0, len(raw)), raw)
	}
	return raw
}
