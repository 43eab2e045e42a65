package program

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal of the given width.
func terminal(t *testing.T, cols uint16) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: cols}); err != nil {
		t.Fatal(err)
	}
	return slave
}

func TestTerminal(t *testing.T) {
	tty := terminal(t, 100)
	env := map[string]string{}
	w := &World{Stderr: tty, Getenv: func(k string) string { return env[k] }}
	if !IsTerminal(tty) || IsTerminal(nil) {
		t.Error("a terminal is not told from none")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if IsTerminal(null) {
		t.Error("/dev/null is a terminal")
	}
	if got := w.Columns(tty); got != 100 {
		t.Errorf("%d columns", got)
	}
	if c, err := w.Color("auto", tty); !c || err != nil {
		t.Errorf("no colour on a terminal: %v", err)
	}
	p := w.NewProgress(nil, false)
	if p == nil {
		t.Error("no bar on a terminal")
	}
	p.Done()
	if w.NewProgress(nil, true) != nil {
		t.Error("a bar in spite of --quiet")
	}
	env["NO_COLOR"] = "1"
	if c, _ := w.Color("auto", tty); c {
		t.Error("colour in spite of NO_COLOR")
	}
	env["TERM"] = "dumb"
	if w.NewProgress(nil, false) != nil {
		t.Error("a bar on a dumb terminal")
	}
}
