package program

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Interrupts returns a channel for World.Interrupt that is closed at the first
// SIGINT, SIGTERM or SIGHUP, and a function that ends the watch. After that
// first signal the program has its grace: it writes out what it has. A second
// one ends the process at once, in the way the system does it, so that a hang
// can always be broken.
func Interrupts() (<-chan struct{}, func()) {
	done := make(chan struct{})
	sig := make(chan os.Signal, 1)
	stop := make(chan struct{})
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	for _, s := range signals {
		// nohup, and a shell's background jobs, ask for it to stay ignored.
		if !signal.Ignored(s) {
			signal.Notify(sig, s)
		}
	}
	go func() {
		select {
		case <-sig:
			signal.Stop(sig)
			close(done)
		case <-stop:
			signal.Stop(sig)
		}
	}()
	var once sync.Once
	return done, func() { once.Do(func() { close(stop) }) }
}

// Interrupted reports whether the user asked to stop.
func (w *World) Interrupted() bool {
	select {
	case <-w.Interrupt:
		return true
	default:
		return false
	}
}
