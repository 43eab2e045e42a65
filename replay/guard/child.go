package guard

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// child is the guarded process.
type child struct {
	cmd    *exec.Cmd
	stdin  *os.File // our ends
	stdout *os.File
	exited chan struct{} // closed when the process is gone
	state  *os.ProcessState
}

func startChild(o *RunOptions) (*child, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no command given")
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	widen(inW)
	widen(outR)
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, o.Stderr
	ownGroup(cmd)
	err = cmd.Start()
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		return nil, bare(err)
	}
	c := &child{cmd: cmd, stdin: inW, stdout: outR, exited: make(chan struct{})}
	go func() {
		// Not cmd.Wait: with a stderr that is no file it would wait for
		// grandchildren that hold it.
		c.state, _ = cmd.Process.Wait()
		close(c.exited)
	}()
	return c, nil
}

// code is the exit code that the child's end asks for.
func (c *child) code() int {
	select {
	case <-c.exited:
	default:
		return exitInternal // it could not be ended
	}
	if c.state == nil {
		return exitInternal
	}
	if n := c.state.ExitCode(); n >= 0 {
		return n
	}
	if ws, ok := c.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return exitInternal
}

// bare is an error without the command or path that it names: those stay out
// of notes.
func bare(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var s *os.SyscallError
	if errors.As(err, &s) {
		return s.Err
	}
	return err
}
