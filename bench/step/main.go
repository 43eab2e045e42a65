// Command step measures the stepper on a generated trace of a million frames,
// in a pseudo terminal, plain and as seekable zstd: the time to the first
// screen, the jump to the last frame, key to screen, and peak memory.
//
//	go run ./bench/step                     builds warden-replay, generates 1 GB
//	go run ./bench/step -mb 100 -runs plain
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Goals of the figures; a run that misses one says so and exits 1.
const (
	goalFirst = 1000 // ms
	goalLast  = 1000 // ms
	goalKey   = 16   // ms, 95th percentile
	goalPeak  = 200  // MiB
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "step:", err)
		os.Exit(1)
	}
}

func run() error {
	mb := flag.Float64("mb", 1000, "size of the trace in MB, uncompressed")
	keys := flag.Int("keys", 400, "keys pressed")
	dir := flag.String("dir", "", "folder for the traces, kept; else a temporary one")
	bin := flag.String("bin", "", "warden-replay to measure; else it is built")
	runs := flag.String("runs", "plain,seekable,zst", "what to measure")
	flag.Parse()
	if *dir == "" {
		tmp, err := os.MkdirTemp("", "warden-bench-step")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		*dir = tmp
	}
	if *bin == "" {
		*bin = filepath.Join(*dir, "warden-replay")
		out, err := exec.Command("go", "build", "-trimpath", "-o", *bin, "./cmd/warden-replay").CombinedOutput()
		if err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	missed := 0
	for _, kind := range strings.Split(*runs, ",") {
		trace, frames, err := trace(*dir, kind, int64(*mb*1e6))
		if err != nil {
			return err
		}
		f, err := measure(*bin, trace, *dir, *keys)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		fmt.Printf("%-9s %d frames: first screen %.0f ms, indexed in %.1f s, last frame %.0f ms, key to screen %.1f ms median %.1f ms p95 (%.1f ms while indexing), peak %.0f MiB\n",
			kind, frames, f.first, f.indexed/1000, f.last, f.median, f.p95, f.busy, f.peak)
		for _, g := range []struct {
			what        string
			value, goal float64
		}{{"first screen", f.first, goalFirst}, {"last frame", f.last, goalLast}, {"key to screen", f.p95, goalKey}, {"key to screen while indexing", f.busy, goalKey}, {"peak memory", f.peak, goalPeak}} {
			if g.value > g.goal {
				fmt.Printf("          MISSED: %s %.1f, the goal is %.0f\n", g.what, g.value, g.goal)
				missed++
			}
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d goals missed", missed)
	}
	return nil
}
