package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// sample is a command line with all that completions and pages must cope with.
type sample struct {
	Scan struct {
		File  []string `arg:"" optional:"" help:"A file."`
		Color string   `enum:"auto,always" default:"auto" help:"It's 'colour': 100% \\ $x."`
		Level int      `short:"l" placeholder:"N" help:".a line like a request" group:"Limits"`
		Dry   bool     `negatable:"" help:"Dry."`
		Old   bool     `hidden:""`
		Rules []string `placeholder:"FILE" complete:"more" sep:"none" help:"Rules."`
		Dir   string   `placeholder:"DIR" help:"A folder."`
		Log   string   `short:"o" placeholder:"FILE" help:"A file."`
	} `cmd:"" default:"withargs" help:"Look at files."`
	Run struct {
		Trace   string   `arg:"" help:"A file."`
		Command []string `arg:"" passthrough:"partial" complete:"command" help:"A program."`
	} `cmd:"" help:"Run a program."`
	Show struct {
		ID string `arg:"" complete:"rule" help:"A rule."`
	} `cmd:"" help:"Show a rule."`
	Man ManCmd `cmd:"" help:"A page."`
	Set struct {
		One struct{} `cmd:"" help:"The one."`
		Two struct{} `cmd:"" hidden:""`
	} `cmd:"" help:"A set of commands."`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(&sample{}, kong.Name("a-tool"), kong.Description("A tool.\n\nExamples:\n  a-tool x"))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func TestCompletionScripts(t *testing.T) {
	for shell, want := range map[string][]string{
		"bash": {"complete -F _a_tool a-tool", "'/scan --color') kind=none vals='auto always' ;;", "--no-dry", "/set/one"},
		"zsh":  {"#compdef a-tool", `'--color:It'\''s '\''colour'\'': 100% \ $x.'`, "'one:The one.'"},
		"fish": {`-l color -x -a 'auto always' -d 'It\'s \'colour\': 100% \\ $x.'`, "-s l -x", "-a one -d 'The one.'"},
	} {
		got := Completion(model(t), shell)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %s:\n%s", shell, w, got)
			}
		}
		if strings.Contains(got, "--old") || strings.Contains(got, "two") {
			t.Errorf("%s shows what is hidden", shell)
		}
		// Each shell that is there reads its script.
		if path, err := exec.LookPath(shell); err == nil {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(got)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", shell, err, out)
			}
		}
	}
}

// What each place of a command line offers, asked of the shells that are there.
func TestCompletionOffers(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.yaml", "sub/b", "bin/a-program"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct{ line, want string }{
		{"--color=al", "always"},
		{"--color a", "auto always"},
		{"scan --color=", "auto always"},
		{"--rules ", "calibrated a.yaml bin sub"},
		{"--rules=c", "calibrated"},
		{"--dir ", "bin sub"},
		{"--log ", "a.yaml bin sub"},
		{"-o a", "a.yaml"},
		{"--level ", ""},
		{"--level scan --col", "--color"},
		{"--log set s", "scan set show sub"}, // set is the value of a flag
		{"a.yaml s", "sub"},
		{"set ", "one"},
		{"show WRD-RES-AN", "WRD-RES-ANSI"},
		{"man s", "scan set show"},
		{"man set ", "one"},
		{"run ", "a.yaml bin sub"},
		{"run a.yaml -- a-prog", "a-program"},
		{"run a.yaml a-prog", "a-program"},
		{"run a.yaml -- a-program s", "sub"},
		{"run a.yaml a-program --col", ""},
	}
	for shell, ask := range map[string]func(line string) string{
		// What readline does with a line before it asks: words, and "=" apart.
		"bash": func(line string) string {
			return `source script; line=${ASK//=/ = }; COMP_WORDS=(a-tool $line); [[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _a_tool; printf '%s\n' "${COMPREPLY[@]}"`
		},
		"fish": func(line string) string {
			return `source script; complete -C "a-tool $ASK" | string replace -r '\t.*' '' | string replace -r '^--[a-z]*=' '' | string trim -r -c /; true`
		},
	} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "bin", "script"), []byte(Completion(model(t), shell)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			cmd := exec.Command(path, "-c", strings.ReplaceAll(ask(c.line), "source script", "source bin/script"))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "ASK="+c.line, "HOME="+home, "XDG_CONFIG_HOME="+home, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: %q: %v", shell, c.line, err)
			}
			got := strings.Fields(string(out))
			slices.Sort(got)
			want := strings.Fields(c.want)
			slices.Sort(want)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s: a-tool %s offers %q, want %q", shell, c.line, got, want)
			}
		}
	}
}

func TestManualPages(t *testing.T) {
	app := model(t)
	all := commands(app)
	if len(all) != 7 {
		t.Fatalf("%d commands", len(all))
	}
	for i := range all {
		got := page(app, all, i)
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, ".a") || strings.HasPrefix(line, "'") {
				t.Errorf("%s: text became a request: %s", all[i].path, line)
			}
		}
		if path, err := exec.LookPath("groff"); err == nil {
			cmd := exec.Command(path, "-man", "-Tutf8", "-ww")
			cmd.Stdin = strings.NewReader(got)
			var warnings strings.Builder
			cmd.Stderr = &warnings
			if err := cmd.Run(); err != nil || warnings.Len() > 0 {
				t.Errorf("%s: %v %s", all[i].path, err, warnings.String())
			}
		}
	}
	root := page(app, all, 0)
	for _, w := range []string{`.TH "A\-TOOL" 1`, `a\-tool \- A tool`, `\fB\-\-color\fP \fIauto|always\fP`, ".SS Limits", `\&.a line like a request`, `100% \e $x`, `a\-tool\-set`} {
		if !strings.Contains(root, w) {
			t.Errorf("lacks %s:\n%s", w, root)
		}
	}
}
