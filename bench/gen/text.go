package gen

import "strconv"

// text appends about n bytes of what tools return: prose, code, listings,
// JSON in a string, logs. It is plain text, not yet JSON.
func (r *rng) text(b []byte, n int) []byte {
	end := len(b) + n
	kind := r.n(20)
	for len(b) < end {
		switch {
		case kind < 6:
			for range 4 {
				b = r.sentence(b, false)
			}
			b = append(b, "\n\n"...)
		case kind < 8:
			b = r.sentence(b, true)
			if r.one(4) {
				b = append(b, '\n')
			}
		case kind < 12:
			b = r.code(b)
		case kind < 14:
			b = r.listing(b)
		case kind < 17:
			b = r.object(b)
		default:
			b = r.log(b)
		}
	}
	return b
}

func (r *rng) sentence(b []byte, unicode bool) []byte {
	n := 6 + r.n(14)
	for i := range n {
		w := r.word()
		if unicode && r.one(12) {
			w = r.pick(foreign)
		}
		at := len(b)
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, w...)
		if i == 0 && b[at] >= 'a' && b[at] <= 'z' {
			b[at] -= 'a' - 'A'
		}
		if i < n-1 && r.one(15) {
			b = append(b, ',')
		}
	}
	return append(b, ". "...)
}

func (r *rng) code(b []byte) []byte {
	for range r.n(4) {
		b = append(b, '\t')
	}
	w := r.word
	switch r.n(7) {
	case 0:
		b = join(b, "if err := ", w(), ".", w(), "(ctx, \"", w(), "\"); err != nil {")
	case 1:
		b = join(b, "// ", w(), " ", w(), " ", w(), " ", w(), " ", w())
	case 2:
		b = join(b, "return fmt.Errorf(\"", w(), " ", w(), ": %w\", err)")
	case 3:
		b = join(b, w(), " := make([]", w(), ", ")
		b = strconv.AppendInt(b, int64(r.n(4096)), 10)
		b = join(b, ", len(", w(), "))")
	case 4:
		b = join(b, "std::", w(), "<", w(), "> ", w(), "_", w(), " = ", w(), "->", w(), ";")
	case 5:
		b = join(b, "def ", w(), "_", w(), "(self, ", w(), "=None): return self.", w(), "['", w(), "'] & 0xff")
	default:
		b = join(b, "<div class=\"", w(), "-", w(), "\"><a href=\"/", w(), "/", w(), "\">", w(), "</a></div>")
	}
	return append(b, '\n')
}

// path appends a file's path. Most are shorter than the 24 characters from
// which the entropy rule looks at a token: long ones reach its 4 bits now and
// then, and would make every listing a finding. One in two hundred is long, as
// some are; how the rule does on paths in earnest is bench/precision's matter.
func (r *rng) path(b []byte) []byte {
	room := 23
	if r.one(200) {
		room = 60
	}
	end := len(b) + room
	for i := range 2 + r.n(4) {
		w := r.word()
		if len(b)+1+len(w) > end {
			break
		}
		if i > 0 {
			b = append(b, "/_"[r.n(4)/3])
		}
		b = append(b, w...)
	}
	return append(b, r.pick(extensions)...)
}

func (r *rng) listing(b []byte) []byte {
	b = append(b, "-rw-r--r-- 1 app app "...)
	b = pad(b, r.n(10_000_000), 8, ' ')
	b = append(b, " Nov "...)
	b = pad(b, 1+r.n(28), 2, ' ')
	b = append(b, ' ')
	b = pad(b, r.n(24), 2, '0')
	b = append(b, ':')
	b = pad(b, r.n(60), 2, '0')
	b = append(b, ' ')
	b = r.path(b)
	return append(b, '\n')
}

func (r *rng) object(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(r.n(1_000_000)), 10)
	b = join(b, `,"name":"`, r.word(), `","path":"`)
	b = r.path(b)
	b = join(b, `","state":"`, r.word(), `","score":0.`)
	b = pad(b, r.n(10_000), 4, '0')
	b = join(b, `,"tags":["`, r.word(), `","`, r.word(), `"],"active":`)
	b = append(b, [2]string{"true", "false"}[r.n(2)]...)
	return append(b, "},\n"...)
}

func (r *rng) uuid(b []byte) []byte {
	for i, n := range [5]int{8, 4, 4, 4, 12} {
		if i > 0 {
			b = append(b, '-')
		}
		b = r.chars(b, hexDigits, n)
	}
	return b
}

func (r *rng) log(b []byte) []byte {
	if r.one(6) {
		b = append(b, "commit "...)
		b = r.chars(b, hexDigits, 40)
		return append(join(b, " ", r.word(), " ", r.word(), " ", r.word()), '\n')
	}
	b = append(b, "2026-11-"...)
	b = pad(b, 1+r.n(28), 2, '0')
	b = append(b, 'T')
	for i, m := range [3]int{24, 60, 60} {
		if i > 0 {
			b = append(b, ':')
		}
		b = pad(b, r.n(m), 2, '0')
	}
	b = append(b, '.')
	b = pad(b, r.n(1000), 3, '0')
	b = join(b, "Z ", r.pick(levels), " ", r.word(), ": ", r.word(), " ", r.word(), " ", r.word())
	switch r.n(4) {
	case 0:
		// Written as request_id=UUID the two are one token, and most reach the
		// entropy rule's 4 bits: bench/precision counts that.
		b = append(b, " request "...)
		b = r.uuid(b)
	case 1:
		b = append(b, " v"...)
		b = strconv.AppendInt(b, int64(r.n(9)), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(r.n(20)), 10)
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(r.n(9)), 10)
	default:
		b = append(b, " ("...)
		b = strconv.AppendInt(b, int64(r.n(900)), 10)
		b = append(b, " ms)"...)
	}
	return append(b, '\n')
}

func join(b []byte, parts ...string) []byte {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// pad appends v in at least width characters.
func pad(b []byte, v, width int, fill byte) []byte {
	for m := 10; width > 1; width, m = width-1, m*10 {
		if v < pow10(width-1) {
			b = append(b, fill)
			continue
		}
		break
	}
	return strconv.AppendInt(b, int64(v), 10)
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}
