package program

import (
	"os/exec"
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
	} `cmd:"" default:"withargs" help:"Look at files."`
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
		"bash": {"complete -F _a_tool a-tool", "'/scan --color') COMPREPLY=($(compgen -W 'auto always'", "--no-dry", "/set/one"},
		"zsh":  {"#compdef a-tool", `'--color:It'\''s '\''colour'\'': 100% \ $x.'`, "'one:The one.'"},
		"fish": {`-l color -x -a 'auto always' -d 'It\'s \'colour\': 100% \\ $x.'`, "-s l -r", "-a one -d 'The one.'"},
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

func TestManualPages(t *testing.T) {
	app := model(t)
	all := commands(app)
	if len(all) != 4 {
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
