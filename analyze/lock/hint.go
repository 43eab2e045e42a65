package lock

import "unicode/utf8"

// Hint is what the pieces of a name tell of a tool: a set of word lists that
// have one of them.
type Hint uint16

// Hints. Those of argument names stand for the lists of policy.md, section 1,
// too.
const (
	hintShellName Hint = 1 << iota
	hintWriteName
	hintReadName
	hintHTTPName
	hintSQLName
	hintReadPath
	hintWriteData
	// HintPath: the name of a path to write to.
	HintPath
	// HintShell: the name of a command.
	HintShell
	// HintHTTP: the name of a URL or host.
	HintHTTP
	// HintSQL: the name of a query.
	HintSQL
)

// hintWords are all lists by their words.
var hintWords = func() map[string]Hint {
	m := map[string]Hint{}
	for h, list := range map[Hint]set{
		hintShellName: shellNames, hintWriteName: writeNames, hintReadName: readNames, hintHTTPName: httpNames, hintSQLName: sqlNames,
		hintReadPath: readPaths, hintWriteData: writeData,
		HintPath: writePaths, HintShell: shellProps, HintHTTP: httpProps, HintSQL: sqlProps,
	} {
		for w := range list {
			if len(w) > longestWord {
				panic("a word longer than longestWord: " + w)
			}
			m[w] |= h
		}
	}
	return m
}()

const longestWord = 10

// hintLengths are the lengths of the words by their first letter, a bit each:
// most pieces of names are none of the words, and need no look into the map.
var hintLengths = func() (t [256]uint16) {
	for w := range hintWords {
		t[w[0]] |= 1 << len(w)
	}
	return t
}()

// HintOf gives the lists that one of a name's pieces (see Pieces) stands in. A
// plain name takes no memory.
func HintOf[T string | []byte](name T) Hint {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			var h Hint
			for _, p := range Pieces(string(name)) {
				h |= hintWords[p]
			}
			return h
		}
	}
	var h Hint
	var room [longestWord]byte
	start, n := 0, 0 // of the piece in hand; its length, and its letters in room
	flush := func() {
		if n > 0 && n <= len(room) && hintLengths[room[0]]>>n&1 != 0 {
			h |= hintWords[string(room[:n])]
		}
		n = 0
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ' || c >= '\t' && c <= '\r':
			flush()
			start = i + 1
			continue
		case i > start && upper(c):
			// As in Pieces: behind a small letter or digit, or as the last
			// capital of a run, it begins the next word.
			before := name[i-1]
			if lower(before) || before >= '0' && before <= '9' || upper(before) && i+1 < len(name) && lower(name[i+1]) {
				flush()
				start = i
			}
		}
		if upper(c) {
			c |= 0x20
		}
		if n < len(room) {
			room[n] = c
		}
		n++
	}
	flush()
	return h
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// readsFiles and its siblings say whether a tool has a capability, by the hints
// of its name and those of its arguments' names.
func (name Hint) readsFiles(args Hint) bool { return name&hintReadName != 0 && args&hintReadPath != 0 }

// WritesFiles is that of FSWrite.
func (name Hint) WritesFiles(args Hint) bool {
	return args&HintPath != 0 && (name&hintWriteName != 0 || args&hintWriteData != 0)
}

// SendsRequests is that of HTTPRequest.
func (name Hint) SendsRequests(args Hint) bool { return name&hintHTTPName != 0 || args&HintHTTP != 0 }

// RunsShell is that of ShellExec.
func (name Hint) RunsShell(args Hint) bool { return name&hintShellName != 0 || args&HintShell != 0 }

// Queries is that of SQLQuery.
func (name Hint) Queries(args Hint) bool { return name&hintSQLName != 0 || args&HintSQL != 0 }
