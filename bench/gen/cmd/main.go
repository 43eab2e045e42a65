// Command gen writes a generated trace: ordinary traffic, or a hostile one.
//
//	go run ./bench/gen/cmd -mb 300 -seed 1 -o trace.jsonl
//	go run ./bench/gen/cmd -adversarial tokens -mb 50 -o tokens.jsonl.zst
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/warden-trace/warden/bench/gen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(2)
	}
}

func run() (err error) {
	var o gen.Options
	mb := flag.Float64("mb", 300, "size in MB (10^6 bytes), uncompressed")
	flag.Uint64Var(&o.Seed, "seed", 1, "seed: same seed, same bytes")
	flag.IntVar(&o.Sessions, "sessions", 40, "interleaved sessions")
	flag.Float64Var(&o.Findings, "findings", 0.01, "share of results with a planted finding (negative: none)")
	flag.IntVar(&o.Texts, "texts", 100, "length of results' texts, in percent of the usual: less of it is more frames a MB")
	flag.BoolVar(&o.Settled, "settled", false, "sessions that a lock and the profile of 2025-06-18 have nothing to say of")
	kind := flag.String("adversarial", "", "write a hostile trace of this kind instead ("+strings.Join(gen.Adversarial(), ", ")+")")
	out := flag.String("o", "-", "output file; compressed when it ends in .zst; - is standard output")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	o.Bytes = int64(*mb * 1e6)

	var w io.Writer = os.Stdout
	if *out != "-" {
		f, err2 := os.Create(*out)
		if err2 != nil {
			return err2
		}
		defer func() {
			if e := f.Close(); err == nil {
				err = e
			}
		}()
		w = f
	}
	if strings.HasSuffix(*out, ".zst") {
		z, err2 := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err2 != nil {
			return err2
		}
		defer func() {
			if e := z.Close(); err == nil {
				err = e
			}
		}()
		w = z
	}
	if *kind != "" {
		return gen.WriteAdversarial(w, *kind, o.Bytes, o.Seed)
	}
	st, err := gen.Write(w, o)
	fmt.Fprintln(os.Stderr, st.String())
	return err
}
