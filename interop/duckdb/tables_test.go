package duckdb

import (
	"strings"
	"testing"
	"time"
)

const describe = `SELECT column_name, column_type, "null" FROM (DESCRIBE SELECT * FROM read_parquet('report/%/**/*.parquet', hive_partitioning = false))`

var tables = []string{"sessions", "frames", "calls", "findings"}

func columns(t *testing.T, dir, table string) []string {
	return query(t, dir, strings.Replace(describe, "%", table, 1))
}

// The schema is the same without rows, with nulls alone, and with everything.
func TestSchemaDoesNotDependOnRows(t *testing.T) {
	full, bare, none := t.TempDir(), t.TempDir(), t.TempDir()
	week(t, full)
	scan(t, full, 1, "--parquet", "report", "--include-text", "traces/")
	r := &recording{}
	r.b.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n") // no time, no id, no tool
	r.save(t, bare, "bare.jsonl")
	scan(t, bare, 0, "--parquet", "report", "bare.jsonl")
	(&recording{}).save(t, none, "none.jsonl")
	scan(t, none, 0, "--parquet", "report", "none.jsonl")
	for _, table := range tables {
		want := columns(t, full, table)
		if len(want) < 10 {
			t.Fatalf("%s has the columns %q", table, want)
		}
		equal(t, table+" with nulls", columns(t, bare, table), want...)
		equal(t, table+" without rows", columns(t, none, table), want...)
		if got := query(t, none, "SELECT count(*) FROM 'report/"+table+"/**/*.parquet'"); got[0] != "0" {
			t.Errorf("%s has %s rows", table, got[0])
		}
	}
	for _, c := range columns(t, full, "frames") {
		if strings.HasPrefix(c, "ts|") && !strings.HasPrefix(c, "ts|TIMESTAMP WITH TIME ZONE") {
			t.Errorf("no UTC timestamp: %s", c)
		}
	}
}

func TestTimestampsAreMicroseconds(t *testing.T) {
	dir := t.TempDir()
	r := &recording{ts: time.Date(2026, 5, 4, 12, 0, 0, 123456789, time.UTC)}
	r.add("", "s2c", 0, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	r.save(t, dir, "a.jsonl")
	scan(t, dir, 0, "--parquet", "report", "a.jsonl")
	equal(t, "epoch", query(t, dir, "SELECT epoch_us(ts) FROM 'report/frames/**/*.parquet'"), "1777896000123456")
}

// What is no UTF-8 never gets into a string column, and no secret into any.
func TestHostileText(t *testing.T) {
	dir := t.TempDir()
	r := &recording{ts: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	r.add("s-x", "c2s", 0, `{"jsonrpc":"2.0","id":"`+key+`","method":"tools/call","params":{"name":"t `+key+`\ud800","arguments":{"k":"`+key+`"}}}`)
	r.add("s-x", "s2c", 0, "{\"jsonrpc\":\"2.0\",\"id\":\""+key+"\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe \xc3( \\u0067hp_"+key[4:]+"\"}]}}")
	r.save(t, dir, "bad.jsonl")
	scan(t, dir, 1, "--allow-parse-errors", "--parquet", "report", "--include-text", "bad.jsonl")
	for _, table := range tables {
		rows := query(t, dir, "SELECT * FROM 'report/"+table+"/**/*.parquet'")
		if len(rows) == 0 {
			t.Errorf("%s has no rows", table)
		}
		for _, row := range rows {
			if strings.Contains(row, key[4:]) {
				t.Errorf("%s shows the secret: %s", table, row)
			}
			if strings.ToValidUTF8(row, "") != row {
				t.Errorf("%s holds what is no UTF-8: %q", table, row)
			}
		}
	}
	got := query(t, dir, "SELECT text FROM 'report/frames/**/*.parquet' WHERE direction = 's2c'")
	if len(got) != 1 || !strings.Contains(got[0], "\ufffd") || !strings.Contains(got[0], "ghp_…(len=40)") {
		t.Errorf("the frame's text is %q", got)
	}
}

// Filters on trace and time skip what can't match: every row group holds one
// trace, and the bounds of its times are known.
func TestRowGroupsPrune(t *testing.T) {
	dir := t.TempDir()
	week(t, dir)
	scan(t, dir, 1, "--parquet", "report", "traces/")
	got := query(t, dir, `SELECT path_in_schema, count(*), bool_and(stats_min_value IS NOT NULL AND stats_max_value IS NOT NULL),
		bool_and(path_in_schema <> 'trace' OR stats_min_value = stats_max_value)
		FROM parquet_metadata('report/frames/**/*.parquet') WHERE path_in_schema IN ('trace', 'ts') GROUP BY 1 ORDER BY 1`)
	equal(t, "statistics", got, "trace|2|true|true", "ts|2|true|true")
	got = query(t, dir, `SELECT DISTINCT compression FROM parquet_metadata('report/*/**/*.parquet')`)
	equal(t, "compression", got, "ZSTD")
	// The partition is a column of its own name where it is asked for.
	got = query(t, dir, `SELECT file, count(*) FROM read_parquet('report/frames/**/*.parquet', hive_partitioning = true) GROUP BY 1 ORDER BY 1`)
	equal(t, "partitions", got, "00001-monday.jsonl|27", "00002-wednesday.jsonl|2")
}

// A call is one row with the time from its first request to the tool's result,
// whatever retries or a task lay between.
func TestCallsAreWhole(t *testing.T) {
	dir := t.TempDir()
	r := &recording{ts: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	s := time.Second
	r.add("", "c2s", s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`)
	r.add("", "s2c", s, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"abc","inputRequests":{"q":{"method":"elicitation/create"}}}}`)
	r.add("", "c2s", s, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","requestState":"abc","inputResponses":{"q":{}}}}`)
	r.add("", "s2c", s, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	r.add("", "c2s", s, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"long","task":{}}}`)
	r.add("", "s2c", s, `{"jsonrpc":"2.0","id":3,"result":{"task":{"taskId":"t1","status":"working"}}}`)
	r.add("", "c2s", s, `{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"t1"}}`)
	r.add("", "s2c", s, `{"jsonrpc":"2.0","id":4,"result":{"taskId":"t1","status":"working"}}`)
	r.add("", "c2s", s, `{"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"t1"}}`)
	r.add("", "s2c", s, `{"jsonrpc":"2.0","id":5,"result":{"content":[],"isError":true}}`)
	r.add("", "c2s", s, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"gone"}}`)
	r.add("", "s2c", s, `{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"no such tool"}}`)
	r.save(t, dir, "a.jsonl")
	scan(t, dir, 0, "--parquet", "report", "a.jsonl")
	got := query(t, dir, `SELECT tool, rpc_id, status, latency_us, round_trips, task, request_frame, response_frame FROM 'report/calls/**/*.parquet' ORDER BY call`)
	equal(t, "calls", got, "ask|1|ok|3000000|2|false|0|3", "long|3|tool-error|5000000|1|true|4|9", "gone|6|rpc-error|1000000|1|false|10|11")
	equal(t, "sessions", query(t, dir, `SELECT calls FROM 'report/sessions/**/*.parquet'`), "3")
}
