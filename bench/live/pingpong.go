package main

import (
	"fmt"
	"time"
)

// warmUp is how many round trips of a session aren't counted.
const warmUp = 500

// side is one way between client and server, and how long its round trips took.
type side struct {
	guard   string // "": none, the programs talk directly
	all     times
	medians times // of each round
	cpu     times // of each round: processor time per round trip of all but the client
}

// pingPong measures round trips directly and behind each guard, in turns, so
// that what else the machine does meets all of them alike. Each turn is a
// session of its own: the programs of one that waits would still shape where
// the system puts the others' (two that talk directly may share a processor,
// which is quicker than two processors that wake each other).
func pingPong(guards []string, peers string, n, rounds int, pause time.Duration) ([]*side, error) {
	sides := []*side{{}}
	for _, g := range guards {
		sides = append(sides, &side{guard: g})
	}
	for range rounds {
		for _, x := range sides {
			took, cpu, err := turn(x.guard, peers, n/rounds, pause)
			if err != nil {
				return nil, err
			}
			x.all, x.medians = append(x.all, took...), append(x.medians, took.median())
			x.cpu = append(x.cpu, cpu)
		}
	}
	return sides, nil
}

// turn is one session of n round trips with a pause before each.
func turn(guard, peers string, n int, pause time.Duration) (took times, cpu time.Duration, err error) {
	s, err := start(guard, peers)
	if err != nil {
		return nil, 0, err
	}
	for i := range warmUp + n {
		if pause > 0 {
			time.Sleep(pause)
		}
		from := time.Now()
		if err := s.ping(i); err != nil {
			return nil, 0, err
		}
		if i >= warmUp {
			took = append(took, time.Since(from))
		}
	}
	err = s.close()
	return took, s.cpu() / time.Duration(warmUp+n), err
}

// added is what one frame took longer than directly, half of what a round trip
// did: the median of the rounds' medians, and their extremes.
func (x *side) added(direct *side) (median, least, most time.Duration) {
	per := make(times, len(x.medians))
	for i := range per {
		per[i] = (x.medians[i] - direct.medians[i]) / 2
	}
	return (x.medians.median() - direct.medians.median()) / 2, per.at(0), per.at(1)
}

func report(sides []*side, load float64) {
	direct := sides[0]
	direct.print("direct")
	for _, x := range sides[1:] {
		median, least, most := x.added(direct)
		x.print("guarded")
		if len(sides) > 2 {
			fmt.Println("   ", x.guard)
		}
		fmt.Printf("  added per frame, median: %s (target at most %s; by round %s to %s)\n", median, maxAdded, least, most)
	}
	if load >= 0 {
		fmt.Printf("  meanwhile other programs took %.0f%% of the processors\n", 100*load)
	}
}

func (x *side) print(name string) {
	fmt.Printf("  %-8s median %8s  95%% %8s  99%% %8s  processor time %s\n", name,
		x.medians.median(), x.all.at(0.95), x.all.at(0.99), x.cpu.median())
}
