//go:build windows

package guard

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no process groups here (best effort).
func ownGroup(*exec.Cmd) {}

// signal ends the child for every signal: there is no other here.
func (c *child) signal(os.Signal) { _ = c.cmd.Process.Kill() }

func (c *child) sweep() { _ = c.cmd.Process.Kill() }
