// Package interop runs real MCP clients (the TypeScript SDK's and go-sdk's)
// through warden's guard against real servers from npm, and compares what they
// get with what they get without it. It is a module of its own, so that the
// product does not depend on any SDK. `bash .ci/interop` runs it.
package interop
