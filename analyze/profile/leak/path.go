package leak

import "strings"

// roots are the first segments of absolute paths that systems really have.
// Below them any path counts; elsewhere a path needs more to be told from a
// URL path or a JSON Pointer.
var roots = set("etc home usr var tmp opt srv root app proc sys dev mnt media lib lib64 bin sbin boot run " +
	"Users private Applications Library System Volumes workspace workspaces nix snap www")

// extensions end the names of files that errors name.
var extensions = set("py pyc pyi js mjs cjs jsx ts tsx mts go rs java kt scala rb php c cc cpp cxx h hpp cs fs vb swift m " +
	"pl pm lua sh bash zsh ps1 bat cmd exe dll so dylib jar war class json jsonl yaml yml toml ini cfg conf env " +
	"properties xml html htm css sql sqlite sqlite3 db log lock pem key crt cer p12 pfx txt md csv tsv ipynb zip gz tar " +
	"sock pid service bak tmp")

// context are words that make an absolute path of any root a file's.
var context = []string{"no such file", "enoent", "eacces", "eperm", "eisdir", "enotdir", "permission denied",
	"is a directory", "not a directory", "file not found", "cannot open", "can't open", "could not open",
	"failed to open", "failed to read", "no such directory", "read-only file system"}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// findPath finds the first file path: absolute Unix paths, drive letters, UNC,
// file: URLs, home-relative ones, and relative ones that name a file.
func findPath(text string) (int, int) {
	if strings.IndexByte(text, '/') < 0 && strings.IndexByte(text, '\\') < 0 {
		return 0, 0
	}
	low, ready, files := "", false, false
	for i := 0; i < len(text); {
		if !pathByte(text[i]) {
			i++
			continue
		}
		j := i
		slash := false
		for j < len(text) && pathByte(text[j]) {
			slash = slash || text[j] == '/' || text[j] == '\\'
			j++
		}
		if slash {
			if !ready {
				ready, low = true, lowerASCII(text)
				for _, w := range context {
					files = files || strings.Contains(low, w)
				}
			}
			if a, b := pathIn(text[i:j], files); b > a {
				return i + a, i + b
			}
		}
		i = j
	}
	return 0, 0
}

// pathByte is what a path may hold without quotes, and the colon of drives and
// line numbers.
func pathByte(c byte) bool {
	return isAlnum(c) || c >= 0x80 || strings.IndexByte("/\\._-~+@:%$#*!{}[]", c) >= 0
}

// pathIn finds a path in one run of path characters.
func pathIn(w string, files bool) (int, int) {
	if i := strings.Index(w, "://"); i >= 0 {
		if strings.EqualFold(w[max(0, i-4):i], "file") {
			return max(0, i-4), len(w)
		}
		return 0, 0 // a URL: its path is no file's
	}
	// What stands before a path: brackets, "path:", "file=" are cut by the
	// callers' character set but for these.
	start := 0
	for start < len(w) && strings.IndexByte("[{*!:#", w[start]) >= 0 {
		start++
	}
	p := strings.TrimRight(w[start:], ".:!]}")
	if i := strings.IndexByte(p, ':'); i > 1 && i+1 < len(p) && (p[i+1] == '/' || p[i+1] == '\\') {
		start, p = start+i+1, p[i+1:] // "open:/etc/x"
	} else if i := strings.IndexByte(p, ':'); i > 1 && i+3 < len(p) && isLetter(p[i+1]) && p[i+2] == ':' {
		start, p = start+i+1, p[i+1:] // "file:C:\x"
	}
	switch {
	case len(p) > 3 && isLetter(p[0]) && p[1] == ':' && (p[2] == '\\' || p[2] == '/') && isName(p[3]):
		return start, start + len(p)
	case strings.HasPrefix(p, `\\`) && len(p) > 4 && isName(p[2]) && strings.IndexByte(p[3:], '\\') > 0:
		return start, start + len(p)
	case (strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`)) && len(p) > 2 && isName(p[2]):
		return start, start + len(p)
	case p != "" && p[0] == '/':
		if absolute(p, files) {
			return start, start + len(p)
		}
	case relative(p):
		return start, start + len(p)
	}
	return 0, 0
}

func isName(c byte) bool {
	return isAlnum(c) || c == '.' || c == '_' || c == '$' || c == '%' || c >= 0x80
}

// absolute tells a file's path from other things that begin with a slash.
func absolute(p string, files bool) bool {
	segs := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
	if len(segs) == 0 || strings.HasPrefix(p, "//") {
		return false
	}
	if files {
		return true
	}
	if len(segs) == 1 {
		return named(segs[0])
	}
	return roots[segs[0]] || named(segs[len(segs)-1])
}

// relative reports a path without a root that names a file: "src/main.py",
// "../conf/keys.pem". A first segment with a dot is a host's name.
func relative(p string) bool {
	p = strings.ReplaceAll(p, `\`, "/")
	i := strings.LastIndexByte(p, '/')
	if i <= 0 || i == len(p)-1 {
		return false
	}
	first, _, _ := strings.Cut(p, "/")
	if first != "." && first != ".." && strings.Contains(first, ".") && first[0] != '.' {
		return false
	}
	return isName(p[0]) && named(p[i+1:])
}

// named reports a file name with an extension of the list; line and column may
// follow it.
func named(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	i := strings.LastIndexByte(s, '.')
	return i > 0 && extensions[strings.ToLower(s[i+1:])]
}
