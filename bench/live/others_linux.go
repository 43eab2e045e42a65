package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// others measures what programs that are none of ours do to the processors: a
// figure from a machine that is busy is not one from a machine that idles.
type others struct {
	at          time.Time
	total, mine float64 // seconds of processor time
}

const tick = 100.0 // USER_HZ

func observe() others {
	o := others{at: time.Now()}
	f, err := os.Open("/proc/stat")
	if err != nil {
		return others{}
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Scan()
	for i, s := range strings.Fields(sc.Text()) {
		if n, err := strconv.ParseFloat(s, 64); err == nil && i != 4 && i != 5 && i < 9 { // idle, iowait; guest is in user
			o.total += n / tick
		}
	}
	o.mine = family()
	return o
}

// family is the time that this process and all below it have taken.
func family() (seconds float64) {
	type proc struct {
		parent int
		taken  float64
	}
	procs := map[int]proc{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var pid int
		fmt.Sscan(string(b), &pid)
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(f) < 15 {
			continue
		}
		var p proc
		p.parent, _ = strconv.Atoi(f[1])
		for _, s := range f[11:15] { // utime stime cutime cstime
			n, _ := strconv.ParseFloat(s, 64)
			p.taken += n / tick
		}
		procs[pid] = p
	}
	for pid, p := range procs {
		for up := pid; up > 1; up = procs[up].parent {
			if up == os.Getpid() {
				seconds += p.taken
				break
			}
		}
	}
	return seconds
}

// share is the part of all processors that others have taken since then, -1
// where that is not known.
func (o others) share(cpus int) float64 {
	now := observe()
	took := now.at.Sub(o.at).Seconds() * float64(cpus)
	if o.at.IsZero() || took <= 0 {
		return -1
	}
	return max(0, (now.total-o.total)-(now.mine-o.mine)) / took
}
