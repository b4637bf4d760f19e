package localexec

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A child is a leader that was spawned, our ends of its pipes, and the job
// that holds it and all its descendants. The job ends with its last handle, so
// that no process outlives this program.
type child struct {
	process        *os.Process
	stdin          *os.File // nil without
	stdout, stderr *os.File
	job            windows.Handle
}

// spawn runs s suspended, puts it into a job, and lets it go: nothing it
// starts can be outside the job.
func spawn(s spec) (*child, error) {
	var pipes pipes
	defer pipes.closeTheirs()
	c := new(child)
	stdin := pipes.stdin(c, s.noStdin)
	stdout := pipes.output(&c.stdout)
	stderr := pipes.output(&c.stderr)
	if pipes.err != nil {
		pipes.closeOurs()
		return nil, pipes.err
	}
	job, err := newJob()
	if err != nil {
		pipes.closeOurs()
		return nil, err
	}
	c.job = job
	c.process, err = os.StartProcess(s.path, s.argv, &os.ProcAttr{
		Dir: s.dir, Env: s.env, Files: []*os.File{stdin, stdout, stderr},
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED},
	})
	if err == nil {
		err = c.confine()
	}
	if err != nil {
		pipes.closeOurs()
		_ = windows.CloseHandle(job) // and so ends what may be in it
		return nil, err
	}
	return c, nil
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

// release frees the job; its members, if there still are any, end with it.
func (c *child) release() {
	_ = windows.CloseHandle(c.job) // a handle that is valid is always closed
}

// confine puts the suspended child into its job and resumes it.
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

// resume lets the only thread of a suspended process run.
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
