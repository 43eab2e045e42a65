package main

import (
	"fmt"
	"os"
	"text/tabwriter"
)

// Targets of the project (README, "Speed"): shares of what zstd and jq do.
const (
	wantZstd         = 0.5
	wantZstdPortable = 0.3
	wantJQ           = 15
	wantJQPortable   = 10
	wantPeakMiB      = 128
	wantHostile      = 3
)

// ordinary measures generated traffic, plain and compressed.
func (c *config) ordinary() error {
	plain, err := c.trace("", c.mb)
	if err != nil {
		return err
	}
	zst, err := compressed(plain)
	if err != nil {
		return err
	}
	for _, f := range []string{plain, zst} {
		if err := warm(f); err != nil {
			return err
		}
	}
	n := size(plain)
	portable := []string{"WARDEN_PORTABLE=1"}
	all := []*contestant{
		{name: "zstd -d -c", argv: []string{"zstd", "-q", "-d", "-c", zst}, bytes: n, against: -1},
		{name: "warden-inspect, .zst", argv: c.scan(zst), bytes: n, against: 0},
		{name: "warden-inspect, .zst, portable", argv: c.scan(zst), env: portable, bytes: n, against: 0},
		{name: "jq -c .", argv: []string{"jq", "-c", ".", plain}, bytes: n, against: -1},
		{name: "warden-inspect, plain", argv: c.scan(plain), bytes: n, against: 3},
		{name: "warden-inspect, plain, portable", argv: c.scan(plain), env: portable, bytes: n, against: 3},
	}
	if err := rounds(c.rounds, all); err != nil {
		return err
	}
	fmt.Printf("generated traffic: %.0f MB plain, %.0f MB compressed, %d rounds\n\n", float64(n)/1e6, float64(size(zst))/1e6, c.rounds)
	print(all)
	c.target(all[1].ratio(all[0]) >= wantZstd, "%s: %.2f of zstd, want %g", all[1].name, all[1].ratio(all[0]), wantZstd)
	c.target(all[2].ratio(all[0]) >= wantZstdPortable, "%s: %.2f of zstd, want %g", all[2].name, all[2].ratio(all[0]), wantZstdPortable)
	c.target(all[4].ratio(all[3]) >= wantJQ, "%s: %.1f times jq, want %d", all[4].name, all[4].ratio(all[3]), wantJQ)
	c.target(all[5].ratio(all[3]) >= wantJQPortable, "%s: %.1f times jq, want %d", all[5].name, all[5].ratio(all[3]), wantJQPortable)
	for _, k := range all {
		if k.against >= 0 {
			c.target(k.peak < wantPeakMiB<<20, "%s: peak of %d MiB, want under %d", k.name, k.peak>>20, wantPeakMiB)
		}
	}
	return nil
}

func (c *config) scan(file string) []string {
	return append(append([]string{c.bin}, c.args...), file)
}

func print(all []*contestant) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "program\tMB/s\tratio\tto\tCPU s\tpeak MiB\t")
	for _, k := range all {
		ratio, to := "", ""
		if k.against >= 0 {
			ratio, to = fmt.Sprintf("%.2f", k.ratio(all[k.against])), all[k.against].name
		}
		fmt.Fprintf(w, "%s\t%.0f\t%s\t%s\t%.2f\t%.0f\t\n", k.name, k.rate(), ratio, to, median(seconds(k.cpu)), float64(k.peak)/(1<<20))
	}
	w.Flush()
	fmt.Println()
}
