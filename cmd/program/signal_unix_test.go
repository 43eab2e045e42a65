//go:build unix

package program

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test program be a child that is asked to stop and does not.
func TestMain(m *testing.M) {
	if os.Getenv("SIGNAL_CHILD") == "" {
		// A test started by nohup inherits that SIGHUP is ignored, and so would the
		// programs that it starts.
		if signal.Ignored(syscall.SIGHUP) {
			signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
		}
		os.Exit(m.Run())
	}
	stop, _ := Interrupts()
	os.Stdout.WriteString("ready\n")
	<-stop
	os.Stdout.WriteString("stopping\n")
	time.Sleep(time.Minute) // hangs while it writes out what it has
}

func TestInterrupts(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		done, stop := Interrupts()
		w := &World{Interrupt: done}
		if w.Interrupted() {
			t.Fatal("interrupted by nobody")
		}
		if err := syscall.Kill(os.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatalf("%v is not noticed", sig)
		}
		if !w.Interrupted() {
			t.Error("the world does not know")
		}
		stop()
		stop()
	}
}

// TestSecondSignalEnds sees that a program that hangs on its way out can be
// ended by asking again.
func TestSecondSignalEnds(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SIGNAL_CHILD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	for _, want := range []string{"ready", "stopping"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("the child says %q, not %q", lines.Text(), want)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("the child ended with %v", err)
	}
	if st := exit.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGTERM {
		t.Errorf("the child ended with %v", err)
	}
}
