//go:build unix

package guard

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ownGroup puts the child in a process group of its own, so that signals reach
// all of it and nothing of it is left behind.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signal sends a signal to the child's whole group. The group outlives its
// leader while a member is left, so this is right after the child's exit too.
func (c *child) signal(sig os.Signal) {
	if s, ok := sig.(syscall.Signal); ok {
		_ = syscall.Kill(-c.cmd.Process.Pid, s)
	}
}

// sweep ends what is left of the group, and gives the system a moment to do it.
func (c *child) sweep() {
	for range 50 {
		if syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) != nil {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}
