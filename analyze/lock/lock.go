// Package lock reads, writes and compares warden.lock, the record of what a
// reviewer approved of a server's declared surface (lock.md). It is pure: bytes
// and times in, values out.
//
// A lock serves four things: per-tool precision of the catalog (Inspection),
// tool shapes for the argument policy (Capabilities), the gate on tools/list
// (Gate) and offline comparison of recorded surfaces (Diff).
package lock

import (
	"slices"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/jsonrpc"
)

// Level is the schema level that new locks are written at; 1 to Level are read.
const Level = 4

// Bounds of a lock file. A lock over them is refused.
const (
	MaxBytes = 16 << 20 // bytes of the file
	maxNodes = 500_000  // JSON values in it
	maxDepth = 512      // nesting, the root counts 0
)

// Lock is a lock that has been read or built. It is never changed after that
// and may be shared between goroutines.
type Lock struct {
	Name      string // the file's name, for messages
	Level     int    // schema_version, 1 to 4
	Server    Server
	Tools     []Tool // sorted by name, each name once
	Resources []Resource
	Prompts   []Prompt
	Overall   string // overall_digest as the file states it
	Pin       Pin

	doc    *jsonrpc.Value // the whole document
	tools  map[string]int // name -> index in Tools
	shown  shown          // which lists the surface behind a built lock had
	opaque map[string]bool
}

// shown says which parts of a surface were seen at all. What was not seen is
// not compared.
type shown struct{ server, resources, prompts bool }

// Server is the launch command, or the URL of an HTTP server.
type Server struct {
	Command string
	Args    []string
	URL     string // "" for a server that is launched
	Digest  string // command_digest
}

// Tool is one pinned tool.
type Tool struct {
	Name             string
	DescriptionHash  string
	InputSchemaHash  string
	Capabilities     []Capability
	AnnotationsHash  string // level 4
	OutputSchemaHash string // level 4
	EntryDigest      string
	Inspection       analyze.Inspection

	skeleton   *jsonrpc.Value // schema_skeleton; nil below level 2
	output     *jsonrpc.Value // output_schema_skeleton; nil or null without one
	unclear    bool           // capabilities is missing or holds what is none
	inspection *jsonrpc.Value
	entry      *jsonrpc.Value
}

// Resource is one pinned resource.
type Resource struct {
	URI         string
	EntryDigest string
	entry       *jsonrpc.Value
}

// Prompt is one pinned prompt.
type Prompt struct {
	Name        string
	EntryDigest string
	entry       *jsonrpc.Value
}

// Pin is who pinned and approved the lock, as far as the comparison asks.
type Pin struct {
	CreatedAt       string
	WardenVersion   string
	ProtocolVersion string
	Approved        bool
	Approver        string
	ApprovedAt      string
	ApprovedDigest  string
	Rotations       int
	Attestations    int
}

// Tool returns the entry of the named tool.
func (l *Lock) Tool(name string) (*Tool, bool) {
	if l == nil {
		return nil, false
	}
	i, ok := l.tools[name]
	if !ok {
		return nil, false
	}
	return &l.Tools[i], true
}

// PinsServer reports that the lock holds a launch command or a URL.
func (l *Lock) PinsServer() bool { return launch(l.Server).known() }

// Inspection is the precision that the lock gives the catalog for a tool's
// results; the strictest for a tool that it does not list. Bad values in the
// lock have fallen back to strict, with one message each in Invalid.
func (l *Lock) Inspection(tool string) analyze.Inspection {
	if t, ok := l.Tool(tool); ok {
		return t.Inspection
	}
	return analyze.Inspection{}
}

// Capabilities are the shapes of a tool that the lock lists; listed is false
// for any other. Unclear among them says that the entry's list is faulty.
func (l *Lock) Capabilities(tool string) (caps []Capability, listed bool) {
	t, ok := l.Tool(tool)
	if !ok {
		return nil, false
	}
	if t.unclear {
		return append(slices.Clone(t.Capabilities), Unclear), true
	}
	return t.Capabilities, true
}
