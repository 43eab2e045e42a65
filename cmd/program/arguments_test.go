package program

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

type looked struct {
	File []string `arg:"" optional:""`
}

func (c *looked) Run(w *World) error {
	_, err := w.Stdout.Write([]byte("looked at " + strings.Join(c.File, " ") + "\n"))
	return err
}

type one struct {
	Output string `short:"o"`
}

func (one) Run() error { return nil }

type says struct{}

func (says) Run(w *World) error {
	_, err := w.Stdout.Write([]byte("version 7\n"))
	return err
}

type withDefault struct {
	Scan looked `cmd:"" default:"withargs" help:"Look at files."`
	Set  struct {
		One one `cmd:"" help:"The one."`
	} `cmd:"" help:"A set of commands."`
	Completion CompletionCmd `cmd:""`
	Man        ManCmd        `cmd:""`
	Help       HelpCmd       `cmd:""`
	Version    says          `cmd:""`
}

type without struct {
	Guard one     `cmd:"" help:"Guard."`
	Help  HelpCmd `cmd:""`
}

// A misspelt command is no file, and its --help can be had by a word as well.
func TestArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("seta", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cli  any
		args string
		code int
		says string
	}{
		{&withDefault{}, "scn a b", ExitError, "t: no such file or command \"scn\"; did you mean \"scan\"?\n  hint: see t --help"},
		{&withDefault{}, "SCAN a", ExitError, `did you mean "scan"?`},
		{&withDefault{}, "seta", ExitClean, "looked at seta\n"}, // there is such a file
		{&withDefault{}, "./st", ExitClean, "looked at ./st\n"}, // no command is written so
		{&withDefault{}, "scan scn", ExitClean, "looked at scn\n"},
		{&withDefault{}, "recording", ExitClean, "looked at recording\n"},
		{&withDefault{}, "--version", ExitClean, "version 7\n"},
		{&withDefault{}, "help", ExitClean, "set one "},
		{&withDefault{}, "help set one", ExitClean, "Usage: t set one"},
		{&withDefault{}, "help ste", ExitError, "there is no command \"ste\"\n  hint: did you mean set?"},
		{&withDefault{}, "help set two", ExitError, "there is no command \"set two\"\n  hint: see t set --help for the commands"},
		{&withDefault{}, "set one -o", ExitError, "t: --output needs a value\n  hint: see t set one --help\n"},
		{&withDefault{}, "completion --help", ExitClean, "source <(t completion bash)"},
		{&withDefault{}, "man --help", ExitClean, "t man --dir"},
		{&without{}, "gaurd -o x", ExitError, `no such command "gaurd"; did you mean "guard"?`},
		{&without{}, "other", ExitError, "unexpected argument other\n  hint: see t --help"},
		{&without{}, "--version", ExitError, "unknown flag --version"},
	} {
		var out bytes.Buffer
		code := CommandLine(&World{Args: strings.Fields(c.args), Stdout: &out, Stderr: &out}, "t", "", c.cli)
		if code != c.code || !strings.Contains(out.String(), c.says) || strings.Contains(out.String(), "PROGRAM") {
			t.Errorf("%s: %d, %s", c.args, code, &out)
		}
	}
}
