// Command compare measures warden-inspect against the tools that set the pace
// for its input, all in one run on one machine: `zstd -d -c` for compressed
// traces, `jq -c .` for plain ones.
//
//	go run ./bench/compare                      # 300 MB, five rounds
//	go run ./bench/compare -hostile             # and the hostile texts
//	go run ./bench/compare -memory              # and 2 GB, one long line, empty lines
//	go run ./bench/compare -armed               # and policy, allow-list, lock and profile
//	go run ./bench/compare -reports             # and all reports in one pass
//
// The contestants of a round run one after the other before the next round
// begins, so that a machine that slows down slows all of them; ratios are taken
// within a round, and their median is printed. Peak memory is what the system
// counted for the process. With -check a missed target makes the exit code 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

type config struct {
	dir, bin  string
	purego    string   // the same program without vector code
	args      []string // of a scan, before the file
	mb        float64
	rounds    int
	seed      uint64
	hostile   bool
	kinds     string
	hostileMB float64
	memory    bool
	armed     bool
	reports   bool
	memoryMB  float64
	check     bool
	missed    []string
}

func main() {
	if len(os.Args) == 6 && os.Args[1] == generateVerb {
		exit(generate(os.Args[2:]))
	}
	var c config
	args := flag.String("args", "scan --no-progress", "arguments of a scan, before the file")
	flag.StringVar(&c.dir, "dir", "bench/data", "directory of the generated traces (kept between runs)")
	flag.StringVar(&c.bin, "bin", "", "warden-inspect to measure (default: built from this tree)")
	flag.Float64Var(&c.mb, "mb", 300, "size of the ordinary trace in MB (10^6 bytes)")
	flag.IntVar(&c.rounds, "rounds", 5, "rounds")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the generated traces")
	flag.BoolVar(&c.hostile, "hostile", false, "measure hostile texts against plain ones of the same size")
	flag.StringVar(&c.kinds, "kinds", "", "only these hostile kinds, comma separated")
	flag.Float64Var(&c.hostileMB, "hostile-mb", 100, "size of each hostile trace in MB")
	flag.BoolVar(&c.memory, "memory", false, "measure peak memory on large and odd traces")
	flag.BoolVar(&c.armed, "armed", false, "measure a scan with each rule family armed against the bare one")
	flag.BoolVar(&c.reports, "reports", false, "measure a scan that writes all reports against the bare one")
	flag.Float64Var(&c.memoryMB, "memory-mb", 2000, "size of the large trace in MB")
	flag.BoolVar(&c.check, "check", false, "exit 1 when a target is missed")
	flag.Parse()
	c.args = strings.Fields(*args)
	exit(c.run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	os.Exit(0)
}

func (c *config) run() error {
	for _, tool := range []string{"zstd", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed: it is what we measure against", tool)
		}
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	if c.bin == "" {
		c.bin = filepath.Join(c.dir, "warden-inspect")
		c.purego = c.bin + "-purego"
		for _, args := range [][]string{{"-o", c.bin}, {"-tags", "purego", "-o", c.purego}} {
			build := exec.Command("go", append(append([]string{"build", "-trimpath"}, args...), "./cmd/warden-inspect")...)
			build.Stderr = os.Stderr
			if err := build.Run(); err != nil {
				return fmt.Errorf("building warden-inspect: %w", err)
			}
		}
	}
	fmt.Printf("%s/%s, %d processors, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if err := c.ordinary(); err != nil {
		return err
	}
	if c.armed {
		if err := c.families(); err != nil {
			return err
		}
	}
	if c.reports {
		if err := c.allReports(); err != nil {
			return err
		}
	}
	if c.hostile {
		if err := c.adversarial(); err != nil {
			return err
		}
	}
	if c.memory {
		if err := c.peaks(); err != nil {
			return err
		}
	}
	if c.check && len(c.missed) > 0 {
		for _, m := range c.missed {
			fmt.Println("missed:", m)
		}
		os.Exit(1)
	}
	return nil
}

// target notes a target that was missed.
func (c *config) target(ok bool, format string, args ...any) {
	if !ok {
		c.missed = append(c.missed, fmt.Sprintf(format, args...))
	}
}
