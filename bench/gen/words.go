package gen

import (
	"slices"
	"strings"
)

// The vocabulary: everyday English first (drawn more often), then the words
// that tools and programs use.
var words = strings.Fields(`
the a of to and in is it for on that with as be at by this from or are was an have not you we can will if
there when what all which their one has more about would up time so no out them some could into other than
then now look only come over think also back after use two how our work first well way even new want because
any these give day most us server client file path line code call result value error return name type list
request response user data test build open close read write start stop list table query index cache key map
string number object array field record column row page cursor token limit offset batch event handler task
session message channel stream buffer queue worker thread process memory disk network port host address
configuration environment deployment container cluster node service endpoint gateway proxy balancer
database schema migration transaction commit branch merge release version package module import export
function method class interface parameter argument variable constant expression statement operator
repository directory filename extension archive checksum signature certificate encryption authentication
authorization permission policy rule profile account tenant customer invoice payment order shipment
inventory catalogue product category price discount currency balance ledger journal report summary
calendar meeting reminder schedule deadline milestone estimate priority assignee reviewer approval
temperature humidity pressure forecast sensor device firmware gateway telemetry threshold alert incident
garden kitchen window bridge river mountain forest harbour village market station library museum theatre
morning evening winter summer autumn spring weather journey passenger engine carriage platform timetable
performance latency throughput benchmark regression coverage allocation scheduler collector runtime
internationalization representation implementation documentation infrastructure responsibility
`)

var (
	extensions = []string{".go", ".py", ".ts", ".md", ".json", ".yaml", ".rs", ".c", ".txt", ".html", ".sql", ".sh"}
	hosts      = []string{"example.com", "docs.example.org", "static.example.net", "api.example.com", "wiki.example.edu", "mirror.example.org:8443"}
	foreign    = []string{"café", "naïve", "Zürich", "São Paulo", "déjà vu", "façade", "jalapeño", "smörgåsbord",
		"日本語の文書", "данные", "Ελλάδα", "ข้อมูล", "데이터", "—", "“quoted”", "…", "🚀", "👩‍💻", "±", "µs", "½"}
	levels  = []string{"INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"}
	servers = []string{"files", "search", "tickets", "warehouse", "browser", "calendar", "metrics", "notes"}
	tools   = [][]string{
		{"read_file", "list_directory", "write_file", "search_files", "get_file_info"},
		{"search_code", "grep", "find_symbol", "open_definition"},
		{"list_issues", "get_issue", "create_issue", "add_comment"},
		{"run_query", "describe_table", "list_tables", "explain"},
		{"fetch_page", "screenshot", "click", "read_text"},
		{"list_events", "create_event", "find_slot"},
		{"query_range", "list_series", "get_dashboard"},
		{"search_notes", "read_note", "append_note", "list_tags"},
	}
)

const (
	hexDigits = "0123456789abcdef"
	digits    = "0123456789"
	letters   = "abcdefghijklmnopqrstuvwxyz"
	upperNum  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	alnum     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base64url = alnum + "-_"
	base64std = alnum + "+/"
)

// Tools lists the names of all tools that generated traffic calls, each with the
// arguments path and query (strings) and limit (an integer).
func Tools() []string { return slices.Concat(tools...) }

// word draws a word, the early ones more often.
func (r *rng) word() string {
	u := r.next()
	a, b := uint64(uint32(u)), u>>32
	return words[a*b>>32*uint64(len(words))>>32]
}
