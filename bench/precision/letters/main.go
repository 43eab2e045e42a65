// Command letters counts which character follows which in the long runs that
// people write (identifiers, paths, file names, keys of records) and prints the
// table that the calibrated rule set tells them from random strings by.
//
//	go run ./bench/precision/letters -o analyze/ruleset/sets/letters.txt DIR...
//
// The folders are trees of source and text. Only sums over all of them are
// kept. Runs that look random to a first table are left out of the second, so
// that digests and encoded data in the trees teach nothing.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/warden-trace/warden/analyze/ruleset"
	"github.com/warden-trace/warden/analyze/secret"
)

func main() {
	out := flag.String("o", "", "file to write")
	most := flag.Int64("mb", 300, "most megabytes to read")
	flag.Parse()
	if err := run(*out, *most<<20, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "letters:", err)
		os.Exit(2)
	}
}

// shortest is the length of runs that count: shorter words would teach prose.
const shortest = 16

type counts struct {
	class [ruleset.NoClass + 1][ruleset.NoClass + 1][ruleset.NoClass]float64
	next  [ruleset.NoLetter + 1][ruleset.NoLetter + 1][ruleset.NoLetter]float64
}

var kinds = map[string]bool{".go": true, ".py": true, ".js": true, ".mjs": true, ".ts": true, ".c": true, ".h": true, ".rs": true, ".java": true,
	".md": true, ".txt": true, ".sh": true, ".json": true, ".yaml": true, ".yml": true, ".html": true, ".css": true, ".rb": true, ".pl": true, ".pm": true}

func run(out string, most int64, dirs []string) error {
	if out == "" || len(dirs) == 0 {
		return fmt.Errorf("give -o FILE and the folders to read")
	}
	var c counts
	runs := map[string]bool{}
	read := int64(0)
	for _, dir := range dirs {
		left := most / int64(len(dirs))
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // what can't be read is not counted
			}
			collect(runs, []byte(p))
			if !kinds[filepath.Ext(p)] || left <= 0 {
				return nil
			}
			data, err := os.ReadFile(p)
			if err != nil || len(data) > 1<<20 {
				return nil
			}
			left -= int64(len(data))
			read += int64(len(data))
			collect(runs, data)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for r := range runs {
		c.add(r)
	}
	first := c.letters()
	c = counts{}
	kept := 0
	for r := range runs {
		if secret.Surprise(first, []byte(r), 5.5) < 20 {
			c.add(r)
			kept++
		}
	}
	fmt.Fprintf(os.Stderr, "%d bytes, %d different runs, %d kept\n", read, len(runs), kept)
	return os.WriteFile(out, c.letters().Marshal(), 0o644)
}

// collect takes the runs of a text, each once: what is repeated a thousand times
// is one word all the same.
func collect(runs map[string]bool, data []byte) {
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		for _, f := range strings.FieldsFunc(s.Text(), func(r rune) bool { return r > 0x7e || !secret.Piece(byte(r)) }) {
			if len(f) >= shortest && len(f) <= 200 {
				runs[f] = true
			}
		}
	}
}

func (c *counts) add(r string) {
	w := secret.NewWalker()
	for i := range len(r) {
		s := w.Next(r[i])
		c.class[s.Class2][s.Class1][s.Class]++
		if s.Letter < ruleset.NoLetter {
			c.next[s.Letter2][s.Letter1][s.Letter]++
		}
	}
}

// letters turns counts into costs, with a little of everything added so that
// nothing is impossible.
func (c *counts) letters() *ruleset.Letters {
	var l ruleset.Letters
	for i := range c.class {
		for j := range c.class[i] {
			put(l.Class[i][j][:], c.class[i][j][:])
		}
	}
	for i := range c.next {
		for j := range c.next[i] {
			put(l.Next[i][j][:], c.next[i][j][:])
		}
	}
	return &l
}

func put(cost []uint8, n []float64) {
	const little = 0.5
	sum := 0.0
	for _, x := range n {
		sum += x + little
	}
	for k, x := range n {
		cost[k] = uint8(math.Round(min(-2*math.Log2((x+little)/sum), 35)))
	}
}
