package policy

import "fmt"

// maxPath is longer than any file system takes.
const maxPath = 32 << 10

// fs is the filesystem_write row: deny beats allow, and a constrained tool may
// write only where an entry says so.
func (c *call) fs(v *Verdict, r *fsRules) {
	if r == nil {
		return // not constrained
	}
	args := c.args.pick(FilesystemWrite, r.arg)
	if len(args) == 0 {
		args = []argument{{at: -1}}
	}
	for _, a := range args {
		if a.bad {
			c.deny(v, RuleFSDeny, "path_arg", a.at, "a path argument is no string")
			return
		}
		if len(a.text) > maxPath {
			c.deny(v, RuleFSDeny, "path_arg", a.at, fmt.Sprintf("a path of %d bytes", len(a.text)))
			return
		}
		for _, path := range pathReadings(a.text) {
			if d, ok := matchAny(r.deny, path); ok {
				c.deny(v, RuleFSDeny, "deny_paths", a.at, fmt.Sprintf("path %s matches deny_paths entry %s", reveal(a.text, path, path), show(d)))
				return
			}
			switch _, ok := matchAny(r.allow, path); {
			case len(r.allow) == 0:
				c.deny(v, RuleFSDeny, "allow_paths", a.at, "the tool is constrained and allow_paths is missing or empty, which denies every path")
				return
			case a.at < 0:
				c.deny(v, RuleFSDeny, "allow_paths", a.at, "the call has no path that allow_paths could allow")
				return
			case !ok || hasNUL(path):
				c.deny(v, RuleFSDeny, "allow_paths", a.at, fmt.Sprintf("path %s matches no allow_paths entry", reveal(a.text, path, path)))
				return
			}
		}
	}
}

// hasNUL finds what would end the path early for the system.
func hasNUL(path string) bool {
	for i := range len(path) {
		if path[i] == 0 {
			return true
		}
	}
	return false
}

func matchAny(entries []pathGlob, path string) (string, bool) {
	for _, e := range entries {
		if e.match(path) {
			return e.text, true
		}
	}
	return "", false
}
