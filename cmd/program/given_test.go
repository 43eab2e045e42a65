package program

import (
	"bytes"
	"strings"
	"testing"
)

type givenCLI struct {
	File  string   `short:"f" placeholder:"FILE"`
	List  []string `placeholder:"FILE" sep:"none"`
	Only  *string  `placeholder:"NAME"`
	Rule  string   `placeholder:"ID"`
	Count int
}

func (givenCLI) Run() error { return nil }

func TestFlagsWithoutAValue(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string // "": taken
	}{
		{nil, ""},
		{[]string{"--file", "x", "--list", "a", "--list", "b", "--count", "0"}, ""},
		{[]string{"--only", ""}, ""},
		{[]string{"--rule="}, ""},
		{[]string{"--file", ""}, "t: -f, --file: the value is empty\n  hint: give it"},
		{[]string{"--file="}, "--file: the value is empty"},
		{[]string{"-f", ""}, "--file: the value is empty"},
		{[]string{"--list", "a", "--list", ""}, "--list: the value is empty"},
		{[]string{"--count", "-1"}, "t: --count: -1 is negative, and no value that it takes is\n"},
		{[]string{"--count", "-x"}, `--count needs a whole number, not "-x"`},
		{[]string{"--count", "x"}, `--count needs a whole number, not "x"`},
		{[]string{"--file", "-x"}, `t: --file needs a value, and "-x" looks like a flag; perhaps try --file="-x"?`},
		{[]string{"--count"}, "t: --count needs a value\n  hint: see t --help\n"},
		{[]string{"--file", "x", "-f"}, "t: --file needs a value\n"},
	} {
		var errs bytes.Buffer
		code := CommandLine(&World{Args: c.args, Stdout: &bytes.Buffer{}, Stderr: &errs}, "t", "", &givenCLI{})
		if (code == ExitClean) != (c.says == "") || c.says != "" && code != ExitError || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: %d, %s", c.args, code, &errs)
		}
	}
}
