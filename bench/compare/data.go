package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/warden-trace/warden/bench/gen"
)

// generateVerb runs this program as a generator. Generating happens in a
// process of its own because a child's peak memory begins at its parent's: this
// process must stay small.
const generateVerb = "generate-trace"

// settledKind is ordinary traffic that lock and profile have nothing to say of.
const settledKind = "settled"

// trace makes sure that the trace exists and returns its path. kind is a
// hostile kind or "" for ordinary traffic; a path in .zst is compressed, by
// zstd itself, as archives are.
func (c *config) trace(kind string, mb float64) (plain string, err error) {
	name := fmt.Sprintf("traffic-%g-%d.jsonl", mb, c.seed)
	switch kind {
	case "":
	case settledKind:
		name = fmt.Sprintf("settled-%g-%d.jsonl", mb, c.seed)
	default:
		name = fmt.Sprintf("hostile-%s-%g-%d.jsonl", kind, mb, c.seed)
	}
	plain = filepath.Join(c.dir, name)
	if _, err := os.Stat(plain); err == nil {
		return plain, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, generateVerb, kind, strconv.FormatInt(int64(mb*1e6), 10), strconv.FormatUint(c.seed, 10), plain)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("generating %s: %w", plain, err)
	}
	return plain, nil
}

// compressed makes sure that plain's compressed form exists.
func compressed(plain string) (string, error) {
	z := plain + ".zst"
	if _, err := os.Stat(z); err == nil {
		return z, nil
	}
	if out, err := exec.Command("zstd", "-q", "-f", "-3", plain, "-o", z).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compressing %s: %w: %s", plain, err, out)
	}
	return z, nil
}

func generate(args []string) (err error) {
	kind, path := args[0], args[3]
	size, err1 := strconv.ParseInt(args[1], 10, 64)
	seed, err2 := strconv.ParseUint(args[2], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	part := path + ".part"
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	switch kind {
	case "", settledKind:
		_, err = gen.Write(f, gen.Options{Bytes: size, Seed: seed, Settled: kind == settledKind})
	default:
		err = gen.WriteAdversarial(f, kind, size, seed)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(part, path)
}

// warm reads a file once, so that no round waits for the disk.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, bufio.NewReaderSize(f, 1<<16))
	return err
}

func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}
