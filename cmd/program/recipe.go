package program

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/formats/report"
	"github.com/warden-trace/warden/replay/expect"
)

// recipe is how an expectation wants its trace scanned: the flags of scan that
// change what is found.
type recipe struct {
	RuleFlags
	PostureFlags
	ReadFlags

	FailOn           string `enum:"block,monitor,note,never" default:"block"`
	AllowParseErrors bool
}

// Recipes returns what loads the arguments of expectations (corpus/README.md).
// base are the rules that they start from; nil: the built-in ones. Setups are
// kept, so that traces which share their arguments share what they compile to.
func Recipes(w *World, base *ruleset.Set) expect.Loader {
	var mu sync.Mutex
	kept := map[string]*expect.Setup{}
	return func(dir string, args []string) (*expect.Setup, error) {
		key := strings.Join(args, "\x00")
		if key != "" {
			key = dir + "\x00" + key
		}
		mu.Lock()
		defer mu.Unlock()
		if s := kept[key]; s != nil {
			return s, nil
		}
		s, err := loadRecipe(w, base, dir, args)
		if err == nil {
			kept[key] = s
		}
		return s, err
	}
}

func loadRecipe(w *World, base *ruleset.Set, dir string, args []string) (*expect.Setup, error) {
	var r recipe
	var out bytes.Buffer
	parser, err := kong.New(&r, kong.Name("args"), kong.Writers(&out, &out), kong.NoDefaultHelp())
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(slices.Clone(args)); err != nil {
		return nil, Fail("args takes the flags of warden-inspect scan that change what is found", "args: %w", err)
	}
	if r.C2S != "" || r.S2C != "" {
		return nil, errors.New("args: --c2s and --s2c name other traces; an expectation is about one")
	}
	within := func(name *string) {
		if *name != "" && !filepath.IsAbs(*name) {
			*name = filepath.Join(dir, *name)
		}
	}
	within(&r.Lock)
	within(&r.Policy)
	within(&r.Allowlist)
	for _, list := range [][]string{r.ExfilDenylist, r.InjectPhrases, r.BlockInjectOnly} {
		for i := range list {
			within(&list[i])
		}
	}
	for i := range r.Ruleset {
		if _, named := ruleset.Named(r.Ruleset[i]); !named {
			within(&r.Ruleset[i])
		}
	}
	r.Base = base
	cfg, _, err := Configure(w, &r.RuleFlags, &r.PostureFlags, &r.ReadFlags)
	if err != nil {
		return nil, err
	}
	ro, err := r.Options(w)
	if err != nil {
		return nil, err
	}
	return &expect.Setup{Config: cfg, Formats: ro, Tolerant: r.AllowParseErrors, Exit: func(c *report.Counts, fatal bool) int {
		n := int64(0)
		switch r.FailOn {
		case "note":
			n += c.Note
			fallthrough
		case "monitor":
			n += c.Monitor
			fallthrough
		case "block":
			n += c.Block
		}
		return Outcome{Found: n > 0, Failed: fatal, AuditOnly: r.AuditOnly}.ExitCode()
	}}, nil
}
