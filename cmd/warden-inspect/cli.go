package main

import (
	"fmt"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/cmd/program"
)

const name = "warden-inspect"

// root is the command line.
type root struct {
	Scan scanCmd `cmd:"" default:"withargs" help:"Read recorded sessions, run every rule over them, report (the default command)."`

	Lock      lockCmd      `cmd:"" help:"Pin, check, compare and attest tool surfaces."`
	Policy    policyCmd    `cmd:"" help:"Check an argument policy, or try a call on it."`
	Allowlist allowlistCmd `cmd:"" help:"Check a call allow-list, or try a call on it."`

	Frames   framesCmd   `cmd:"" help:"List frames, all or those that --where chooses."`
	Stats    statsCmd    `cmd:"" help:"Methods, tools, latency, sizes and errors."`
	Convert  convertCmd  `cmd:"" help:"Write any readable recording in the canonical form."`
	Redact   redactCmd   `cmd:"" help:"Write a copy that is safe to share: secrets replaced, findings kept."`
	Baseline baselineCmd `cmd:"" help:"Create, update and prune the file of accepted findings."`

	Rules rulesCmd `cmd:"" help:"List and explain the rules."`

	Completion program.CompletionCmd `cmd:"" help:"Print a shell's completion script: bash, zsh, fish."`
	Man        program.ManCmd        `cmd:"" help:"Print a manual page, or write them all."`

	Help    program.HelpCmd `cmd:"" help:"Explain a command, as its --help does."`
	Version versionCmd      `cmd:"" help:"Print the version and the hash of the built-in rules; also --version."`
}

const description = `Offline analysis of recorded Model Context Protocol sessions.

Examples:
  warden-inspect session.jsonl                 report on one recording
  warden-inspect corpus/... --sarif out.sarif  a folder, with a SARIF report beside the text
  zstd -dc big.zst | warden-inspect -          standard input

Exit code: 0 nothing at or above --fail-on, 1 something, 2 an error or an unreadable trace, 130 interrupted.`

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
