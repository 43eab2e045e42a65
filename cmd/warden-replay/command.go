package main

import (
	"errors"
	"io/fs"
	"os/exec"

	"github.com/warden-trace/warden/cmd/program"
	"github.com/warden-trace/warden/formats/report/safe"
)

// serverCommand is the command after --. Its program is looked up before
// anything is said or written: who mistyped it wants to read that alone.
func serverCommand(args []string, usage string) ([]string, error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, program.Fail("write "+usage, "no server command given")
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, program.Fail("check the command after --", "can't start the server %s: %w", safe.Name(args[0]), bareExec(err))
	}
	return args, nil
}

// bareExec is why a program can't be run, without its name, which is said once.
func bareExec(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err
}
