package main

import (
	"fmt"
	"os"
	"text/tabwriter"
)

// Targets of the project (README, "Speed"): shares of what zstd and jq do,
// and of the bare scan.
const (
	wantZstd         = 0.5
	wantZstdPortable = 0.3
	wantJQ           = 15
	wantJQPortable   = 10
	wantPeakMiB      = 128
	wantHostile      = 3
	wantArmed        = 0.7
	wantReports      = 0.6
	wantReportsMiB   = 256
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
	zstd := &contestant{name: "zstd -d -c", argv: []string{"zstd", "-q", "-d", "-c", zst}, bytes: n}
	jq := &contestant{name: "jq -c .", argv: []string{"jq", "-c", ".", plain}, bytes: n}
	all := []*contestant{
		zstd,
		{name: "warden-inspect, .zst", argv: c.scan(c.bin, zst), bytes: n, against: zstd, want: wantZstd},
		jq,
		{name: "warden-inspect, plain", argv: c.scan(c.bin, plain), bytes: n, against: jq, want: wantJQ},
	}
	if c.purego != "" {
		all = append(all,
			&contestant{name: "warden-inspect, .zst, portable build", argv: c.scan(c.purego, zst), bytes: n, against: zstd, want: wantZstdPortable},
			&contestant{name: "warden-inspect, plain, portable build", argv: c.scan(c.purego, plain), bytes: n, against: jq, want: wantJQPortable})
	}
	if err := rounds(c.rounds, all); err != nil {
		return err
	}
	fmt.Printf("generated traffic: %.0f MB plain, %.0f MB compressed, %d rounds\n\n", float64(n)/1e6, float64(size(zst))/1e6, c.rounds)
	print(all)
	for _, k := range all {
		if k.against != nil {
			c.target(k.ratio(k.against) >= k.want, "%s: %.2f times %s, want %g", k.name, k.ratio(k.against), k.against.name, k.want)
		}
	}
	for _, k := range all {
		if k.against != nil {
			c.target(k.peak < wantPeakMiB<<20, "%s: peak of %d MiB, want under %d", k.name, k.peak>>20, wantPeakMiB)
		}
	}
	return nil
}

func (c *config) scan(bin, file string) []string {
	return append(append([]string{bin}, c.args...), file)
}

func print(all []*contestant) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "program\tMB/s\tratio\tto\tCPU s\tpeak MiB\t")
	for _, k := range all {
		ratio, to := "", ""
		if k.against != nil {
			ratio, to = fmt.Sprintf("%.2f", k.ratio(k.against)), k.against.name
		}
		fmt.Fprintf(w, "%s\t%.0f\t%s\t%s\t%.2f\t%.0f\t\n", k.name, k.rate(), ratio, to, median(seconds(k.cpu)), float64(k.peak)/(1<<20))
	}
	w.Flush()
	fmt.Println()
}
