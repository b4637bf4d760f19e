//go:build unix

package sshconfig

import (
	"os/exec"
	"syscall"
)

// In a session of their own, programs of a "Match exec" cannot read from our terminal,
// and are killed with ssh at the time limit.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
