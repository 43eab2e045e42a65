package duckdb

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// key has the form of a vendor's token; it is put together here so that no tool
// takes this file for a leak.
var key = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"

// week writes two traces of two days with known calls and findings.
func week(t *testing.T, dir string) {
	a := &recording{ts: time.Date(2026, 5, 4, 23, 58, 0, 0, time.UTC)}
	for i := range 10 {
		a.call("s1", i, "search", "nothing", time.Duration(i+1)*10*time.Millisecond)
	}
	a.call("s1", 10, "deploy", "token "+key, 5*time.Second) // 23:58:22
	a.call("s2", 0, "read", "\x1b[31mred", 250*time.Microsecond)
	a.ts = time.Date(2026, 5, 5, 0, 1, 0, 0, time.UTC)
	a.call("s2", 1, "read", "\x1b[32mgreen", 750*time.Microsecond)
	a.add("s2", "c2s", time.Second, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang"}}`)
	a.save(t, dir, "traces/monday.jsonl")
	b := &recording{ts: time.Date(2026, 5, 6, 8, 0, 0, 0, time.UTC)}
	b.call("", 1, "deploy", "token "+key, 3*time.Second)
	b.save(t, dir, "traces/wednesday.jsonl")
}

// queries are the SQL blocks of the chapter on reports, by the comment that each
// begins with.
func queries(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"README.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			continue
		}
		for _, m := range regexp.MustCompile("(?s)```sql\n-- ([^\n]*)\n(.*?)```").FindAllSubmatch(text, -1) {
			out[string(m[1])] = string(m[2])
		}
	}
	return out
}

func TestReadmeQueries(t *testing.T) {
	dir := t.TempDir()
	week(t, dir)
	scan(t, dir, 1, "--parquet", "report", "traces/")
	want := map[string][]string{
		"slowest tools": {
			"deploy|2|4000|4900|5000",
			"search|10|55|95.5|100",
			"read|2|0.5|0.725|0.75",
		},
		"findings by rule and day": {
			"2026-05-04|WRD-RES-ANSI|block|1",
			"2026-05-04|WRD-RES-SECRET-ECHO|block|1",
			"2026-05-05|WRD-RES-ANSI|block|1",
			"2026-05-06|WRD-RES-SECRET-ECHO|block|1",
		},
		"calls per session": {
			"traces/monday.jsonl|s1|11|1|0",
			"traces/monday.jsonl|s2|3|2|1",
			"traces/wednesday.jsonl||1|1|0",
		},
	}
	got := queries(t)
	for name, rows := range want {
		text, ok := got[name]
		if !ok {
			t.Errorf("the README has no query %q", name)
			continue
		}
		equal(t, name, query(t, dir, text), rows...)
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("the README's query %q has no right answer here", name)
		}
	}
}

// The chapter names exactly the columns that the tables have.
func TestReadmeNamesTheColumns(t *testing.T) {
	dir := t.TempDir()
	week(t, dir)
	scan(t, dir, 1, "--parquet", "report", "traces/")
	var chapter string
	for _, name := range []string{"README.md"} {
		if text, err := os.ReadFile(filepath.Join("..", "..", name)); err == nil {
			chapter += string(text)
		}
	}
	for _, table := range tables {
		row := regexp.MustCompile(`(?m)^\| ` + table + ` \| (.*) \|$`).FindStringSubmatch(chapter)
		if row == nil {
			t.Fatalf("no row about %s", table)
		}
		var named []string
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, m[1])
		}
		equal(t, table, query(t, dir, "SELECT column_name FROM (DESCRIBE SELECT * FROM read_parquet('report/"+table+"/**/*.parquet', hive_partitioning = false))"), named...)
	}
}
