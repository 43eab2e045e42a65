package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/warden-trace/warden/bench/gen"
)

// adversarial measures each hostile kind against plain text of the same size.
// Hostile texts have a target; the other shapes (very small frames, very many
// sessions) are printed for what they are. Each trace is removed when it has
// been measured: together they would fill a disk.
func (c *config) adversarial() error {
	plain, err := c.trace("plain", c.hostileMB)
	if err != nil {
		return err
	}
	defer os.Remove(plain)
	kinds := gen.Adversarial()
	if c.kinds != "" {
		kinds = strings.Split(c.kinds, ",")
	}
	texts := gen.Texts()
	fmt.Printf("hostile traces of %g MB, time against plain text of that size\n\n", c.hostileMB)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	defer w.Flush()
	fmt.Fprintln(w, "kind\tMB/s\ttimes plain\tpeak MiB\t")
	for _, kind := range kinds {
		if kind == "plain" {
			continue
		}
		if err := c.oneHostile(w, kind, plain, slices.Contains(texts, kind)); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) oneHostile(w *tabwriter.Writer, kind, plain string, text bool) error {
	file, err := c.trace(kind, c.hostileMB)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	if err := warm(plain); err != nil {
		return err
	}
	if err := warm(file); err != nil {
		return err
	}
	args := c.args
	if kind == "junk" || kind == "lines" {
		args = append(slices.Clone(args), "--allow-parse-errors")
	}
	argv := append(append([]string{c.bin}, args...), file)
	pair := []*contestant{
		{name: "plain", argv: c.scan(c.bin, plain), bytes: size(plain)},
		{name: kind, argv: argv, bytes: size(file)},
	}
	if err := rounds(3, pair); err != nil {
		if kind != "junk" {
			return err
		}
		// Junk alone is no trace at all: it is refused, and should be quickly.
		fmt.Fprintf(w, "%s\trefused\t\t\t\n", kind)
		return nil
	}
	times := 1 / pair[1].ratio(pair[0])
	fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.0f\t\n", kind, pair[1].rate(), times, float64(pair[1].peak)/(1<<20))
	if text {
		c.target(times <= wantHostile, "hostile text %s: %.1f times plain, want %d", kind, times, wantHostile)
	}
	c.target(pair[1].peak < wantPeakMiB<<20, "hostile %s: peak of %d MiB, want under %d", kind, pair[1].peak>>20, wantPeakMiB)
	return nil
}
