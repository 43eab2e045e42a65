// Warden-replay runs MCP sessions through the session state machine: recorded
// ones, or a live one between a real client and a real server.
package main

import (
	"os"

	"github.com/warden-trace/warden/cmd/program"
)

func main() { os.Exit(program.Main(Run)) }
