//go:build unix

package localexec

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
)

// signalOne signals a process, or the group -pid. It returns nil if there is none.
func signalOne(pid int, step executor.Step) error {
	if err := unix.Kill(pid, signalOf(step)); err != nil && !errors.Is(err, unix.ESRCH) {
		return err
	}
	return nil
}

func signalOf(step executor.Step) syscall.Signal {
	switch step {
	case executor.StepInterrupt:
		return unix.SIGINT
	case executor.StepTerm:
		return unix.SIGTERM
	default:
		return unix.SIGKILL
	}
}
