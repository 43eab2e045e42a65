package policy

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// statement is what one reading of a query says of it without parsing it.
type statement struct {
	first   []word // first words after comments, white space and "(", by every way to read the comments
	stacked bool   // a second statement follows
	text    string
	code    []span // the parts outside quotes and comments; the whole text when in doubt
	doubt   bool   // dialects read it differently, or something is left open
}

type span struct{ start, end int }

// word is a word of a query as it is spelled, and where it ends.
type word struct {
	text string
	end  int
}

// dialect says what a reading takes for a quote or a comment beyond what all do.
type dialect struct {
	hash     bool // `#` begins a comment (MySQL, BigQuery)
	slashes  bool // `//` begins a comment (Snowflake)
	braces   bool // `{...}` is a comment (Informix)
	brackets bool // `[...]` is a name (T-SQL, SQLite)
	twice    bool // and `]]` in it is a bracket (T-SQL alone)
	custom   bool // q'[...]' is a string (Oracle)
	triple   bool // ”'...”' and """...""" are strings (BigQuery)
}

// readSQL reads a query as each dialect does that would read it differently:
// what one takes for a quote may be another's comment, which then hides or shows
// what follows. One deny among the readings is enough.
func readSQL(q string) []statement {
	dialects := []dialect{{}}
	add := func(yes bool, d ...dialect) {
		if yes {
			dialects = append(dialects, d...)
		}
	}
	triple := strings.Contains(q, "'''") || strings.Contains(q, `"""`)
	add(strings.Contains(q, "#"), dialect{hash: true})
	add(triple, dialect{hash: true, triple: true})
	add(strings.Contains(q, "//"), dialect{slashes: true})
	add(strings.Contains(q, "{"), dialect{braces: true})
	add(strings.Contains(q, "["), dialect{brackets: true})
	add(strings.Contains(q, "]]"), dialect{brackets: true, twice: true})
	add(strings.Contains(q, "q'") || strings.Contains(q, "Q'"), dialect{custom: true})
	first := firstWords(q)
	out := make([]statement, 0, len(dialects))
	for _, d := range dialects {
		s := readAs(q, d)
		s.first = first
		out = append(out, s)
	}
	return out
}

// readAs cuts a query into code, quotes and comments. Where dialects differ
// about that in ways that have no reading of their own (dollar tags, backslash
// quotes, executable and nested comments, `--` without a space, NUL) or something
// is left open, every `;` separates and every word counts.
func readAs(q string, d dialect) statement {
	s := statement{text: q}
	code, i, more := 0, 0, false
	var quotes []bool // before code span k, and after the last, something quoted stands
	skip := func(to int, quote bool) {
		if i > code {
			s.code = append(s.code, span{code, i})
			quotes = append(quotes, more)
			more = false
		}
		more = more || quote
		i, code = to, to
	}
	open := func() { s.doubt = true; skip(len(q), true) }
	until := func(from int, end string, quote bool) {
		if n := strings.Index(q[from:], end); n < 0 {
			open()
		} else {
			skip(from+n+len(end), quote)
		}
	}
	line := func() {
		end := strings.IndexByte(q[i:], '\n')
		if end < 0 {
			end = len(q) - i
		}
		if cr := strings.IndexByte(q[i:i+end], '\r'); cr >= 0 && cr < end-1 {
			s.doubt = true // it ends the comment for some
		}
		skip(i+end, false)
	}
	for i < len(q) {
		rest := q[i:]
		switch ch := q[i]; {
		case d.triple && (strings.HasPrefix(rest, "'''") || strings.HasPrefix(rest, `"""`)):
			until(i+3, rest[:3], true)
		case ch == '\'' && d.custom && customQuote(q, i):
			r, n := utf8.DecodeRuneInString(q[i+1:])
			until(i+1+n, string(closer(r))+"'", true)
		case ch == '\'' || ch == '"' || ch == '`':
			until(i+1, q[i:i+1], true)
		case ch == '[' && d.brackets:
			end := i + 1
			for {
				n := strings.IndexByte(q[end:], ']')
				if n < 0 {
					end = -1
					break
				}
				if end += n + 1; !d.twice || end >= len(q) || q[end] != ']' {
					break
				}
				end++
			}
			if end < 0 {
				open()
			} else {
				skip(end, true)
			}
		case ch == '{' && d.braces:
			until(i+1, "}", false)
		case ch == '#' && d.hash, d.slashes && strings.HasPrefix(rest, "//"):
			line()
		case strings.HasPrefix(rest, "--"):
			// MySQL asks for white space behind it.
			if len(rest) > 2 && rest[2] > ' ' {
				s.doubt = true
			}
			line()
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				open()
				break
			}
			body := rest[2 : 2+end]
			if strings.HasPrefix(body, "!") || strings.HasPrefix(body, "M!") || strings.Contains(body, "/*") {
				s.doubt = true
			}
			skip(i+2+end+2, false)
		default:
			if ch == '$' && dollarTag(rest) || ch == 0 {
				s.doubt = true
			}
			i++
		}
	}
	skip(len(q), false)
	if strings.Contains(q, `\'`) || strings.Contains(q, `\"`) || strings.Contains(q, "\\`") {
		s.doubt = true
	}
	if s.doubt {
		s.code, quotes, more = []span{{0, len(q)}}, []bool{false}, false
	}
	s.stacked = s.two(quotes, more)
	return s
}

// customQuote says whether the quote at q[i] begins an Oracle string with a
// delimiter of its own: q'[...]' or nq'[...]', q not being the end of a word.
func customQuote(q string, i int) bool {
	if i == 0 || q[i-1]|0x20 != 'q' || i+1 >= len(q) {
		return false
	}
	before := q[:i-1]
	if strings.HasSuffix(before, "n") || strings.HasSuffix(before, "N") {
		before = before[:len(before)-1]
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !wordRune(r)
}

func closer(r rune) rune {
	switch r {
	case '[':
		return ']'
	case '{':
		return '}'
	case '(':
		return ')'
	case '<':
		return '>'
	}
	return r
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
// where there is no doubt, comments. quotes and end say before which spans of
// the code something quoted stands, and whether it does at the end.
func (s *statement) two(quotes []bool, end bool) bool {
	seen := false
	for k, c := range s.code {
		if seen && quotes[k] {
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
	}
	return seen && end
}

// firstWords are the first words of a query after comments, white space and "(".
// Dialects differ about comments: the content of an executable one is code or
// not, comments nest or not, a carriage return ends a line or not.
func firstWords(q string) []word {
	var out []word
	for variant := range 8 {
		if variant&1 != 0 && !strings.Contains(q, "!") || variant&2 != 0 && !strings.Contains(q, "/*") || variant&4 != 0 && !strings.Contains(q, "\r") {
			continue
		}
		w := firstWord(q, variant&1 != 0, variant&2 != 0, variant&4 != 0)
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if some := slices.DeleteFunc(slices.Clone(out), func(w word) bool { return w.text == "" && w.end == len(q) }); len(some) > 0 {
		return some // to whom all is comment nothing is said
	}
	return out
}

func firstWord(q string, executable, nested, lineFeed bool) word {
	ends := "\r\n"
	if lineFeed {
		ends = "\n"
	}
	for i := 0; i < len(q); {
		rest := q[i:]
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r) || r == '(':
			i += n
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexAny(rest, ends)
			if end < 0 {
				return word{end: len(q)}
			}
			i += end
		case executable && (strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!")):
			i += strings.IndexByte(rest, '!') + 1
			for i < len(q) && q[i] >= '0' && q[i] <= '9' {
				i++
			}
		case strings.HasPrefix(rest, "/*"):
			end := commentEnd(rest, nested)
			if end < 0 {
				return word{end: len(q)}
			}
			i += end
		case executable && strings.HasPrefix(rest, "*/"):
			i += 2
		default:
			end := strings.IndexFunc(rest, func(r rune) bool { return !wordRune(r) })
			if end < 0 {
				end = len(rest)
			}
			return word{rest[:end], i + end}
		}
	}
	return word{end: len(q)}
}

// commentEnd is the length of the comment that a text begins with, -1 where it
// is left open.
func commentEnd(q string, nested bool) int {
	depth := 1
	for i := 2; i+1 < len(q); i++ {
		switch {
		case q[i] == '*' && q[i+1] == '/':
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		case nested && q[i] == '/' && q[i+1] == '*':
			i++
			depth++
		}
	}
	return -1
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// words are the words of the code from a place on.
func (s *statement) words(from int) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		k := sort.Search(len(s.code), func(k int) bool { return s.code[k].end > from })
		for ; k < len(s.code); k++ {
			end := s.code[k].end
			for i := max(from, s.code[k].start); i < end; {
				r, n := utf8.DecodeRuneInString(s.text[i:end])
				if !wordRune(r) {
					i += n
					continue
				}
				a := i
				for i < end && wordRune(r) {
					i += n
					r, n = utf8.DecodeRuneInString(s.text[i:end])
				}
				if !yield(word{s.text[a:i], i}) {
					return
				}
			}
		}
	}
}

// called says whether an opening parenthesis follows a word: REPLACE is a
// function as well, and no statement goes on so.
func (s *statement) called(w word) bool {
	rest := strings.TrimLeftFunc(s.text[w.end:], unicode.IsSpace)
	return strings.HasPrefix(rest, "(")
}
