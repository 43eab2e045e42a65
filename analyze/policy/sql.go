package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writeWords deny a WITH or EXPLAIN that is to be read-only, although they are
// no part of deny_statements: as a first word they would be refused as well.
var writeWords = map[string]bool{"INSERT": true, "MERGE": true}

// readWords may begin a read-only statement.
var readWords = map[string]bool{"SELECT": true, "WITH": true, "EXPLAIN": true}

// sql is the sql_query rows.
func (c *call) sql(v *Verdict, r *sqlRules) {
	args := c.args.pick(SQLQuery, r.arg)
	if len(args) == 0 {
		args = []argument{{at: -1}} // no statement at all: the first word is missing
	}
	read := make([]statement, len(args))
	for i, a := range args {
		if a.bad {
			continue
		}
		read[i] = readSQL(a.text)
		if read[i].stacked {
			c.deny(v, RuleSQLStacked, "sql_query", a.at, "the query holds more than one statement")
			return
		}
	}
	for i, a := range args {
		s := read[i]
		switch {
		case a.bad:
			c.deny(v, RuleSQLDeny, "query_arg", a.at, "a query argument is no string")
		case r.deny[s.first]:
			c.deny(v, RuleSQLDeny, "deny_statements", a.at, fmt.Sprintf("%s is in deny_statements", show(s.first)))
		case r.readonly && s.first == "":
			c.deny(v, RuleSQLDeny, "allow_readonly_only", a.at, "the query does not begin with a word")
		case r.readonly && !readWords[s.first]:
			c.deny(v, RuleSQLDeny, "allow_readonly_only", a.at, fmt.Sprintf("%s is not SELECT, WITH or EXPLAIN", show(s.first)))
		case s.first == "WITH" || s.first == "EXPLAIN":
			for w := range s.words() {
				if r.deny[w] || r.readonly && writeWords[w] {
					c.deny(v, RuleSQLDeny, "deny_statements", a.at, fmt.Sprintf("%s stands in the %s statement", show(w), s.first))
					break
				}
			}
		}
		if !v.Allow {
			return
		}
	}
}

// statement is what a query says of itself without being parsed.
type statement struct {
	first   string // first word in upper case, after comments, white space and "("
	stacked bool   // a second statement follows
	text    string
	code    []span // the parts outside quotes and comments; nil when in doubt: all
	doubt   bool   // dialects read it differently
}

type span struct{ start, end int }

// readSQL cuts a query into code, quotes and comments. Where dialects differ
// about that (dollar tags, backslash quotes, executable and nested comments,
// `--` without a space, NUL) or something is left open, every `;` separates and
// every word counts.
func readSQL(q string) statement {
	s := statement{text: q}
	code := 0
	i := 0
	skip := func(to int) {
		if i > code {
			s.code = append(s.code, span{code, i})
		}
		i, code = to, to
	}
	for i < len(q) {
		switch ch := q[i]; {
		case ch == '\'' || ch == '"' || ch == '`':
			end := strings.IndexByte(q[i+1:], ch)
			if end < 0 {
				s.doubt = true
				end = len(q) - i - 2
			}
			skip(i + end + 2)
		case ch == '-' && strings.HasPrefix(q[i:], "--"):
			// MySQL asks for white space behind it.
			if i+2 < len(q) && q[i+2] > ' ' {
				s.doubt = true
			}
			end := strings.IndexByte(q[i:], '\n')
			if end < 0 {
				end = len(q) - i
			}
			if cr := strings.IndexByte(q[i:i+end], '\r'); cr >= 0 && cr < end-1 {
				s.doubt = true
			}
			skip(i + end)
		case ch == '/' && strings.HasPrefix(q[i:], "/*"):
			end := strings.Index(q[i+2:], "*/")
			body := q[i+2:]
			if end < 0 {
				s.doubt = true
				skip(len(q))
				break
			}
			body = body[:end]
			if strings.HasPrefix(body, "!") || strings.HasPrefix(body, "M!") || strings.Contains(body, "/*") {
				s.doubt = true
			}
			skip(i + 2 + end + 2)
		case ch == '$':
			if dollarTag(q[i:]) {
				s.doubt = true
			}
			i++
		case ch == '\\':
			if i+1 < len(q) && (q[i+1] == '\'' || q[i+1] == '"' || q[i+1] == '`') {
				s.doubt = true
			}
			i++
		case ch == 0:
			s.doubt = true
			i++
		default:
			i++
		}
	}
	skip(len(q))
	if !s.doubt && (strings.Contains(q, `\'`) || strings.Contains(q, `\"`) || strings.Contains(q, "\\`")) {
		s.doubt = true
	}
	if s.doubt {
		s.code = []span{{0, len(q)}}
	}
	s.stacked = s.two()
	s.first = firstWord(q)
	return s
}

// dollarTag says whether a text begins with $$ or $tag$.
func dollarTag(q string) bool {
	for i, r := range q[1:] {
		if r == '$' {
			return true
		}
		if !wordRune(r) || i > 256 {
			return false
		}
	}
	return false
}

// two says whether a `;` has more after it than further `;`, white space and,
// where there is no doubt, comments.
func (s *statement) two() bool {
	seen := false
	end := 0
	for _, c := range s.code {
		// A quote between two pieces of code is more, a comment is not.
		if seen && quoted(s.text[end:c.start]) {
			return true
		}
		for _, r := range s.text[c.start:c.end] {
			switch {
			case r == ';':
				seen = true
			case seen && !unicode.IsSpace(r):
				return true
			}
		}
		end = c.end
	}
	return seen && quoted(s.text[end:])
}

// quoted says whether what lies between two pieces of code, quotes and
// comments one after the other, holds a quote. Comments are cut off from the
// front until one is found.
func quoted(gap string) bool {
	for gap != "" {
		switch {
		case strings.HasPrefix(gap, "--"):
			end := strings.IndexByte(gap, '\n')
			if end < 0 {
				return false
			}
			gap = gap[end:]
		case strings.HasPrefix(gap, "/*"):
			end := strings.Index(gap[2:], "*/")
			if end < 0 {
				return false
			}
			gap = gap[end+4:]
		default:
			return strings.TrimSpace(gap) != ""
		}
	}
	return false
}

// firstWord skips comments, white space and "(". The content of an executable
// comment is code.
func firstWord(q string) string {
	for q != "" {
		r, n := utf8.DecodeRuneInString(q)
		switch {
		case unicode.IsSpace(r) || r == '(':
			q = q[n:]
		case strings.HasPrefix(q, "--"):
			end := strings.IndexAny(q, "\r\n")
			if end < 0 {
				return ""
			}
			q = q[end:]
		case strings.HasPrefix(q, "/*!") || strings.HasPrefix(q, "/*M!"):
			q = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(q, "/*"), "M")[1:], "0123456789")
		case strings.HasPrefix(q, "/*"):
			end := strings.Index(q[2:], "*/")
			if end < 0 {
				return ""
			}
			q = q[end+4:]
		case strings.HasPrefix(q, "*/"):
			q = q[2:] // the end of an executable comment
		default:
			end := strings.IndexFunc(q, func(r rune) bool { return !wordRune(r) })
			if end < 0 {
				end = len(q)
			}
			return strings.ToUpper(q[:end])
		}
	}
	return ""
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// words are the words of the code, in upper case.
func (s *statement) words() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range s.code {
			for w := range strings.FieldsFuncSeq(s.text[c.start:c.end], func(r rune) bool { return !wordRune(r) }) {
				if len(w) <= 64 && !yield(strings.ToUpper(w)) {
					return
				}
			}
		}
	}
}
