// Live measures what the guard costs between a real client and a real server,
// in one run and against the same programs without it: the time that it adds to
// a small frame, and the throughput of a stream of large results beside `cat`
// in its place. Each round is a session of its own, directly and guarded in
// turns; what other programs took of the processors meanwhile is told, as a busy
// machine has no idle processor that would have to be woken.
//
//	go run ./bench/live [-pings 20000] [-megabytes 100] [-guard FILE] [-peers bare] [-pause 1ms]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Targets of architecture.md, "The hot path".
const (
	maxAdded = 30 * time.Microsecond
	minRatio = 0.25
)

func main() {
	if role := os.Getenv(roleKey); role != "" {
		serve(role)
		return
	}
	pings := flag.Int("pings", 20000, "round trips measured with and without the guard")
	megabytes := flag.Int("megabytes", 100, "size of the stream of 64 KiB results")
	rounds := flag.Int("rounds", 5, "streams measured with and without the guard; the median counts")
	guard := flag.String("guard", "", "the warden-replay program, or several with commas between; built from this tree if absent")
	peers := flag.String("peers", "echo", "the server of the ping-pong: echo, an ordinary Go program, or bare, one thread without Go's scheduler (Linux)")
	pause := flag.Duration("pause", 0, "between two round trips of the ping-pong")
	check := flag.Bool("check", false, "exit 1 when a target is missed")
	flag.Parse()
	ok, err := run(*guard, *peers, *pause, *pings, *megabytes, *rounds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/live:", err)
		os.Exit(2)
	}
	if *check && !ok {
		os.Exit(1)
	}
}

func run(guard, peers string, pause time.Duration, pings, megabytes, rounds int) (ok bool, err error) {
	if guard == "" {
		dir, err := os.MkdirTemp("", "bench-live")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		guard = filepath.Join(dir, "warden-replay")
		build := exec.Command("go", "build", "-o", guard, "./cmd/warden-replay")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return false, fmt.Errorf("building the guard: %w", err)
		}
	}
	fmt.Printf("%d processors, %s\n", runtime.NumCPU(), runtime.Version())
	guards := strings.Split(guard, ",")
	before := observe()
	sides, err := pingPong(guards, peers, pings, 2*rounds, pause)
	if err != nil {
		return false, err
	}
	fmt.Printf("ping-pong, %d round trips of two small frames:\n", pings)
	report(sides, before.share(runtime.NumCPU()))
	added, _, _ := sides[1].added(sides[0])
	if megabytes == 0 {
		return added <= maxAdded, nil
	}
	t, err := throughput(guards[0], megabytes, rounds)
	if err != nil {
		return false, err
	}
	ratio := t.guarded / t.cat
	fmt.Printf("stream of %d MB in results of 64 KiB, median of %d:\n", megabytes, rounds)
	fmt.Printf("  cat      %6.0f MB/s\n  guard    %6.0f MB/s\n", t.cat, t.guarded)
	fmt.Printf("  ratio: %.2f (target at least %.2f)\n", ratio, minRatio)
	return added <= maxAdded && ratio >= minRatio, nil
}
