//go:build unix

package sshconfig

import (
	"os/exec"
	"syscall"
)

// detach gives cmd a session of its own: what a "Match exec" starts cannot read
// from our terminal, and ends with ssh when the time is up.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
