package report

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
	"github.com/warden-trace/warden/formats/report/safe"
)

// Masker redacts whatever the secret rules find in whole texts: the vendors'
// patterns, and long random strings. It is for whatever shows payloads. It is
// used by one goroutine at a time.
type Masker struct {
	names    *secret.Patterns
	patterns *secret.Finder
	entropy  *secret.Entropy
	shortest int // bytes below which nothing can be a secret
	lines    bool
	found    []secret.Match
}

// NewMasker compiles the rules' secrets; nil means the built-in ones.
func NewMasker(set *ruleset.Set) *Masker {
	if set == nil {
		set = ruleset.Builtin()
	}
	p, err := secret.Compile(set.Secrets)
	if err != nil {
		p = secret.Builtin() // a set that was refused when it was loaded
	}
	e := secret.NewEntropy(set.Entropy)
	return &Masker{names: p, patterns: p.NewFinder(), entropy: e, shortest: min(p.Shortest(), e.MinLength()), lines: p.LineByLine()}
}

// Find returns the secrets in text, as it stands and as it reads with its escape
// sequences blanked: byte ranges in order that don't overlap. The result is good
// until the next call.
func (m *Masker) Find(text []byte) []secret.Match {
	m.found = m.found[:0]
	if len(text) < m.shortest {
		return nil
	}
	m.found = append(m.found, m.patterns.Secrets(m.entropy, text)...)
	return m.joined()
}

// FindBroken is Find for a text with control characters: it finds what is a secret
// without them, too.
func (m *Masker) FindBroken(text []byte) []secret.Match {
	found := slices.Clone(m.Find(text))
	m.found = append(found, secret.Unbroken(text, func(t []byte) []secret.Match { return m.patterns.Secrets(m.entropy, t) })...)
	return m.joined()
}

// FindEnds is Find for a text of which only the first head and the last tail bytes
// are shown, and around bytes on both sides of what is found: secrets in what is not
// shown may be left out.
func (m *Masker) FindEnds(text []byte, head, tail, around int) []secret.Match {
	if !m.lines || head+tail >= len(text) {
		return m.Find(text)
	}
	// Lines are looked at as a whole, for a secret may go on behind what is shown. An
	// escape sequence may, too, but none that hides where a key begins goes over a line.
	i := bytes.IndexByte(text[head:], '\n') + head
	j := bytes.LastIndexByte(text[:len(text)-tail], '\n')
	if i < head || j <= i {
		return m.Find(text)
	}
	m.found = append(m.found[:0], m.patterns.Secrets(m.entropy, text[:i])...)
	for _, f := range m.found {
		if f.End+around > i {
			return m.Find(text)
		}
	}
	for _, f := range m.patterns.Secrets(m.entropy, text[j:]) {
		if f.Start < around {
			return m.Find(text)
		}
		f.Start, f.End = f.Start+j, f.End+j
		m.found = append(m.found, f)
	}
	return m.joined()
}

// joined is what was found, by place, with what overlaps as one.
func (m *Masker) joined() []secret.Match {
	m.found = joinMatches(m.found)
	return m.found
}

// joinMatches sorts matches by place and makes one of those that overlap.
func joinMatches(found []secret.Match) []secret.Match {
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, func(a, b secret.Match) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	kept := found[:1]
	for _, f := range found[1:] {
		if last := &kept[len(kept)-1]; f.Start < last.End {
			last.End = max(last.End, f.End)
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// mask returns text with its secrets in their redaction form.
func (m *Masker) mask(text []byte) []byte {
	found := m.Find(text)
	if len(found) == 0 {
		return text
	}
	return secret.Replace(text, found)
}

// Text is s with its secrets in their redaction form.
func (m *Masker) Text(s string) string {
	return string(m.mask([]byte(s)))
}

// Scrub is s with the vendors' secrets alone in their redaction form: for tool
// names, methods and ids, of which long honest ones look random.
func (m *Masker) Scrub(s string) string { return m.names.Scrub(s) }

// utf8Only is s where it is UTF-8, else s with U+FFFD for what is not.
func utf8Only(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// maxPayload is the longest payload, in bytes, that a report takes whole.
const maxPayload = 16 << 20

// payload is raw JSON (or any other bytes) fit for a report: secrets redacted
// in what its strings say, however they are escaped, bytes that are no UTF-8
// replaced.
func (m *Masker) payload(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if len(raw) > maxPayload {
		return safe.Omitted(len(raw))
	}
	return utf8Only(string(m.JSON(make([]byte, 0, len(raw)+16), raw)))
}

// JSON appends raw with its secrets redacted. It needs no well-formed JSON:
// what stands in quotes is a string, what does not is text.
func (m *Masker) JSON(dst, raw []byte) []byte {
	var text []byte
	for len(raw) > 0 {
		open := bytes.IndexByte(raw, '"')
		if open < 0 {
			return append(dst, m.mask(raw)...)
		}
		dst = append(dst, m.mask(raw[:open])...)
		raw = raw[open:]
		end := closing(raw)
		body := raw[1:end]
		text, _ = jsonrpc.Unquote(text[:0], body)
		if found := m.Find(text); len(found) > 0 {
			dst = jsonrpc.AppendQuoted(dst, string(m.mask(text)))
			if end == len(raw) {
				dst = dst[:len(dst)-1] // it never ended
			}
		} else {
			dst = append(dst, raw[:min(end+1, len(raw))]...)
		}
		raw = raw[min(end+1, len(raw)):]
	}
	return dst
}

// closing is the index of the quote that ends the string which raw begins with,
// len(raw) where there is none.
func closing(raw []byte) int {
	for i := 1; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			break
		}
		n += i
		escapes := 0 // backslashes right before it: an odd number escapes it
		for k := n - 1; k >= i && raw[k] == '\\'; k-- {
			escapes++
		}
		if escapes%2 == 0 {
			return n
		}
		i = n + 1
	}
	return len(raw)
}
