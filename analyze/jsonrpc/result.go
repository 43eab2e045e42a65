package jsonrpc

// result walks a result, or one that a task delivers, whose open object has
// the given depth, and says what it has.
func (p *Parser) result(v, depth int) (i int, has Has, ok bool) {
	if !p.is(v, '{') {
		i, ok = p.value(v, takeValues)
		return i, 0, ok
	}
	s := p.begin(depth, inResult)
	text, fit := false, true // content is plain; the other members leave it a TextResult
	i = v + 1
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more {
			if depth == 1 {
				p.m.TextResult = text && fit && s.seen&(1<<resultStructured|1<<resultMeta) == 0
			}
			return v, has, ok
		}
		id, exact, f := p.enter(s, k)
		var bit, mask Has
		switch id {
		case resultContent:
			mask = HasContent
			if p.is(v, '[') {
				bit = HasContent
				i, ok = p.content(v)
				text = p.plain
			} else {
				i, ok = p.value(v, takeValues)
			}
		case resultStructured:
			p.text.Role = RoleStructured
			i, ok = p.value(v, takeKeysToo)
			p.text.Role = RoleOther
		case resultIsError:
			mask = HasIsError
			if p.is(v, 't') {
				bit = HasIsError
			} else if !p.is(v, 'f') {
				fit = false
			}
			i, ok = p.value(v, takeValues)
		case resultResult:
			if p.text.Nested {
				i, ok = p.value(v, takeValues)
				break
			}
			mask = HasNested | HasNestedIsError
			var inner Has
			p.text.Nested = true
			i, inner, ok = p.result(v, depth+1)
			p.text.Nested = false
			bit = HasNested
			if inner&HasIsError != 0 {
				bit |= HasNestedIsError
			}
		case resultInputRequests:
			mask = HasInputRequests
			if !p.isNull(v) {
				bit = mask
			}
			p.text.Input = !p.text.Nested
			i, ok = p.value(v, takeValues)
			p.text.Input = false
		case resultTask, resultTaskID: // one bit for two members
			if !p.isNull(v) {
				bit = HasResultTask
			}
			i, ok = p.value(v, takeValues)
		default:
			mask = resultBits[id]
			if !p.isNull(v) {
				bit = mask
			}
			i, ok = p.value(v, takeValues)
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

var resultBits = [16]Has{
	resultType: HasResultType, resultRequestState: HasRequestState,
}

// content walks the array of content blocks at v.
func (p *Parser) content(v int) (i int, ok bool) {
	defer func() { p.text.Block = -1 }()
	p.plain = true
	i = p.space(v + 1)
	if p.is(i, ']') {
		return i + 1, true
	}
	for p.text.Block = 0; ; p.text.Block++ {
		if p.is(i, '{') {
			i, ok = p.block(i)
		} else {
			p.plain = false
			p.note(WhyNoObject)
			i, ok = p.value(i, takeValues)
		}
		if !ok {
			return i, false
		}
		i = p.space(i)
		if p.is(i, ']') {
			p.plain = p.plain && p.text.Block < MaxTextBlocks
			return i + 1, true
		}
		if !p.is(i, ',') {
			return i, false
		}
		i = p.space(i + 1)
	}
}
