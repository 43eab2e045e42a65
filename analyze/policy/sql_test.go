package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSQL(t *testing.T) {
	p := mustLoad(t, "tools:\n  q: {sql_query: {}}\n")
	const (
		ok      = ""
		stacked = RuleSQLStacked
		deny    = RuleSQLDeny
	)
	for _, c := range []struct{ query, want string }{
		{"SELECT 1", ok}, {" \n\tselect 1", ok}, {"SELECT(1)", ok}, {"((SELECT 1))", ok}, {"SELECT\"x\"", ok}, {"SELECT*FROM t", ok},
		{"SELECTX 1", deny}, {"SELECT1", deny}, {"SELÉCT 1", deny}, {"", deny}, {"   ", deny}, {"-- only", deny}, {"/* only */", deny}, {"'SELECT'", deny}, {"1", deny},
		{"SHOW TABLES", deny}, {"drop table t", deny}, {"Update t set a=1", deny}, {"VALUES (1)", deny}, {"\ufeffSELECT 1", deny},
		{"-- c\nSELECT 1", ok}, {"-- c\rSELECT 1", ok}, {"/* c */ SELECT 1", ok}, {"/* a *//* b */-- c\n(SELECT 1)", ok}, {"/* c */ DROP TABLE t", deny}, {"-- SELECT\nDROP TABLE t", deny},
		{"/*!50000 DROP TABLE t */", deny}, {"/*! SELECT */ DROP TABLE t", deny}, {"/*M! DROP */", deny}, {"/*+ hint */ SELECT 1", ok},

		{"SELECT 1;", ok}, {"SELECT 1 ; ;; \n", ok}, {"SELECT 1; -- done", ok}, {"SELECT 1; /* done; */ ;", ok},
		{"SELECT 1; DROP TABLE t", stacked}, {"SELECT 1;DELETE FROM t", stacked}, {"SELECT 1;\nSELECT 2", stacked}, {";SELECT 1", stacked}, {"SELECT 1; -- a\n SELECT 2", stacked}, {"SELECT 1; /* a */ SELECT 2", stacked},
		{"SELECT 1; 'x'", stacked}, {"SELECT 1;'x'", stacked}, {"SELECT 1;/* a */\"x\"", stacked}, {"SELECT 1;-- a\n'x'", stacked},
		{"SELECT 'a;b'", ok}, {"SELECT ';', \";\", `;`", ok}, {"SELECT 'it''s; fine'", ok}, {"SELECT 1 -- a; b", ok}, {"SELECT 1 /* ; x */", ok}, {"SELECT 'a' || ';' || 'b; c'", ok},
		{"SELECT '--'; DROP TABLE t", stacked}, {"SELECT '/*'; DROP TABLE t; -- '*/'", stacked}, {"SELECT \"'\"; DROP TABLE t --'", stacked},

		// read differently by different dialects, or left open: every ; counts
		{"SELECT $$a;b$$", stacked}, {"SELECT $tag$ ; $tag$", stacked}, {"SELECT $1; ", ok}, {"SELECT $1 + $2 -- ; a", ok},
		{`SELECT 'a\'; DROP TABLE t; --'`, stacked}, {`SELECT 'C:\'`, ok}, {`SELECT 'a\\b;c'`, ok}, {`SELECT "a\";b"`, stacked},
		{"SELECT 1 /*! ; DROP TABLE t */", stacked}, {"SELECT 1 /* /* */ ; DROP TABLE t */", stacked}, {"SELECT 1 --x; DROP TABLE t", stacked},
		{"SELECT 'open; x", stacked}, {"SELECT 1 /* open; x", stacked}, {"SELECT 'open", ok}, {"SELECT 1 # ; DROP", stacked}, {"SELECT 1 -- a\r; DROP TABLE t", stacked}, {"SELECT 'a\x00;b'", ok}, {"SELECT 1 \x00 ';x'", stacked},

		{"WITH x AS (SELECT 1) SELECT * FROM x", ok}, {"WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", deny}, {"with x as (insert into t values (1)) select 1", deny},
		{"WITH x AS (SELECT 'delete') SELECT \"drop\" FROM x", ok}, {"WITH x AS (SELECT 1 /* drop */) SELECT 1 -- drop", ok}, {"WITH x AS (SELECT deleted FROM t) SELECT 1", ok},
		{"EXPLAIN SELECT 1", ok}, {"EXPLAIN ANALYZE DELETE FROM t", deny}, {"explain (analyze) merge into t", deny}, {"EXPLAIN SELECT 'a\\' DELETE'", deny},
		// what one dialect takes for a comment or a name is code to another
		{"select 1 # '\n ; drop table x -- '", stacked}, {"select [a'] ; drop table x -- '", stacked}, {"select q'[']' ; drop table x --'", stacked}, {"select nQ'!'!' ; drop table x --'", stacked},
		{"select 1 // '\n ; drop table x -- '", stacked}, {"select 1 { ' } ; drop table x -- '", stacked}, {"select '''a' ''' ; drop table x -- '", stacked}, {"select [a]]'] ; drop table x -- '", stacked}, {"select [a] ; drop table x", stacked},
		{"with a as (select 1 # '\n) delete from x where a = '", deny}, {"with a as (select [']) delete from x where a = '", deny}, {"with a as (select q'(')') delete from x where a = '", deny},
		{"SELECT a[1], b #>> '{x,y}' FROM t", ok}, {"SELECT 'http://x/'", ok}, {"SELECT [a;b] FROM [t;u]", stacked}, {"SELECT unq'a;b'", ok}, {"SELECT 'a' # it's", ok}, {"select q'{ x }'", ok},
		{"\u017felect 1", deny}, {"\u017fELECT 1; ", deny}, {"w\u0131th a as (select 1) select 1", deny}, {"with a as (select 1) select delete\u017f", ok}, {"explain d\u0131op", ok},
		{"/* /* */ SELECT */ DROP TABLE t", deny}, {"-- a\rSELECT 1\nDROP TABLE t", deny}, {"/* SELECT 1 /* */ */ SELECT 2", deny},
		{"with a as (select 1) replace into t select 1", deny}, {"explain call p()", deny}, {"explain create table t as select 1", deny}, {"with a as (select 1) select * into t from a", deny}, {"with a as (select 1) exec p", deny},
		{"with a as (select replace (b, 'x', 'y') from c) select 1", ok}, {"explain replace/**/(x)", deny},

		{"SELECT * FROM t WHERE a = 'x' AND delete_me", ok}, {"SELECT delete FROM t", ok},
	} {
		v := p.Eval("q", decode(t, `{"query":`+quote(c.query)+`}`), nil)[0]
		if got := v.Rule; got != c.want {
			t.Errorf("%q: %q (%s), want %q", c.query, got, v.Reason, c.want)
		}
	}
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			b.WriteString("\\u00" + string("0123456789abcdef"[r>>4]) + string("0123456789abcdef"[r&15]))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// A second statement is found wherever quotes and comments stand before it.
func TestStackedIsFound(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", " ", "'x'", "'it''s'", `"y"`, "`z`", "/* c */", "-- d\n", "(1)", "$1", "';'", "/* ; */", "-- ;\n"})
	rapid.Check(t, func(rt *rapid.T) {
		head := "SELECT " + strings.Join(rapid.SliceOf(piece).Draw(rt, "head"), " ")
		tail := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{" ", "\n", "/* c */", "-- d\n", ";"})).Draw(rt, "tail"), "")
		if s := readSQL(head + tail)[0]; s.stacked || s.first[0].text != "SELECT" {
			rt.Fatalf("%q: stacked %v, first %q", head+tail, s.stacked, s.first[0].text)
		}
		if s := readSQL(head + ";" + tail + "DROP TABLE t")[0]; !s.stacked {
			rt.Fatalf("%q: the second statement is lost", head+";"+tail+"DROP")
		}
	})
}

func TestSQLPhrases(t *testing.T) {
	p := mustLoad(t, `
tools:
  q: {sql_query: {allow_readonly_only: false, deny_statements: ["DROP  TABLE", alter, "drop"]}}
  r: {sql_query: {allow_readonly_only: false, deny_statements: ["drop TABLE"]}}
`)
	for _, c := range []struct {
		tool, query string
		allow       bool
	}{
		{"q", "DROP INDEX i", false}, {"q", "ALTER TABLE t", false}, {"q", "INSERT INTO t VALUES (1)", true},
		{"r", "DROP TABLE t", false}, {"r", "drop /* x */ \n table t", false}, {"r", "DROP INDEX i", true}, {"r", "DROP", true},
		{"r", "EXPLAIN DROP TABLE t", false}, {"r", "EXPLAIN DROP INDEX t", true}, {"r", "/* DROP */ TABLE t", true},
		{"r", "DROP /* /* */ */ TABLE t", false}, {"r", "DROP # x\nTABLE t", false},
	} {
		v := p.Eval(c.tool, decode(t, `{"query":`+quote(c.query)+`}`), nil)[0]
		if v.Allow != c.allow {
			t.Errorf("%s: %q: allow %v (%s)", c.tool, c.query, v.Allow, v.Reason)
		}
	}
	for _, bad := range []string{"DROP-TABLE", "DROP TABLE;", "*", "DROP (x)"} {
		if _, err := Load("p.yaml", []byte("version: 1\ndefaults: {sql_query: {deny_statements: ["+quote(bad)+"]}}\n")); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzSQL(f *testing.F) {
	for _, q := range []string{"SELECT 1; DROP", "/*! x */", "WITH a AS ($$;$$)", `'\';'`, "-- x\r\n;"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		q = strings.ToValidUTF8(q, "\uFFFD")
		for _, s := range readSQL(q) {
			end := 0
			for _, c := range s.code {
				if c.start < end || c.end < c.start || c.end > len(q) {
					t.Fatalf("%q: code %v", q, s.code)
				}
				end = c.end
			}
		}
		s := readSQL(q)[0]
		// Without quotes, comments and oddities, splitting at ; says the same.
		if strings.ContainsAny(q, "'\"`-/$\\\x00") {
			return
		}
		_, rest, found := strings.Cut(q, ";")
		want := found && strings.TrimFunc(rest, func(r rune) bool { return r == ';' || isSpace(r) }) != ""
		if s.stacked != want {
			t.Fatalf("%q: stacked %v", q, s.stacked)
		}
	})
}

func isSpace(r rune) bool { return strings.TrimSpace(string(r)) == "" }
