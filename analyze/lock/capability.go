package lock

import (
	"slices"
	"strings"
	"unicode"

	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Capability is a shape of tool: what its calls can do (lock.md,
// "Capabilities").
type Capability string

// Capabilities, in the order in which a lock lists them.
const (
	FSRead      Capability = "fs-read"
	FSWrite     Capability = "fs-write"
	HTTPRequest Capability = "http-request"
	ShellExec   Capability = "shell-exec"
	SQLQuery    Capability = "sql-query"
)

// Unclear stands among the capabilities of a tool whose entry does not tell
// them all: then its name and its arguments tell them as well, as for a tool
// that no lock lists.
const Unclear Capability = "?"

// known are the capabilities that an entry may name.
func (c Capability) known() bool {
	return slices.Contains([]Capability{FSRead, FSWrite, HTTPRequest, ShellExec, SQLQuery}, c)
}

type set map[string]bool

func words(s string) set {
	m := set{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var (
	shellNames = words("shell exec spawn system subprocess sudo bash sh cmd powershell")
	shellProps = words("command cmd script shell")
	writeNames = words("write save create delete rm unlink mkdir chmod mv rename")
	writePaths = words("path file filename dest target")
	writeData  = words("content data body text bytes payload")
	readNames  = words("read cat open load get list")
	readPaths  = words("path file filename src source")
	httpNames  = words("fetch http request curl download webhook")
	httpProps  = words("url uri endpoint host hostname")
	sqlNames   = words("sql query execute db")
	sqlProps   = words("query sql statement")
)

// Shapes are the capabilities that a tool's name and the names of its
// properties (or arguments) give it, sorted.
func Shapes(toolName string, props []string) []Capability {
	name, args := HintOf(toolName), Hint(0)
	for _, p := range props {
		args |= HintOf(p)
	}
	caps := []Capability{}
	add := func(c Capability, yes bool) {
		if yes {
			caps = append(caps, c)
		}
	}
	add(FSRead, name.readsFiles(args))
	add(FSWrite, name.WritesFiles(args))
	add(HTTPRequest, name.SendsRequests(args))
	add(ShellExec, name.RunsShell(args))
	add(SQLQuery, name.Queries(args))
	return caps
}

// Pieces cuts a name at "_", "-", ".", white space and camelCase edges and
// lower-cases the pieces: "HTTPServer.read_file" gives http, server, read,
// file. Empty pieces are left out.
func Pieces(name string) []string {
	var out []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case r == '_' || r == '-' || r == '.' || unicode.IsSpace(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r):
			before := runes[i-1]
			switch {
			case unicode.IsLower(before) || unicode.IsDigit(before):
				flush(i)
				start = i
			case unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
				flush(i) // the last capital of a run begins the next word
				start = i
			}
		}
	}
	flush(len(runes))
	return out
}

// EntryShapes reads one entry of a tools/list and gives its name and shapes,
// so that a surface seen in a session can stand in for a lock. ok is false
// for an entry that is no object or has no name.
func EntryShapes(entry []byte) (name string, caps []Capability, ok bool) {
	v, err := jsonrpc.Decode(entry, jsonrpc.DecodeOptions{MaxDepth: maxDepth + 2, MaxNodes: maxNodes, Lenient: true})
	if err != nil {
		return "", nil, false
	}
	name, ok = v.Get("name").IsString()
	if !ok {
		return "", nil, false
	}
	return name, Shapes(name, properties(v.Get("inputSchema"))), true
}

// properties are the keys that a schema declares at its top.
func properties(schema *jsonrpc.Value) []string {
	p := schema.Get("properties")
	if p == nil || p.Kind != jsonrpc.Object {
		return nil
	}
	keys := make([]string, len(p.Members))
	for i, m := range p.Members {
		keys[i] = m.Key
	}
	return keys
}
