package profile

import (
	"bytes"
	_ "embed"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The two schemas that are ours: data, so that a reviewer can read them.
var (
	//go:embed data/mcp-2025-06-18.json
	mcpSchema []byte
	//go:embed data/exec-channel.json
	execSchema []byte
)

// baseSchemas are the parts of the MCP revision by the name of their $defs.
var baseSchemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	return compileDefs("urn:warden:mcp-2025-06-18", mcpSchema,
		"Params", "NotificationParams", "Result", "InitializeParams", "InitializeResult",
		"ListToolsParams", "ListToolsResult", "Tool", "CallToolParams", "TextContent", "ImageContent")
})

// execSchemas are the two kinds of text frames of the exec channel.
var execSchemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	return compileDefs("urn:warden:exec-channel", execSchema, "Handshake", "Control")
})

// compileDefs compiles schemas that are part of the program: a fault in them
// is a fault of the build, which every test meets.
func compileDefs(id string, data []byte, defs ...string) map[string]*jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic("embedded schema " + id + ": " + err.Error())
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(id, doc); err != nil {
		panic("embedded schema " + id + ": " + err.Error())
	}
	out := make(map[string]*jsonschema.Schema, len(defs))
	for _, d := range defs {
		out[d] = c.MustCompile(id + "#/$defs/" + d)
	}
	return out
}

// execTags are the discriminators that the exec schema knows.
var execTags = sync.OnceValue(func() map[string]bool {
	tags := map[string]bool{}
	for name := range execSchemas()["Control"].Properties {
		tags[name] = true
	}
	return tags
})
