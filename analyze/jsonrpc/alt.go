package jsonrpc

// occurrences lists the members that we use of the checked message at i, each
// as often as it stands there. Only ambiguous frames pay for it.
func (p *Parser) occurrences(i int) []Member {
	var all []Member
	p.each(i, inFrame, func(id member, v, end int) {
		if id == 0 || id == frameJSONRPC {
			return
		}
		all = append(all, Member{names[inFrame][id], p.buf[v:end:end]})
		if id != frameParams || p.buf[v] != '{' {
			return
		}
		p.each(v, inParams, func(id member, v, end int) {
			switch id {
			case paramsName, paramsArguments:
				all = append(all, Member{"params/" + names[inParams][id], p.buf[v:end:end]})
			}
		})
	})
	return all
}

// each calls do for each member of the checked object at i.
func (p *Parser) each(i int, lv level, do func(id member, v, end int)) {
	amb := p.amb
	defer func() { p.amb = amb }()
	i++
	for first := true; ; first = false {
		k, v, more, ok := p.field(i, first)
		if !more || !ok {
			return
		}
		if i, ok = p.value(v, skipAll); !ok {
			return
		}
		id, _ := classify(lv, k)
		do(id, v, i)
	}
}
