package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"

	"github.com/warden-trace/warden/bench/gen"
)

// seekFrame is how much of the trace goes into one frame of a seekable file.
const seekFrame = 1 << 20

// options make frames of 1 kB at the mean: a million of them in the usual GB.
func options(size int64) gen.Options {
	return gen.Options{Bytes: size, Seed: 1, Sessions: 40, Findings: 0.01, Texts: 45}
}

// trace generates the trace of a kind, unless it is there, and counts its
// frames.
func trace(dir, kind string, size int64) (path string, frames int, err error) {
	path = filepath.Join(dir, map[string]string{"plain": "step.jsonl", "seekable": "step-seek.jsonl.zst", "zst": "step.jsonl.zst"}[kind])
	if path == dir {
		return "", 0, fmt.Errorf("-runs %s: plain, seekable or zst", kind)
	}
	lines := &counter{}
	if _, err := os.Stat(path); err == nil {
		_, err = gen.Write(lines, options(size))
		return path, lines.n, err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	var w io.Writer = f
	closing := func() error { return nil }
	switch kind {
	case "zst":
		z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return "", 0, err
		}
		w, closing = z, z.Close
	case "seekable":
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return "", 0, err
		}
		s, err := seekable.NewWriter(f, z)
		if err != nil {
			return "", 0, err
		}
		b := &blocks{w: s}
		w, closing = b, func() error {
			if err := b.flush(); err != nil {
				return err
			}
			return s.Close()
		}
	}
	if _, err = gen.Write(io.MultiWriter(w, lines), options(size)); err == nil {
		err = closing()
	}
	return path, lines.n, err
}

type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) {
	c.n += bytes.Count(b, []byte{'\n'})
	return len(b), nil
}

// blocks gathers what is written into frames.
type blocks struct {
	w   io.Writer
	buf []byte
}

func (b *blocks) Write(p []byte) (int, error) {
	b.buf = append(b.buf, p...)
	if len(b.buf) >= seekFrame {
		return len(p), b.flush()
	}
	return len(p), nil
}

func (b *blocks) flush() error {
	if len(b.buf) == 0 {
		return nil
	}
	_, err := b.w.Write(b.buf)
	b.buf = b.buf[:0]
	return err
}
