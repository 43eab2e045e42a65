package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRatiosAreTakenWithinARound(t *testing.T) {
	// The machine halves its speed in the second round: the ratio stays.
	a := &contestant{bytes: 100, took: []time.Duration{1e9, 2e9, 1e9}}
	b := &contestant{bytes: 100, took: []time.Duration{4e9, 8e9, 4e9}}
	if r := a.ratio(b); r != 4 {
		t.Errorf("ratio %g, want 4", r)
	}
	// Twice the bytes in the same time is twice the speed.
	a.bytes = 200
	if r := a.ratio(b); r != 8 {
		t.Errorf("ratio %g, want 8", r)
	}
	if r := a.rate(); r != 200/1e6 {
		t.Errorf("rate %g MB/s", r)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{7, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median(%v) = %g, want %g", c.in, got, c.want)
		}
	}
}

func TestOnceTakesFindingsButNotFailures(t *testing.T) {
	sh := func(code string) *contestant {
		return &contestant{argv: []string{"sh", "-c", "echo no such trace >&2; exit " + code}}
	}
	for _, code := range []string{"0", "1"} {
		k := sh(code)
		if err := k.once(); err != nil || len(k.took) != 1 || k.peak <= 0 {
			t.Errorf("exit %s: %v, %d times, peak %d", code, err, len(k.took), k.peak)
		}
	}
	if err := sh("2").once(); err == nil || !strings.Contains(err.Error(), "no such trace") {
		t.Errorf("exit 2: %v", err)
	}
	if err := (&contestant{argv: []string{"/no/such/program"}}).once(); err == nil {
		t.Error("a program that is not there ran")
	}
}

func TestGenerateLeavesNoHalfFile(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "t.jsonl")
	if err := generate([]string{"", "100000", "1", out}); err != nil {
		t.Fatal(err)
	}
	if size(out) < 100000 {
		t.Errorf("%d bytes", size(out))
	}
	bad := filepath.Join(dir, "bad.jsonl")
	if err := generate([]string{"no-such-kind", "100000", "1", bad}); err == nil {
		t.Error("an unknown kind was written")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Fatal("zstd is needed to measure against")
	}
	z, err := compressed(out)
	if err != nil || size(z) == 0 || size(z) >= size(out) {
		t.Errorf("compressed to %d of %d bytes: %v", size(z), size(out), err)
	}
}
