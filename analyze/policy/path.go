package policy

import (
	"errors"
	"net/url"
	"strings"
)

// pathGlob is one entry of allow_paths or deny_paths.
type pathGlob struct {
	text  string // as the file has it
	globs []*glob
}

// compilePath reads an entry. A denied directory is denied itself with all
// that is below it: `/etc/**` and `/etc/` deny `/etc` too. An allowed
// `/srv/**` allows what is below and not the directory, since in doubt a
// verdict denies.
func compilePath(text string, deny bool) (pathGlob, error) {
	p := pathGlob{text: text}
	if strings.TrimSpace(text) == "" {
		return p, errors.New("an empty pattern")
	}
	slashed := strings.ReplaceAll(text, `\`, "/")
	wild := false
	for s := range strings.SplitSeq(slashed, "/") {
		if s == ".." && wild {
			return p, errors.New(`".." behind a wildcard has no fixed meaning`)
		}
		wild = wild || strings.ContainsAny(s, "*?")
	}
	norm := normalise(text)
	forms := []string{norm}
	if deny {
		if below, ok := strings.CutSuffix(norm, "/**"); ok && below != "" {
			forms = append(forms, below)
		} else if strings.HasSuffix(slashed, "/") && norm != "/" {
			forms = append(forms, norm+"/**")
		}
	}
	for _, f := range forms {
		g, err := compileGlob(f, '/')
		if err != nil {
			return p, err
		}
		p.globs = append(p.globs, g)
	}
	return p, nil
}

// match takes a normalised path. A wildcard never stands for a leading "..":
// where such a path leads depends on a directory that nobody recorded.
func (p pathGlob) match(path string) bool {
	up := path == ".." || strings.HasPrefix(path, "../")
	for _, g := range p.globs {
		if up == g.dotdot && g.match(path, '/') {
			return true
		}
	}
	return false
}

// normalise cleans a path by its letters alone: `\` is a separator, doubled
// separators are one, `.` goes, `..` takes the segment before it. A relative
// path may keep leading `..`; an absolute one has none.
func normalise(path string) string {
	if clean(path) {
		return path
	}
	path = strings.ReplaceAll(path, `\`, "/")
	abs := strings.HasPrefix(path, "/")
	var out []string
	for seg := range strings.SplitSeq(path, "/") {
		switch seg {
		case "", ".":
		case "..":
			switch {
			case len(out) > 0 && out[len(out)-1] != "..":
				out = out[:len(out)-1]
			case !abs:
				out = append(out, "..")
			}
		default:
			out = append(out, seg)
		}
	}
	s := strings.Join(out, "/")
	switch {
	case abs:
		return "/" + s
	case s == "":
		return "."
	}
	return s
}

// clean reports a path that normalise would not change.
func clean(path string) bool {
	start := 0 // of the segment in hand
	if strings.HasPrefix(path, "/") {
		start = 1
	}
	for i := start; ; i++ {
		if i < len(path) && path[i] != '/' {
			if path[i] == '\\' {
				return false
			}
			continue
		}
		if seg := path[start:i]; seg == "" || seg == "." || seg == ".." {
			return false
		}
		if i == len(path) {
			return true
		}
		start = i + 1
	}
}

// pathReadings are the paths that a value may mean, normalised. A file URL is
// also read as the path that it names.
func pathReadings(value string) []string {
	value = strings.TrimSpace(value)
	out := []string{normalise(value)}
	if len(value) < 5 || !strings.EqualFold(value[:5], "file:") {
		return out
	}
	rest := value[5:]
	if strings.HasPrefix(rest, "//") {
		rest = rest[2:]
		if i := strings.IndexAny(rest, `/\`); i >= 0 {
			rest = rest[i:] // the host is cut
		}
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		out = append(out, normalise(rest)) // some readers keep them
		rest = rest[:i]
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return append(out, normalise(rest))
}
