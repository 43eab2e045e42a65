package expect

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/warden-trace/warden/formats/report/target"
)

// Update writes the expectation that fits what was found; the arguments stay.
func (r *Result) Update() error {
	e := &Expectation{Findings: Entries(r.Got.Findings), Exit: &r.Got.Exit}
	if r.Case.Want != nil {
		e.Args = r.Case.Want.Args
	}
	f, err := target.Create(r.Case.File, nil)
	if err != nil {
		return err
	}
	if _, err := f.Write(e.Marshal()); err != nil {
		f.Abort()
		return err
	}
	return f.Close()
}

// Marshal writes the expectation with a finding a line, so that a change of it
// is a change of few lines.
func (e *Expectation) Marshal() []byte {
	b := []byte("{\n")
	if e.Args != nil {
		b = append(b, ` "args": [`...)
		for i, a := range e.Args {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendQuoted(b, a)
		}
		b = append(b, "],\n"...)
	}
	b = append(b, ` "findings": [`...)
	for i := range e.Findings {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.Findings[i].append(append(b, "\n  "...))
	}
	if len(e.Findings) > 0 {
		b = append(b, "\n "...)
	}
	b = append(b, "],\n \"exit\": "...)
	return append(strconv.AppendInt(b, int64(*e.Exit), 10), "\n}\n"...)
}

// appendQuoted appends a JSON string that reads well: no escapes for <, > and &.
func appendQuoted(b []byte, s string) []byte {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // strings always encode
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(w.Bytes(), []byte("\n"))...)
}
