package main

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// contestant is one command on one file.
type contestant struct {
	name    string
	argv    []string
	bytes   int64       // uncompressed bytes that it works through
	against *contestant // that it is measured by; nil: none
	want    float64     // least ratio of the speeds
	took    []time.Duration
	cpu     []time.Duration // of all its threads: what a busy machine changes least
	peak    int64           // bytes, the largest of all rounds
}

// once runs the command with its output thrown away. Exit codes 0 and 1 are
// fine: 1 says that there are findings.
func (k *contestant) once() error {
	cmd := exec.Command(k.argv[0], k.argv[1:]...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) {
		return fmt.Errorf("%s: %w: %.400s", strings.Join(k.argv, " "), err, complaint.String())
	}
	k.took = append(k.took, took)
	k.cpu = append(k.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	k.peak = max(k.peak, peak(cmd.ProcessState))
	return nil
}

// rate is MB/s at the median.
func (k *contestant) rate() float64 {
	return float64(k.bytes) / 1e6 / median(seconds(k.took))
}

// ratio is the median over the rounds of the speed against another's.
func (k *contestant) ratio(other *contestant) float64 {
	var r []float64
	for i := range k.took {
		r = append(r, float64(k.bytes)/k.took[i].Seconds()/(float64(other.bytes)/other.took[i].Seconds()))
	}
	return median(r)
}

func seconds(d []time.Duration) []float64 {
	var s []float64
	for _, v := range d {
		s = append(s, v.Seconds())
	}
	return s
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// rounds runs all contestants, interleaved.
func rounds(n int, all []*contestant) error {
	for range n {
		for _, k := range all {
			if err := k.once(); err != nil {
				return err
			}
		}
	}
	return nil
}
