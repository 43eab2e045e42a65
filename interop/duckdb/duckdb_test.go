// Package duckdb reads the Parquet report with DuckDB and runs the queries that
// the README shows, on a recording whose right answers are known. It is a module
// of its own: DuckDB is a large library that nothing else needs.
package duckdb

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

// program is warden-inspect, built once.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "warden-duckdb-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "warden-inspect")
	build := exec.Command("go", "build", "-o", program, "./cmd/warden-inspect")
	build.Dir = filepath.Join("..", "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	code := 2
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// scan runs warden-inspect in dir and wants its exit code to be want.
func scan(t *testing.T, dir string, want int, args ...string) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"scan", "--no-progress", "-q"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("warden-inspect %v: exit %d (%v), wanted %d:\n%s", args, code, err, want, out)
	}
}

// query runs SQL with dir as the working directory's "report" and returns the
// rows as text, fields separated by bars.
func query(t *testing.T, dir, text string) []string {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("SET TimeZone = 'UTC'"); err != nil {
		// Without its time zone extension DuckDB shows UTC anyway.
		t.Log(err)
	}
	text = strings.ReplaceAll(text, "'report/", "'"+filepath.ToSlash(dir)+"/report/")
	rows, err := db.Query(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		shown := make([]string, len(cells))
		for i, c := range cells {
			switch v := (*c.(*any)).(type) {
			case time.Time:
				shown[i] = v.UTC().Format("2006-01-02 15:04:05.999999")
			default:
				shown[i] = fmt.Sprint(v)
			}
		}
		out = append(out, strings.Join(shown, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// recording writes a trace in the canonical form.
type recording struct {
	b  strings.Builder
	ts time.Time
}

func (r *recording) add(session, dir string, after time.Duration, frame string) {
	r.ts = r.ts.Add(after)
	fmt.Fprintf(&r.b, `{"ts":%q,"dir":%q,"session":%q,"frame":%s}`+"\n", r.ts.Format(time.RFC3339Nano), dir, session, frame)
}

// call records a tool's call and its result, took later.
func (r *recording) call(session string, id int, tool, text string, took time.Duration) {
	name, _ := json.Marshal(tool)
	content, _ := json.Marshal(text)
	r.add(session, "c2s", time.Second, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s,"arguments":{"q":1}}}`, id, name))
	r.add(session, "s2c", took, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, content))
}

func (r *recording) save(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(r.b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\ngot\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
