package sshtest

import (
	"os/exec"
	"syscall"
)

// tie makes a program end when that of the test does, even if it was killed and
// cleans up nothing. In truth it ends with the thread that starts it, but those
// of Go stay, unless a goroutine ends that has locked one.
func tie(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
