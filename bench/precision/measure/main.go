// Command measure says how precise the rule sets are: how many findings benign
// results have, by rule, and how many planted secrets are missed, with the
// built-in rules and with the calibrated ones.
//
//	go run ./bench/precision/measure
//
// Everything is made from a seed, but for the project's own source files, which
// are benign too. Exit code 1: a planted secret that the built-in rules find is
// missed by the calibrated ones.
package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/warden-trace/warden/analyze"
	"github.com/warden-trace/warden/analyze/catalog"
	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/bench/gen"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed")
	results := flag.Int("results", 10_000, "benign results")
	plants := flag.Int("plants", 100_000, "planted secrets")
	show := flag.Int("show", 0, "so many of the benign runs that the calibrated rules still take for secrets, redacted")
	flag.Parse()
	lost, _, err := run(os.Stdout, *seed, *results, *plants, *show)
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(2)
	}
	if lost > 0 {
		os.Exit(1)
	}
}

type set struct {
	name string
	c    *catalog.Catalog
	rule map[string]int // benign results with a finding of the rule
	runs int            // random runs in benign results
	kind map[string]int // of them by kind of result
}

// run measures and prints. fewer is by what factor the calibrated rules find
// random strings in fewer benign results.
func run(w io.Writer, seed uint64, results, plants, show int) (lost int, fewer float64, err error) {
	var sets []*set
	for _, name := range []string{"builtin", "calibrated"} {
		rules, _ := ruleset.Named(name)
		c, err := catalog.New(catalog.Options{Rules: rules})
		if err != nil {
			return 0, 0, err
		}
		sets = append(sets, &set{name: name, c: c, rule: map[string]int{}, kind: map[string]int{}})
	}
	texts, err := benign(seed, results)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range texts {
		for _, s := range sets {
			s.benign(&t, s == sets[1] && show > 0, &show)
		}
	}
	table(w, sets, len(texts))
	fewer = float64(sets[0].rule[catalog.RuleEntropy]) / float64(max(1, sets[1].rule[catalog.RuleEntropy]))
	fmt.Fprintf(w, "benign results with a random run: %.1f times fewer\n\n", fewer)
	return planted(w, sets, seed, plants), fewer, nil
}

// result is a benign text and what kind it is.
type result struct {
	kind string
	text []byte
}

func (s *set) benign(t *result, tell bool, show *int) {
	seen := map[string]bool{}
	for _, f := range s.c.Text(t.text, analyze.Inspection{}) {
		key := f.Rule
		if f.SubRule != "" {
			key = f.SubRule
		}
		if key == catalog.RuleEntropy {
			s.runs++
			s.kind[t.kind]++
			if tell && *show > 0 {
				*show--
				fmt.Printf("  %s: %s\n", t.kind, f.Snippet)
			}
		}
		if !seen[key] {
			seen[key] = true
			s.rule[key]++
		}
	}
}

// benign makes results of every kind that gen has, and of the project's files.
func benign(seed uint64, n int) ([]result, error) {
	own, err := source()
	if err != nil {
		return nil, err
	}
	var out []result
	for i := range n {
		if i%4 == 3 {
			out = append(out, result{"source", own[i/4%len(own)]})
			continue
		}
		kinds := gen.Samples()
		kind := kinds[i%len(kinds)]
		out = append(out, result{kind, gen.Sample(kind, seed+uint64(i), 300<<(i/len(kinds)%5))})
	}
	return out, nil
}

// source are pieces of the project's files, but for the rules and their tests,
// which hold by intent what the rules find.
func source() (out [][]byte, err error) {
	kinds := map[string]bool{".go": true, ".md": true, ".yml": true, ".mjs": true, ".json": true, ".sum": true, ".mod": true, ".s": true, ".sh": true}
	err = filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(p)
		if d.IsDir() {
			switch {
			case name != "." && strings.HasPrefix(d.Name(), "."), name == "bench", name == "corpus", name == "bin", name == "analyze/ruleset", d.Name() == "testdata", d.Name() == "node_modules":
				return filepath.SkipDir
			}
			return nil
		}
		if !kinds[filepath.Ext(name)] || strings.HasSuffix(name, "_test.go") || d.Name() == "README.md" {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for len(data) > 0 {
			k := min(len(data), 4000)
			out = append(out, data[:k])
			data = data[k:]
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("no source file here; run it from the top of the checkout")
	}
	return out, err
}

func table(w io.Writer, sets []*set, results int) {
	fmt.Fprintf(w, "%d benign results: those with a finding, per thousand\n\n", results)
	fmt.Fprintf(w, "%-28s %12s %12s\n", "rule", sets[0].name, sets[1].name)
	keys := map[string]bool{}
	for _, s := range sets {
		for k := range s.rule {
			keys[k] = true
		}
	}
	var names []string
	for k := range keys {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Fprintf(w, "%-28s %12.1f %12.1f\n", k, per(sets[0].rule[k], results), per(sets[1].rule[k], results))
	}
	fmt.Fprintf(w, "\nrandom runs in them %21d %12d   %.1f times fewer\n", sets[0].runs, sets[1].runs, float64(sets[0].runs)/float64(max(sets[1].runs, 1)))
	names = names[:0]
	for k := range sets[0].kind {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Fprintf(w, "  %-26s %12d %12d\n", k, sets[0].kind[k], sets[1].kind[k])
	}
	fmt.Fprintln(w)
}

func per(n, of int) float64 { return 1000 * float64(n) / float64(of) }
