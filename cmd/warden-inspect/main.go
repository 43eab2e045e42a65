// Warden-inspect reads recorded MCP sessions and reports what is wrong with
// them.
package main

import (
	"os"

	"github.com/warden-trace/warden/cmd/program"
)

func main() { os.Exit(program.Main(Run)) }
