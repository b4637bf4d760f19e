package localexec

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"

	"mcpdbg/session/executor"
)

// signal turns INT into Ctrl+Break for the group and KILL into the end of the leader or
// the whole job. TERM is unsupported.
func (c *child) signal(step executor.Step, group bool) error {
	switch {
	case step == executor.StepKill && group:
		return windows.TerminateJobObject(c.job, 1)
	case step == executor.StepInterrupt && group:
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.pid))
	default:
		return signalOne(c.pid, step)
	}
}

// signalOne returns nil if there is no such process.
func signalOne(pid int, step executor.Step) error {
	if step != executor.StepKill {
		return errors.ErrUnsupported
	}
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.TerminateProcess(h, 1)
}

// groupGone returns false: jobs are not reused.
func (c *child) groupGone() bool { return false }

func signalProc(id procID, step executor.Step) error { return signalOne(id.pid, step) }

func ownSession() *syscall.SysProcAttr { return nil }

// protect does nothing: on Windows jobs replace the watchdog.
func protect() {}

func killRegistered(map[string]int) int { return 0 }
