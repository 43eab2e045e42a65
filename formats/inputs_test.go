package formats

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
)

// tree writes files below a new directory; a name that ends in / is a
// directory, a value that begins with -> a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		p := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, ok := strings.CutPrefix(files[n], "->"); ok {
			err = os.Symlink(to, p)
		} else if strings.HasSuffix(n, "/") {
			err = os.MkdirAll(p, 0o755)
		} else {
			err = os.WriteFile(p, []byte(files[n]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tarText(t *testing.T, pairs ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: pairs[i], Mode: 0o644, Size: int64(len(pairs[i+1]))}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, pairs[i+1])
	}
	w.Close()
	return b.String()
}

func gzText(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func wideText(e unicode.Endianness, s string) string {
	out, _ := unicode.UTF16(e, unicode.UseBOM).NewEncoder().String(s)
	return out
}

func TestInputs(t *testing.T) {
	line := req1 + "\n"
	dir := tree(t, map[string]string{
		"b.jsonl": line, "a/x.log": line, "a/z/y": line, "a/readme.md": "# hello\n", "a/p.json": "{\n \"name\": 1\n}\n",
		"link": "->b.jsonl", "a/loop": "->..", "none/text.txt": "nothing", "none/empty": "",
		"t.tar": tarText(t, "m/1.jsonl", line, "m/2.txt", "no", "m/3.gz", gzText(line)), "odd\x01\xffname": line,
		"only.tar": tarText(t, "x", "no trace"), "tr.gz": gzText(line), "w/1.jsonl": line, "w/2.txt": "text", "secret": "",
		"doc/how.md":    "# how\nlike this:\n```\n" + line + "```\nand more\n",
		"wide/be.jsonl": wideText(unicode.BigEndian, line), "wide/le.log": wideText(unicode.LittleEndian, line),
		"wide/note.txt": wideText(unicode.LittleEndian, "no trace"), "wide/w.tar": tarText(t, "w", wideText(unicode.LittleEndian, line)),
		"zip": "PK\x03\x04", "claude": `{"type":"user","uuid":"u","sessionId":"s","message":{}}` + "\n",
	})
	for _, tt := range []struct {
		name   string
		args   []string
		want   []string // names found, or "error: ..."
		passed int
	}{
		{name: "file", args: []string{"b.jsonl"}, want: []string{"b.jsonl"}},
		{name: "gzip", args: []string{"tr.gz"}, want: []string{"tr.gz"}},
		{name: "a named link", args: []string{"link"}, want: []string{"link"}},
		{name: "directory", args: []string{"a"}, want: []string{"a/x.log", "a/z/y"}, passed: 3},
		{name: "directory with dots", args: []string{"a/..."}, want: []string{"a/x.log", "a/z/y"}, passed: 3},
		{name: "no trace", args: []string{"none", "b.jsonl"}, want: []string{"error: none: no trace in it", "b.jsonl"}, passed: 2},
		{name: "prose with an example", args: []string{"doc"}, want: []string{"error: doc: no trace in it"}, passed: 1},
		{name: "missing", args: []string{"nope", "b.jsonl"}, want: []string{"error: nope: no such file or directory", "b.jsonl"}},
		{name: "glob", args: []string{"w/*"}, want: []string{"w/1.jsonl"}, passed: 1},
		{name: "glob over directories", args: []string{"[aw]"}, want: []string{"a/x.log", "a/z/y", "w/1.jsonl"}, passed: 4},
		{name: "glob that fits nothing", args: []string{"q*"}, want: []string{"error: q*: no such file, and as a pattern it fits none"}},
		{name: "glob without a trace", args: []string{"no*"}, want: []string{"error: no*: no trace in it"}, passed: 2},
		{name: "tar", args: []string{"t.tar"}, want: []string{"t.tar!m/1.jsonl", "t.tar!m/3.gz"}, passed: 1},
		{name: "tar without a trace", args: []string{"only.tar"}, want: []string{"error: only.tar: no trace in it"}, passed: 1},
		{name: "UTF-16", args: []string{"wide"}, want: []string{"wide/be.jsonl", "wide/le.log", "wide/w.tar!w"}, passed: 1},
		{name: "stdin", args: []string{"-"}, want: []string{"-"}},
		{name: "empty name", args: []string{""}, want: []string{"error: : an empty file name; name a trace, a directory, or - for standard input"}},
		{name: "zip by name", args: []string{"zip"}, want: []string{"error: zip: zip data is not read as it is: decompress it first (zstd, gzip and tar are read)"}},
		{name: "no directory", args: []string{"b.jsonl/..."}, want: []string{"error: b.jsonl/...: not a directory"}},
		{name: "missing name with controls", args: []string{"x\x1b[2J"}, want: []string{`error: x\x1b[2J: no such file or directory`}},
		{name: "all", args: []string{"."}, want: []string{"a/x.log", "a/z/y", "b.jsonl", "odd\x01\xffname", "t.tar!m/1.jsonl", "t.tar!m/3.gz", "tr.gz", "w/1.jsonl", "wide/be.jsonl", "wide/le.log", "wide/w.tar!w"}, passed: 14},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(dir)
			passed := 0
			var got []string
			for in, err := range Inputs(tt.args, strings.NewReader(line), InputOptions{Passed: func(string, error) { passed++ }}) {
				if err != nil {
					got = append(got, "error: "+err.Error())
					continue
				}
				got = append(got, in.Name)
				src, err := Open(in.Name, in.R, Options{})
				if err != nil {
					t.Errorf("%s: %v", in.Name, err)
					continue
				}
				if rs, err := drain(t, src); err != nil || len(rs) != 1 || !rs[0].Msg {
					t.Errorf("%s: %d records, %v", in.Name, len(rs), err)
				}
				if in.Pos != nil && in.Pos.Load() != in.Size {
					t.Errorf("%s: %d of %d bytes counted", in.Name, in.Pos.Load(), in.Size)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if passed != tt.passed {
				t.Errorf("passed over %d, want %d", passed, tt.passed)
			}
		})
	}
}

func TestInputsUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root reads everything: a damaged file stands for an unreadable one")
	}
	dir := tree(t, map[string]string{"d/a.gz": "\x1f\x8b\x08bad", "d/b.jsonl": req1 + "\n"})
	t.Chdir(dir)
	var got []string
	for in, err := range Inputs([]string{"d"}, nil, InputOptions{}) {
		if err != nil {
			got = append(got, "error: "+err.Error())
			continue
		}
		got = append(got, in.Name)
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "error: d/a.gz: gzip") || got[1] != "d/b.jsonl" {
		t.Errorf("got %q", got)
	}
}

func TestInputsStop(t *testing.T) {
	dir := tree(t, map[string]string{"a": req1, "b": req1, "c": req1})
	n := 0
	for range Inputs([]string{dir, dir}, nil, InputOptions{}) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d inputs", n)
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"binary", "\x7fELF\x00\x00\x00\x00", "binary data, no recording of a known form; tried: "},
		{"text", "hello\nworld\n", "no recording of a known form; tried: canonical JSON lines, "},
		{"json", `{"name":"x","version":1}`, "no recording of a known form"},
		{"claude desktop", "2026-03-01T09:39:14.438Z [x] [info] Message from client: {}\n", "Claude Desktop log"},
		{"cursor", "2026-02-04 18:00:27.377 [info] Handling CallTool action for tool 'X' with toolCallId: a\n", "which never held the frames"},
		{"docker", "  - Calling tool X with arguments: object with 2 field(s)\n", "--record"},
		{"remote", "[2026-01-01T00:00:00Z][12] Local → Remote message {\"method\":\"x\",\"id\":1}\n", "mcp-remote"},
		{"fastmcp", "INFO Processing request of type CallToolRequest\n", "no payload"},
		{"vs code", "2026-07-24 02:03:14.089 [debug] [editor -> server] {}\n", "VS Code"},
		{"har", `{"log":{"version":"1.2","entries":[]}}`, "HAR"},
		{"inspector", "[\n {\"id\":\"a\",\"direction\":\"request\",\"message\":{\"jsonrpc\":\"2.0\"}}\n]", "Inspector"},
		{"mcpjam", `[{"serverId":"s","direction":"SEND","payload":{}}]`, "MCPJam"},
		{"codex", `{"timestamp":"t","ordinal":1,"type":"response_item","payload":{"type":"function_call"}}` + "\n", "Codex rollout"},
		{"claude code", `{"type":"user","uuid":"u","message":{"role":"user"}}` + "\n", "Claude Code transcript"},
		{"gemini", `{"sessionId":"s","projectHash":"h"}` + "\n", "Gemini"},
		{"otlp", `{"resourceSpans":[]}`, "OTLP"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open("dir/\x1bname", strings.NewReader(tt.in), Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), `dir/\x1bname: `) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	for _, in := range []string{"", "\n\n", " \r\n\t", "\xef\xbb\xbf", strings.Repeat("\n", 100_000), gzText("")} {
		got, src := read(t, in, Options{})
		if len(got) != 0 || len(src.Notices()) == 0 {
			t.Errorf("%.5q: %v, notices %q", in, got, src.Notices())
		}
	}
}
