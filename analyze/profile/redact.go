package profile

// redactor keeps secrets out of what a finding says: keys, names and other
// words of a frame go through it before they reach a message.
type redactor struct {
	find func(text []byte) []Secret
}

// text returns s with every secret in its redaction form.
func (r *redactor) text(s string) string {
	if r == nil || r.find == nil || len(s) < 16 {
		return s
	}
	found := r.find([]byte(s))
	if len(found) == 0 {
		return s
	}
	out, at := "", 0
	for _, f := range byStart(found) {
		if f.Start < at || f.End > len(s) || f.Start >= f.End {
			continue
		}
		out += s[at:f.Start] + redacted(s[f.Start:f.End])
		at = f.End
	}
	return out + s[at:]
}

// name is text in quotes' place, cut to a bearable length.
func (r *redactor) name(s string) string {
	s = r.text(s)
	const most = 80
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
