package policy

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/lock"
)

// Most calls of a session give the policy nothing to say. What stands here says
// so of a call where that is certain, from its arguments laid flat, and makes no
// other statement: all else is left to Eval.

// manyArguments is the most values of a call that are judged here.
const manyArguments = 256

// quick is one call's arguments.
type quick struct {
	f     *jsonrpc.Flat
	nodes []jsonrpc.Node // of the arguments; their offsets are f's
	hints [manyArguments]lock.Hint
}

// each judges the arguments that tree.pick would find, and reports that there is
// one and that all are fine. Where one is no string it is left to Eval.
func (q *quick) each(s Shape, arg string, fine func(text []byte) bool) bool {
	hint := s.argHint()
	base := q.nodes[0].Next - int32(len(q.nodes)) // the number of the first node
	found := false
	for k := 1; k < len(q.nodes); k++ {
		n := &q.nodes[k]
		if q.nodes[n.Parent-base].Kind != jsonrpc.Object {
			continue
		}
		if arg == "" && q.hints[k]&hint == 0 || arg != "" && !q.f.KeyIs(n, arg) {
			continue
		}
		found = true
		end := int(n.Next - base)
		if n.Kind == jsonrpc.Array && s != ShellExec && n.Count > 0 {
			k++ // its elements, which have to be strings
		}
		for ; k < end; k++ {
			if e := &q.nodes[k]; e.Kind != jsonrpc.String || !fine(q.f.Text(e)) {
				return false
			}
		}
		k = end - 1
	}
	if found {
		return true
	}
	for k := range q.nodes {
		if n := &q.nodes[k]; n.Kind == jsonrpc.String {
			if !fine(q.f.Text(n)) {
				return false
			}
			found = true
		}
	}
	return found
}

// fs is call.fs.
func (q *quick) fs(r *fsRules) bool {
	return r == nil || q.each(FilesystemWrite, r.arg, func(text []byte) bool {
		if len(text) > maxPath {
			return false
		}
		path := strings.TrimSpace(string(text))
		if len(path) >= 5 && path[4] == ':' { // perhaps a file URL, which is read in more ways
			return false
		}
		path = normalise(path)
		if _, denied := matchAny(r.deny, path); denied {
			return false
		}
		_, ok := matchAny(r.allow, path)
		return ok && !hasNUL(path)
	})
}

// shell is call.shell.
func (q *quick) shell(r *shellRules) bool {
	return r.allow && q.each(ShellExec, r.arg, func(text []byte) bool {
		return metachar(text) == "" && (!r.limited || slices.Contains(r.commands, commandWord(string(text))))
	})
}

// sql is call.sql for queries that their words settle, whatever is a quote or a
// comment in them: they begin with one, no `;` can begin a second statement, and
// none of the words that would be looked at is one to deny.
func (q *quick) sql(r *sqlRules) bool {
	return q.each(SQLQuery, r.arg, func(text []byte) bool {
		for len(text) > 0 && (text[0] == ' ' || text[0] >= '\t' && text[0] <= '\r' || text[0] == '(') {
			text = text[1:]
		}
		var room wordRoom
		first, rest := room.next(text)
		if len(first) == 0 || r.deny[string(first)] != nil || r.readonly && !readWords[string(first)] || bytes.IndexByte(rest, ';') >= 0 {
			return false
		}
		if f := string(first); f != "WITH" && f != "EXPLAIN" {
			return true
		}
		// In these every word counts. Those of the code are words of the text too:
		// what begins or ends a quote or a comment is no part of a word.
		for len(rest) > 0 {
			if !asciiWord(rest[0]) && rest[0] < utf8.RuneSelf {
				rest = rest[1:]
				continue
			}
			var w []byte
			if w, rest = room.next(rest); len(w) == 0 || r.deny[string(w)] != nil || r.readonly && writeWords[string(w)] {
				return false
			}
		}
		return true
	})
}

// wordRoom holds a word in upper case.
type wordRoom [24]byte

// next reads the word that text begins with; nil for none, and for one that is
// too long or not of ASCII alone.
func (room *wordRoom) next(text []byte) (word, rest []byte) {
	n := 0
	for n < len(text) && asciiWord(text[n]) {
		if n == len(room) {
			return nil, text
		}
		c := text[n]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		room[n] = c
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf {
		return nil, text
	}
	return room[:n], text[n:]
}

func asciiWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
