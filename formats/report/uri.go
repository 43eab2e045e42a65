package report

import (
	"path/filepath"
	"strings"
)

// traceURI is the URI reference of a trace (RFC 3986): relative where the
// trace's name is, or where it lies below root; a file URI for another absolute
// path. Everything outside the unreserved characters is percent-encoded by
// byte, so blanks, #, %, ?, colons (which would make the first part a scheme)
// and bytes that are no UTF-8 are fine.
func traceURI(name, root string) string {
	switch name {
	case "-", "<stdin>", "":
		return "stdin"
	}
	if root = strings.TrimSuffix(root, "/"); root != "" {
		if rest, ok := strings.CutPrefix(name, root+"/"); ok {
			name = rest
		}
	}
	var b strings.Builder
	switch {
	case strings.HasPrefix(name, "/"):
		b.WriteString("file://")
	case filepath.IsAbs(name): // a drive letter, on Windows alone
		b.WriteString("file:///")
		name = filepath.ToSlash(name)
	}
	absolute := strings.HasPrefix(name, "/")
	wrote := false
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." {
			continue // "//host" must not name a host
		}
		if wrote || absolute {
			b.WriteByte('/')
		}
		wrote = true
		for i := 0; i < len(part); i++ {
			encode(&b, part[i])
		}
	}
	if !wrote {
		b.WriteByte('.')
	}
	return b.String()
}

func encode(b *strings.Builder, c byte) {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
		c == '-', c == '.', c == '_', c == '~', c == '!', c == '+', c == '=', c == ',', c == '@':
		b.WriteByte(c)
		return
	}
	const upper = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(upper[c>>4])
	b.WriteByte(upper[c&15])
}
