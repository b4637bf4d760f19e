package host

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach gives a command that is about to run no console: it survives this program's.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// inForeground does nothing: a console has no foreground group.
func inForeground(*exec.Cmd) (back func()) { return func() {} }
