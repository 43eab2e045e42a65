package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/warden-trace/warden/formats"
)

// Bounds on a file. A baseline of that size is not one that people keep.
const (
	maxFile    = 64 << 20
	maxEntries = 1 << 20
	maxValue   = 64 << 10
)

// Error is what is wrong with a baseline: the file, the line, the key.
type Error struct {
	File string
	Line int    // from 1; 0: the whole file
	Key  string // "entries[3].expires"; "" where it has none
	Err  error
	Hint string
}

func (e *Error) Error() string {
	s := formats.Printable(e.File)
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
	}
	if e.Key != "" {
		s += ": " + e.Key
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Advice is the hint; cmd/program prints it on a line of its own.
func (e *Error) Advice() string { return e.Hint }

// Load reads a baseline file. Errors are *Error.
func Load(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, &Error{File: path, Err: err, Hint: "warden-inspect baseline create makes one"}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, &Error{File: path, Err: err, Hint: "check the name and its permissions"}
	case len(data) > maxFile:
		return nil, &Error{File: path, Err: fmt.Errorf("larger than %d bytes", maxFile), Hint: "is this a baseline?"}
	}
	return Parse(path, data)
}

// Parse reads a baseline; name is for its errors.
func Parse(name string, data []byte) (*File, error) {
	p := parser{name: name, data: data, d: jsontext.NewDecoder(bytes.NewReader(data)), b: New()}
	if err := p.file(); err != nil {
		return nil, err
	}
	return p.b, nil
}

type parser struct {
	name string
	data []byte
	d    *jsontext.Decoder
	b    *File
	seen map[string]int64 // fingerprint -> offset of its entry's end
}

// fail makes an error at the last token that was read.
func (p *parser) fail(key, hint, format string, args ...any) error {
	at := min(int(p.d.InputOffset()), len(p.data))
	return &Error{File: p.name, Line: 1 + bytes.Count(p.data[:at], []byte("\n")), Key: key, Err: fmt.Errorf(format, args...), Hint: hint}
}

const formHint = "warden-inspect baseline create writes the form"

// token reads a token of the given kind.
func (p *parser) token(key string, kind jsontext.Kind, what string) (jsontext.Token, error) {
	t, err := p.d.ReadToken()
	if err != nil {
		return t, p.broken(key, err)
	}
	if t.Kind() != kind {
		return t, p.fail(key, formHint, "expected %s", what)
	}
	return t, nil
}

// broken is an error of the JSON itself; the library's message is kept to what
// says no byte of the file.
func (p *parser) broken(key string, err error) error {
	what := "not valid JSON"
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		what = "a key twice in one object"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		what = "the file ends early"
	}
	at := int(p.d.InputOffset())
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		at = int(se.ByteOffset)
	}
	at = min(at, len(p.data))
	return &Error{File: p.name, Line: 1 + bytes.Count(p.data[:at], []byte("\n")), Key: key, Err: errors.New(what), Hint: formHint}
}

func (p *parser) file() error {
	if _, err := p.token("", '{', "an object with warden_baseline and entries"); err != nil {
		return err
	}
	version := false
	for p.d.PeekKind() != '}' {
		t, err := p.d.ReadToken()
		if err != nil {
			return p.broken("", err)
		}
		switch key := t.String(); key {
		case "warden_baseline":
			n, err := p.token(key, '0', "a version number")
			if err != nil {
				return err
			}
			if n.String() != "1" {
				return p.fail(key, "this program reads version 1", "a version that is not read")
			}
			version = true
		case "entries":
			if err := p.entries(); err != nil {
				return err
			}
		default:
			return p.fail("", "the keys are warden_baseline and entries", "unknown key %q", short(key))
		}
	}
	if _, err := p.d.ReadToken(); err != nil {
		return p.broken("", err)
	}
	if !version {
		return &Error{File: p.name, Line: 1, Key: "warden_baseline", Err: errors.New("missing"), Hint: "is this a baseline? " + formHint}
	}
	if _, err := p.d.ReadToken(); err != io.EOF {
		return p.fail("", formHint, "more after the end")
	}
	return nil
}

func (p *parser) entries() error {
	if _, err := p.token("entries", '[', "a list"); err != nil {
		return err
	}
	p.seen = map[string]int64{}
	for i := 0; p.d.PeekKind() != ']'; i++ {
		if i == maxEntries {
			return p.fail("entries", "", "more than %d", maxEntries)
		}
		if err := p.entry(fmt.Sprintf("entries[%d]", i)); err != nil {
			return err
		}
	}
	if _, err := p.d.ReadToken(); err != nil {
		return p.broken("entries", err)
	}
	return nil
}

func (p *parser) entry(at string) error {
	if _, err := p.token(at, '{', "an object"); err != nil {
		return err
	}
	var e Entry
	members := e.members()
	for p.d.PeekKind() != '}' {
		t, err := p.d.ReadToken()
		if err != nil {
			return p.broken(at, err)
		}
		key := t.String()
		i := slices.IndexFunc(members, func(m member) bool { return m.key == key })
		if i < 0 {
			return p.fail(at, "the keys are fingerprint, rule, sub_rule, tool, where, state, reason, owner, created, expires", "unknown key %q", short(key))
		}
		v, err := p.token(at+"."+key, '"', "text in quotes")
		if err != nil {
			return err
		}
		s := v.String()
		if len(s) > maxValue {
			return p.fail(at+"."+key, "", "longer than %d bytes", maxValue)
		}
		if err := p.value(at+"."+key, key, s); err != nil {
			return err
		}
		*members[i].value = s
	}
	if _, err := p.d.ReadToken(); err != nil {
		return p.broken(at, err)
	}
	switch {
	case e.Fingerprint == "":
		return p.fail(at, "it is in the JSON and SARIF reports", "no fingerprint")
	case e.State == "":
		return p.fail(at, "it is one of "+strings.Join(States, ", "), "no state")
	}
	if off, twice := p.seen[e.Fingerprint]; twice {
		return p.fail(at+".fingerprint", "keep one of them", "the same as in line %d", 1+bytes.Count(p.data[:off], []byte("\n")))
	}
	p.seen[e.Fingerprint] = p.d.InputOffset()
	p.b.Put(e)
	return nil
}

// value checks what a key may hold.
func (p *parser) value(at, key, s string) error {
	switch key {
	case "fingerprint":
		if len(s) != 32 || strings.Trim(s, "0123456789abcdef") != "" {
			return p.fail(at, "it is in the JSON and SARIF reports", "no fingerprint: 32 hexadecimal digits")
		}
	case "state":
		if !slices.Contains(States, s) {
			return p.fail(at, "it is one of "+strings.Join(States, ", "), "no state %q", short(s))
		}
	case "created", "expires":
		if s == "" {
			return nil
		}
		if err := CheckDay(s); err != nil {
			return p.fail(at, "write YYYY-MM-DD", "%w", err)
		}
	}
	return nil
}

// CheckDay reports a text that is no day of the form YYYY-MM-DD.
func CheckDay(s string) error {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return fmt.Errorf("%q is no date", short(s))
	}
	return nil
}

// short is a piece of the file for an error.
func short(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
