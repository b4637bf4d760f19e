package localexec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"mcpdbg/session/executor"
)

// A child is a spawned leader with our ends of its pipes and the job that holds
// it and all its descendants. The job ends when its last handle is closed, so
// that no process outlives this program.
type child struct {
	*pipes
	pid     int
	process *os.Process
	job     windows.Handle
}

// watch does nothing: the job ends with this program.
func (c *child) watch(context.Context, string) error { return nil }

// complete returns true: a job holds all descendants.
func (c *child) complete() bool { return true }

// lost returns false: there is no watchdog on Windows.
func (c *child) lost() bool { return false }

// parent returns 0: there is no watchdog on Windows.
func (c *child) parent() int { return 0 }

// run spawns the child. If it fails, no process is left.
func (c *child) run(_ context.Context, s spec) error {
	err := c.spawn(s)
	c.closeTheirs()
	if err != nil {
		c.discard()
	}
	return err
}

func (c *child) discard() { c.closeAll() }

func (c *child) wait() executor.Exit {
	state, err := c.process.Wait()
	if err != nil {
		return executor.Exit{Kind: executor.ExitUnknown}
	}
	return executor.Exit{Kind: executor.ExitCode, Code: state.ExitCode()}
}

// awaitEmpty returns true: a job lists all its processes.
func (c *child) awaitEmpty(context.Context, time.Duration) bool { return true }

// killWatchdog does nothing: there is no watchdog on Windows.
func (c *child) killWatchdog() {}

// spawn starts s suspended, puts it into a job and resumes it: no process that
// it starts can be outside the job.
func (c *child) spawn(s spec) error {
	if len(s.leave) > 0 {
		return fmt.Errorf("spare processes of a job: %w", errors.ErrUnsupported)
	}
	job, err := newJob()
	if err != nil {
		return err
	}
	c.job = job
	c.process, err = os.StartProcess(s.path, s.argv, &os.ProcAttr{
		Dir: s.dir, Env: s.env, Files: c.theirs,
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED},
	})
	if err == nil {
		err = c.confine()
	}
	if err != nil {
		_ = windows.CloseHandle(job) // ends any process in it
		return err
	}
	c.pid = c.process.Pid
	return nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create a job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job) // it is empty
		return 0, fmt.Errorf("limit a job: %w", err)
	}
	return job, nil
}

// release closes the job, which ends any remaining members.
func (c *child) release(bool) {
	_ = windows.CloseHandle(c.job) // never fails for a valid handle
}

func (c *child) confine() error {
	pid := uint32(c.process.Pid)
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err == nil {
		err = windows.AssignProcessToJobObject(c.job, h)
		_ = windows.CloseHandle(h)
	}
	if err == nil {
		err = resume(pid)
	}
	if err != nil {
		_ = c.process.Kill() // it has not run yet
		_, _ = c.process.Wait()
		return fmt.Errorf("put the process into a job: %w", err)
	}
	return nil
}

func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("find the thread of process %d: %w", pid, err)
}
