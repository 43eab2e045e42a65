package catalog

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ListEntry is one entry of a denylist: a host, or a host and the beginning of
// a path.
type ListEntry struct {
	Text string // as it is shown: the host in lower case, and the path
	Host string // lower case, without a trailing dot
	Path string // "" or "/..."
}

// maxLine bounds a line of a list file, in bytes.
const maxLine = 4096

// ParseDenylist reads an `--exfil-denylist` file (catalog.md,
// "WRD-RES-EXFIL-DOMAIN"): one literal entry a line, `#` comments, blank lines.
// An entry that can match nothing is kept and warned about; one with white space
// or without a host is an error. Both name file and line.
func ParseDenylist(name string, data []byte) (entries []ListEntry, warnings []string, err error) {
	lines, err := listLines(name, data)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range lines {
		if strings.ContainsFunc(l.text, isSpaceRune) {
			return nil, nil, fmt.Errorf("%s:%d: an entry holds white space; write one host or host/path a line", name, l.number)
		}
		e := NewListEntry(l.text)
		if e.Host == "" {
			return nil, nil, fmt.Errorf("%s:%d: an entry has no host; write host or host/path", name, l.number)
		}
		if why := cannotMatch(e.Host); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s:%d: the entry can't match: %s", name, l.number, why))
		} else if strings.ContainsFunc(e.Path, unicode.IsControl) {
			warnings = append(warnings, fmt.Sprintf("%s:%d: the entry's path holds a control character, as no URL does", name, l.number))
		}
		entries = append(entries, e)
	}
	return entries, warnings, nil
}

// NewListEntry splits an entry into host and path.
func NewListEntry(s string) ListEntry {
	host, path := s, ""
	if i := strings.IndexByte(s, '/'); i >= 0 {
		host, path = s[:i], s[i:]
	}
	if path == "/" {
		path = ""
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return ListEntry{Text: host + path, Host: host, Path: path}
}

// cannotMatch says why no host in a text can be this one or below it.
func cannotMatch(host string) string {
	switch {
	case strings.ContainsFunc(host, unicode.IsControl):
		return "it holds a control character, where every host ends"
	case strings.Contains(host, "*"):
		return "entries are literal, `*` stands for nothing (a host matches with all its subdomains)"
	case strings.HasPrefix(host, "."):
		return "it begins with a dot (a host matches with all its subdomains)"
	case strings.HasSuffix(host, ":"):
		return "it is a URL; write host or host/path"
	case strings.Contains(host, ".."):
		return "it has an empty label"
	case strings.ContainsAny(host, ":@"):
		return "ports and user names are cut before hosts are compared"
	case strings.ContainsFunc(host, func(r rune) bool { return r < utf8.RuneSelf && ends[r] || r == '[' || r == ']' }):
		return "it holds a character that no host has"
	}
	return ""
}

// ParsePhrases reads an `--inject-phrases` file: one literal phrase a line, `#`
// comments, blank lines. Errors name file and line.
func ParsePhrases(name string, data []byte) ([]string, error) {
	lines, err := listLines(name, data)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range lines {
		if len(collapse(l.text)) == 0 {
			continue
		}
		out = append(out, l.text)
	}
	return out, nil
}

type line struct {
	number int
	text   string
}

// listLines cuts a list file into its entries: outer white space, a byte-order
// mark, comment lines and blank lines are dropped.
func listLines(name string, data []byte) (out []line, err error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	for n := 1; len(data) > 0; n++ {
		var l []byte
		l, data, _ = bytes.Cut(data, []byte("\n"))
		if !utf8.Valid(l) {
			return nil, fmt.Errorf("%s:%d: not valid UTF-8", name, n)
		}
		text := strings.TrimFunc(string(l), isSpaceRune)
		if text == "" || text[0] == '#' {
			continue
		}
		if len(text) > maxLine {
			return nil, fmt.Errorf("%s:%d: %d bytes; an entry may have at most %d", name, n, len(text), maxLine)
		}
		out = append(out, line{n, text})
	}
	return out, nil
}

// isSpaceRune is ASCII white space.
func isSpaceRune(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }
