package lock

import (
	"slices"
	"strings"
	"testing"
)

func TestPieces(t *testing.T) {
	for in, want := range map[string]string{
		"HTTPServer":         "http server",
		"readFile":           "read file",
		"read_file":          "read file",
		"read-file.v2":       "read file v2",
		"  Read\tFile ":      "read file",
		"v2Server":           "v2 server",
		"getURL":             "get url",
		"URL":                "url",
		"aB":                 "a b",
		"ABc":                "a bc",
		"":                   "",
		"__":                 "",
		"execute":            "execute",
		"catalog":            "catalog",
		"fs/read":            "fs/read",
		"lireÉtat":           "lire état",
		"read\u00a0file":     "read file",
		"sqlQUERYRunnerFast": "sql query runner fast",
	} {
		if got := strings.Join(Pieces(in), " "); got != want {
			t.Errorf("Pieces(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name, props, want string
	}{
		// shell-exec: either side
		{"run_shell", "", "shell-exec"},
		{"tool", "command", "shell-exec"},
		{"tool", "shellScript", "shell-exec"},
		{"shellfish", "commander", ""},
		{"bash", "", "shell-exec"},
		// fs-write: a name with a path, or a path with content
		{"write_note", "path", "fs-write"},
		{"write_note", "title", ""},
		{"note", "path content", "fs-write"},
		{"note", "content", ""},
		{"note", "dest payload", "fs-write"},
		{"note", "src payload", ""},
		{"writer", "path", ""},
		{"deleteThing", "targetPath", "fs-write"},
		// fs-read: a name with a path
		{"read_note", "filename", "fs-read"},
		{"list_all", "source", "fs-read"},
		{"list_all", "filter", ""},
		{"catalog", "path", ""},
		{"load", "dest", ""},
		// http-request: either side
		{"fetchPage", "", "http-request"},
		{"tool", "webhook_url", "http-request"},
		{"tool", "curly", ""},
		{"tool", "hostName", "http-request"}, // host, name
		// sql-query: either side; execute and query are of it
		{"execute", "", "sql-query"},
		{"tool", "sqlStatement", "sql-query"},
		{"tool", "queries", ""},
		// several
		{"get_file", "path url", "fs-read http-request"},
		{"save", "path data cmd", "fs-write shell-exec"},
	} {
		caps := Shapes(c.name, strings.Fields(c.props))
		var got []string
		for _, x := range caps {
			got = append(got, string(x))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("Shapes(%s, %s) = %v, want %s", c.name, c.props, got, c.want)
		}
		if !slices.IsSorted(caps) {
			t.Errorf("Shapes(%s, %s) = %v: not sorted", c.name, c.props, caps)
		}
	}
}

func TestEntryShapes(t *testing.T) {
	name, caps, ok := EntryShapes([]byte(`{"name":"save","inputSchema":{"properties":{"path":{},"deep":{"properties":{"url":{}}}}}}`))
	if !ok || name != "save" || len(caps) != 1 || caps[0] != FSWrite {
		t.Errorf("got %q %v %v", name, caps, ok)
	}
	for _, bad := range []string{`{}`, `5`, `{"name":5}`, `{`} {
		if _, _, ok := EntryShapes([]byte(bad)); ok {
			t.Errorf("%s has shapes", bad)
		}
	}
}
