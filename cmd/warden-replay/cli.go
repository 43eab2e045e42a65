package main

import (
	"fmt"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
)

const name = "warden-replay"

// root is the command line.
type root struct {
	Guard  guardCmd  `cmd:"" help:"Stand between a client and a server: forward, judge, block, record."`
	Verify verifyCmd `cmd:"" help:"Prove on recorded traces that the guard and the offline analysis agree."`
	Step   stepCmd   `cmd:"" help:"Walk through a trace frame by frame, see what was blocked and why, decide."`

	Serve serveCmd `cmd:"" help:"Answer a real client from a recorded session."`
	Drive driveCmd `cmd:"" help:"Play a recorded client against a real server, and compare its answers."`

	Diff diffCmd `cmd:"" help:"Compare two rule sets over recorded traces: what is found more, less or otherwise, and why."`
	Test testCmd `cmd:"" help:"Run traces against their expectations; measure what the expectations are worth."`

	Completion program.CompletionCmd `cmd:"" help:"Print a shell's completion script: bash, zsh, fish."`
	Man        program.ManCmd        `cmd:"" help:"Print a manual page, or write them all."`

	Help    program.HelpCmd `cmd:"" help:"Explain a command, as its --help does."`
	Version versionCmd      `cmd:"" help:"Print the version and the hash of the built-in rules; also --version."`
}

const description = `Replay of Model Context Protocol sessions, recorded or live.

Examples:
  warden-replay guard -- npx some-mcp-server          in a client's configuration, before the server's command
  warden-replay guard --record s.jsonl -- ./server    the same, with a recording
  warden-replay verify s.jsonl                        guard and offline analysis agree on it
  warden-replay serve s.jsonl                         in a client's configuration, in the place of the server
  warden-replay drive s.jsonl -- ./server             does this server still answer as it did?

Exit code of guard: the server's own, 128 plus a signal, 3 when --strict ended the session, 2 on an error.
Of the others: 0 fine, 1 a difference, 2 an error.`

// Run runs the program in a given world and returns its exit code.
func Run(w *program.World) int {
	var cli root
	return program.CommandLine(w, name, description, &cli)
}

type versionCmd struct{}

func (versionCmd) Run(w *program.World) error {
	_, err := fmt.Fprintf(w.Stdout, "%s %s, rules %s\n", name, program.Version, ruleset.Builtin().Hash())
	return err
}
