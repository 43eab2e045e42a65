package jsonrpc

import (
	"bytes"
	"math/bits"
)

const tasksPrefix = "notifications/tasks"

// manyTexts is the room for texts that is not kept for the next message: a
// hostile frame of millions of strings must not swell every worker for good.
const manyTexts = 1 << 16

// Message reads the one JSON value that begins at or after a, white space
// before it skipped, as a message; it must end by b. end is the offset after
// it. ok is false when it is not JSON by the letter or no object; m is then
// empty and the lenient reading (Read) has to say more. m's slices are reused.
//
// Where a key is repeated, or only its case differs from one that we use, at a
// level that matters (Has&Repeated), m.Alt has every occurrence.
func (p *Parser) Message(a, b int, m *Message) (end int, ok bool) {
	p.soft = false
	b = min(b, len(p.buf))
	if b-a > largeMessage && a >= 0 {
		// Growing by and by would hold the list twice. This is no work for
		// the elements of a batch: each would count all that follow it.
		if n := p.quotes(a, b) / 2; n > manyTexts {
			m.Texts = make([]Text, 0, n)
			return p.read(a, b, m)
		}
	}
	return p.message(a, b, m)
}

func (p *Parser) message(a, b int, m *Message) (end int, ok bool) {
	*m = Message{Texts: m.Texts[:0], Notes: m.Notes[:0]}
	if cap(m.Texts) > manyTexts || cap(m.Notes) > manyTexts {
		m.Texts, m.Notes = nil, nil
	}
	return p.read(a, b, m)
}

// read is message with the memory that m has.
func (p *Parser) read(a, b int, m *Message) (end int, ok bool) {
	*m = Message{Texts: m.Texts[:0], Notes: m.Notes[:0]}
	p.lim = b
	i := p.space(max(a, 0))
	if !p.is(i, '{') {
		return i, false
	}
	p.m, p.base, p.amb, p.mem = m, i, 0, p.mem[:0]
	p.text = Text{Block: -1}
	p.tasksAny, p.tasksLast, p.ofParams, p.ambParams = false, false, p.ofParams[:0], 0
	end, ok = p.frame(i)
	p.m = nil
	if !ok {
		*m = Message{Texts: m.Texts[:0], Notes: m.Notes[:0]}
		return end, false
	}
	m.Raw = p.buf[i:end:end]
	p.settleTasks(m)
	m.Has |= p.amb
	if m.Has&Repeated != 0 {
		m.Alt = p.occurrences(i)
	}
	return end, true
}

// largeMessage is the length from which a message's strings are counted first.
const largeMessage = 1 << 20

// quotes is at most the number of quotes in [a, b) and the rest of its blocks.
func (p *Parser) quotes(a, b int) (n int) {
	for w := a >> 6; w <= (b-1)>>6; w++ {
		n += bits.OnesCount64(p.blk[w].quote)
	}
	return n
}

// frame walks the message's object at i.
func (p *Parser) frame(i int) (int, bool) {
	m := p.m
	s := p.begin(0, inFrame)
	var ofParams, ofResult, ofID Has
	i++
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more {
			m.Has |= ofParams | ofResult | ofID
			return v, ok
		}
		id, exact, f := p.enter(s, k)
		var has Has
		switch id {
		case frameID:
			has = p.idKind(v)
			i, ok = p.value(v, skipAll)
			if ok && exact {
				m.ID, ofID = p.buf[v:i:i], has
			}
		case frameMethod:
			i, ok = p.method(v, exact)
		case frameParams:
			name := m.Name
			m.Name = nil
			i, has, ok = p.params(v)
			if ok && exact {
				m.Params, ofParams = p.buf[v:i:i], HasParams|has
			} else {
				m.Name = name
			}
		case frameResult:
			i, has, ok = p.result(v, 1)
			if ok && exact {
				m.Result, ofResult = p.buf[v:i:i], HasResult|has
			}
		case frameError:
			p.text.Error = true
			i, ok = p.errorObject(v)
			p.text.Error = false
			if ok && exact {
				m.Error = p.buf[v:i:i]
				m.Has |= HasError
			}
		case frameJSONRPC:
			i, ok = p.value(v, skipAll)
			if exact {
				m.Has |= HasJSONRPC
			}
		default:
			i, ok = p.value(v, skipAll)
		}
		if !ok {
			return i, false
		}
		p.leave(s, id, exact, f)
	}
}

// idKind judges an id by its first byte: a string, a number or null.
func (p *Parser) idKind(i int) Has {
	if i >= p.lim {
		return HasID
	}
	switch c := p.buf[i]; {
	case c == '"', c == 'n', c >= '0' && c <= '9':
	case c == '-' && !p.is(i+1, 'I'):
	default:
		return HasID | BadID
	}
	return HasID
}

func (p *Parser) method(v int, exact bool) (int, bool) {
	if exact {
		p.m.Has |= HasMethod
		p.m.Method, p.tasksLast = nil, false
	}
	if !p.is(v, '"') {
		return p.value(v, skipAll)
	}
	b, esc, ok := p.str(v)
	if !ok {
		return v, false
	}
	name := p.decoded(v+1, b, esc)
	tasks := bytes.HasPrefix(name, []byte(tasksPrefix))
	p.tasksAny = p.tasksAny || tasks
	if exact {
		p.m.Method, p.tasksLast = name, tasks
	}
	return b + 1, true
}

// params walks params and says what it has.
func (p *Parser) params(v int) (i int, has Has, ok bool) {
	if !p.is(v, '{') {
		i, ok = p.value(v, skipAll)
		return i, 0, ok
	}
	s := p.begin(1, inParams)
	i = v + 1
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more {
			return v, has, ok
		}
		id, exact, f := p.enter(s, k)
		var bit, mask Has
		switch id {
		case paramsName:
			bit = HasName
			if p.is(v, '"') {
				b, esc, ok := p.str(v)
				if !ok {
					return v, 0, false
				}
				if exact {
					p.m.Name = p.decoded(v+1, b, esc)
				}
				i = b + 1
				break
			}
			if exact {
				p.m.Name = nil
			}
			i, ok = p.value(v, skipAll)
		case paramsResult:
			// Whether it is a task's result depends on the method, which may
			// stand behind it.
			bit, mask = HasNested, HasNestedIsError
			amb := p.amb & Repeated
			p.amb &^= Repeated
			at := p.mark()
			p.text.Nested = true
			var inner Has
			i, inner, ok = p.result(v, 2)
			p.text.Nested = false
			p.upTo(&at)
			p.ofParams = append(p.ofParams, at)
			p.ambParams |= p.amb & Repeated
			p.amb = p.amb&^Repeated | amb
			if inner&HasIsError != 0 {
				bit |= HasNestedIsError
			}
		case paramsArguments:
			bit = HasArguments
			i, ok = p.value(v, skipAll)
		case paramsMeta:
			bit = HasMeta
			i, ok = p.value(v, skipAll)
		default:
			mask = paramsBits[id]
			if !p.isNull(v) {
				bit = mask
			}
			i, ok = p.value(v, skipAll)
		}
		if !ok {
			return i, 0, false
		}
		if exact {
			has = has&^mask | bit
		}
		p.leave(s, id, exact, f)
	}
}

// A null is the same as no member for those that only ask for something.
var paramsBits = [16]Has{
	paramsTask: HasTask, paramsCursor: HasCursor,
	paramsInputResponses: HasInputResponses, paramsRequestState: HasRequestState,
}

// errorObject walks error, at v.
func (p *Parser) errorObject(v int) (int, bool) {
	if !p.is(v, '{') {
		return p.value(v, takeValues)
	}
	s := p.begin(1, inError)
	i := v + 1
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more {
			return v, ok
		}
		id, exact, f := p.enter(s, k)
		if i, ok = p.value(v, takeValues); !ok {
			return i, false
		}
		p.leave(s, id, exact, f)
	}
}

// settleTasks decides about what stood under params.result, now that the
// method is known.
func (p *Parser) settleTasks(m *Message) {
	if len(p.ofParams) == 0 {
		return
	}
	if p.tasksAny {
		p.amb |= p.ambParams
		if !p.tasksLast {
			p.m = m
			for _, s := range p.ofParams {
				p.shadow(s)
			}
			p.m = nil
		}
		return
	}
	texts, notes := m.Texts[:0], m.Notes[:0]
	var from span
	for _, s := range append(p.ofParams, span{text: int32(len(m.Texts)), note: int32(len(m.Notes))}) {
		texts = append(texts, m.Texts[from.textEnd:s.text]...)
		notes = append(notes, m.Notes[from.noteEnd:s.note]...)
		from = s
	}
	m.Texts, m.Notes = texts, notes
}
