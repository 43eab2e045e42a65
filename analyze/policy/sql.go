package policy

import (
	"fmt"
	"slices"
	"strings"
)

// writeWords deny a WITH or EXPLAIN that is to be read-only, although they are
// no part of deny_statements: as a first word they would be refused as well.
var writeWords = wordSet(`INSERT MERGE REPLACE UPSERT CALL EXEC EXECUTE CREATE RENAME COPY LOAD IMPORT REFRESH
	REINDEX VACUUM ATTACH DETACH INTO`)

// readWords may begin a read-only statement.
var readWords = wordSet("SELECT WITH EXPLAIN")

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// sql is the sql_query rows.
func (c *call) sql(v *Verdict, r *sqlRules) {
	args := c.args.pick(SQLQuery, r.arg)
	if len(args) == 0 {
		args = []argument{{at: -1}} // no statement at all: the first word is missing
	}
	read := make([][]statement, len(args))
	for i, a := range args {
		if a.bad {
			continue
		}
		read[i] = readSQL(a.text)
		if slices.ContainsFunc(read[i], func(s statement) bool { return s.stacked }) {
			c.deny(v, RuleSQLStacked, "sql_query", a.at, "the query holds more than one statement")
			return
		}
	}
	for i, a := range args {
		if a.bad {
			c.deny(v, RuleSQLDeny, "query_arg", a.at, "a query argument is no string")
			return
		}
		for _, s := range read[i] {
			if constraint, reason := s.denied(r); reason != "" {
				c.deny(v, RuleSQLDeny, constraint, a.at, reason)
				return
			}
		}
	}
}

// denied says which constraint a statement breaks and why; "" for none.
func (s *statement) denied(r *sqlRules) (constraint, reason string) {
	for _, first := range s.first {
		upper := upperASCII(first.text)
		if entry := r.deny.at(s, first); entry != "" {
			return "deny_statements", fmt.Sprintf("%s is in deny_statements", show(entry))
		}
		switch {
		case r.readonly && first.text == "":
			return "allow_readonly_only", "the query does not begin with a word"
		case r.readonly && !readWords[upper]:
			return "allow_readonly_only", fmt.Sprintf("%s is not SELECT, WITH or EXPLAIN", reveal(s.text, first.text, first.text))
		}
		if upper != "WITH" && upper != "EXPLAIN" {
			continue
		}
		for w := range s.words(0) {
			if entry := r.deny.at(s, w); entry != "" {
				return "deny_statements", fmt.Sprintf("%s stands in the %s statement", show(entry), upper)
			}
			if up := strings.ToUpper(w.text); r.readonly && writeWords[up] && !(up == "REPLACE" && s.called(w)) {
				return "deny_statements", fmt.Sprintf("%s stands in the %s statement", up, upper)
			}
		}
	}
	return "", ""
}

// at names the entry that begins with a word of a statement, "" for none. Where
// the reading is in doubt, comments count as code and may stand between the
// words of an entry: there the first word is enough.
func (d statements) at(s *statement, w word) string {
	upper := strings.ToUpper(w.text)
	entries := d[upper]
	if entries == nil {
		return ""
	}
	var next []string
	longest := 0
	for _, e := range entries {
		longest = max(longest, len(e))
	}
	if longest > 0 && !s.doubt {
		for n := range s.words(w.end) {
			if next = append(next, strings.ToUpper(n.text)); len(next) == longest {
				break
			}
		}
	}
	for _, e := range entries {
		if len(e) == 0 || s.doubt || len(next) >= len(e) && slices.Equal(next[:len(e)], e) {
			return strings.Join(append([]string{upper}, e...), " ")
		}
	}
	return ""
}

// upperASCII folds the letters that keywords are made of: a long s is no S.
func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}
