//go:build unix

package watch

import (
	"os/exec"
	"syscall"
)

// ownSession puts a command into its own session, so that it cannot prompt on the
// terminal of the interface, and is killed with all its child processes.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
