package program

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/warden-trace/warden/formats/report/target"
)

// Interrupts returns a channel for World.Interrupt that is closed at the first
// SIGINT, SIGTERM or SIGHUP, and a function that ends the watch. After that
// first signal the program has its grace: it writes out what it has. A second
// one ends the process at once, in the way the system does it, so that a hang
// can always be broken; only the temporary files of reports are removed first.
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
			close(done)
		case <-stop:
			signal.Stop(sig)
			return
		}
		select {
		case s := <-sig:
			target.Sweep()
			signal.Stop(sig)
			if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(s) != nil {
				os.Exit(ExitInterrupt)
			}
		case <-stop:
			signal.Stop(sig)
		}
	}()
	var once sync.Once
	return done, func() { once.Do(func() { close(stop) }) }
}

// brokenPipes makes a write to a standard output that nobody reads any more an
// error like that of any other file. By default the system would end the
// process there, and all its other reports with it. It is caught, not ignored:
// programs that are started would inherit that.
func brokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
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
