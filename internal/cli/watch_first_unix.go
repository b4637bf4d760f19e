//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// alone gives a command a session of its own, so that it does not ask on the
// terminal that the interface has, and ends with all that it has started.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
