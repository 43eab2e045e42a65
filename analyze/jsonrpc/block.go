package jsonrpc

// Roles of a block's strings until its end tells its type, which may stand
// anywhere in it.
const (
	ofText Role = iota + 100
	ofResourceText
	ofResourceURI
	ofLink
)

// Types of content blocks.
type blockKind uint8

const (
	kindUnknown blockKind = iota
	kindText
	kindResource
	kindLink
	kindBinary
)

func kindOf(name []byte) blockKind {
	switch string(name) {
	case "text":
		return kindText
	case "resource":
		return kindResource
	case "resource_link":
		return kindLink
	case "image", "audio", "blob":
		return kindBinary
	}
	return kindUnknown
}

// parts says what a block, or a block's resource, has as it should.
type parts uint8

const (
	partText     parts = 1 << iota // text is a string
	partURI                        // uri is a string
	partBlob                       // a blob that is not null
	partResource                   // resource is an object
)

// block walks the content block at v, an object.
func (p *Parser) block(v int) (i int, ok bool) {
	s := p.begin(3, inBlock)
	start := len(p.m.Texts)
	kind := kindUnknown
	var has, inner parts
	i = v + 1
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more {
			if !ok {
				return v, false
			}
			i = v
			break
		}
		id, exact, f := p.enter(s, k)
		str := p.is(v, '"')
		role := RoleOther
		switch id {
		case blockType:
			if exact {
				kind = kindUnknown
			}
		case blockText:
			role = ofText
			if exact {
				has = has &^ partText
				if str {
					has |= partText
				}
			}
		case blockURI, blockName, blockTitle, blockDescription:
			role = ofLink
		}
		switch {
		case str:
			b, esc, ok := p.str(v)
			if !ok {
				return v, false
			}
			if id == blockType && exact {
				if esc {
					kind = kindOf(p.decoded(v+1, b, true))
				} else {
					kind = kindOf(p.buf[v+1 : b])
				}
			}
			if id != blockData && id != blockBlob || !base64Only(p.buf[v+1:b]) {
				p.take(v+1, b, esc, role)
			}
			i = b + 1
		case id == blockResource:
			var got parts
			i, got, ok = p.resource(v)
			if exact {
				inner = got
			}
		default:
			i, ok = p.value(v, takeValues)
		}
		if !ok {
			return i, false
		}
		if id == blockResource && exact && str {
			inner = 0
		}
		p.leave(s, id, exact, f)
	}
	p.plain = p.plain && kind == kindText && has&partText != 0 && s.seen == 1<<blockType|1<<blockText && s.keys.n == 0
	p.closeBlock(start, kind, has, inner)
	return i, true
}

// closeBlock gives the block's strings their roles and notes what is not read
// (catalog.md, "What is inspected").
func (p *Parser) closeBlock(start int, kind blockKind, has, inner parts) {
	texts := p.m.Texts[start:]
	for i := range texts {
		t := &texts[i]
		switch {
		case t.Role < ofText:
		case t.Role == ofText && kind == kindText:
			t.Role = RoleText
		case t.Role == ofResourceText && kind == kindResource:
			t.Role = RoleResourceText
		case t.Role == ofResourceURI && kind == kindResource:
			t.Role = RoleResourceURI
		case t.Role == ofLink && kind == kindLink:
			t.Role = RoleLink
		default:
			t.Role = RoleOther
		}
	}
	switch kind {
	case kindText:
		if has&partText == 0 {
			p.note(WhyNoText)
		}
	case kindResource:
		switch {
		case inner&partResource != 0 && inner&partBlob != 0:
			p.note(WhyBinary)
		case inner&(partText|partURI) == 0:
			p.note(WhyNoText)
		}
	case kindLink:
		p.note(WhyLink)
	case kindBinary:
		p.note(WhyBinary)
	default:
		p.note(WhyUnknown)
	}
}

// resource walks a block's resource, whatever it is but a string.
func (p *Parser) resource(v int) (i int, has parts, ok bool) {
	if !p.is(v, '{') {
		i, ok = p.value(v, takeValues)
		return i, 0, ok
	}
	s := p.begin(4, inResource)
	has = partResource
	i = v + 1
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more {
			return v, has, ok
		}
		id, exact, f := p.enter(s, k)
		str := p.is(v, '"')
		var part parts
		role := RoleOther
		on := str
		switch id {
		case blockText:
			part, role = partText, ofResourceText
		case blockURI:
			part, role = partURI, ofResourceURI
		case blockBlob:
			part, on = partBlob, !p.isNull(v)
		}
		if exact {
			has &^= part
			if on {
				has |= part
			}
		}
		if str {
			b, esc, ok := p.str(v)
			if !ok {
				return v, 0, false
			}
			if id != blockData && id != blockBlob || !base64Only(p.buf[v+1:b]) {
				p.take(v+1, b, esc, role)
			}
			i = b + 1
		} else {
			i, ok = p.value(v, takeValues)
		}
		if !ok {
			return i, 0, false
		}
		p.leave(s, id, exact, f)
	}
}

// inBase64 is the standard alphabet with the line breaks that wrap it.
var inBase64 = func() (t [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n") {
		t[c] = true
	}
	return t
}()

// base64Only reports string content that decodes to nothing but base64. Only
// such a payload may go unread: anything else there is text that somebody hid.
func base64Only(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if inBase64[c] {
			continue
		}
		if c != '\\' {
			return false
		}
		i++
		switch raw[i] {
		case 'n', 'r', '/':
		case 'u':
			r := hex4(raw[i+1:])
			if r >= 0x80 || !inBase64[byte(r)] {
				return false
			}
			i += 4
		default:
			return false
		}
	}
	return true
}
