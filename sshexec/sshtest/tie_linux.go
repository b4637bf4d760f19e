package sshtest

import (
	"os/exec"
	"syscall"
)

// tie makes a program end when that of the test does, even if it was killed and
// cleans up nothing.
func tie(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
