//go:build unix

package watch

import (
	"os/exec"
	"syscall"
)

// A session of its own cannot prompt on the interface's terminal, and is killed with all
// its child processes.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
