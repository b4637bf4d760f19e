package sshtest

import (
	"os/exec"
	"syscall"
)

// tie makes a program end when the test program ends, even if that is killed without
// cleanup. Strictly, it ends with the thread that starts it, but Go's threads stay,
// unless a goroutine ends that has locked one.
func tie(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
