package localexec

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const maxJob = 4096

func scan() ([]proc, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer windows.CloseHandle(snapshot)
	var all []proc
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		all = append(all, proc{
			procID: procID{pid: int(entry.ProcessID)}, ppid: int(entry.ParentProcessID),
			command: windows.UTF16ToString(entry.ExeFile[:]),
		})
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return all, nil
}

// pidList is JOBOBJECT_BASIC_PROCESS_ID_LIST.
type pidList struct {
	assigned, listed uint32
	pids             [maxJob]uintptr
}

func (c *child) members(_ family, s *scans) ([]proc, error) {
	list := new(pidList)
	err := windows.QueryInformationJobObject(c.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(list)), uint32(unsafe.Sizeof(*list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil, fmt.Errorf("list the job: %w", err)
	}
	in := make(map[int]bool)
	for _, pid := range list.pids[:min(list.listed, maxJob)] {
		in[int(pid)] = true
	}
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	var found []proc
	for _, p := range all {
		if in[p.pid] {
			p.group = c.pid
			found = append(found, p)
		}
	}
	return found, nil
}

func describe(m proc) string { return m.command }

func (m proc) name() string { return m.command }

// argv0 returns "": the list does not contain it.
func argv0(proc) string { return "" }

// identify returns false: a job knows its processes.
func identify(int) (procID, bool) { return procID{}, false }

// started returns the zero time: the list does not contain it.
func (m proc) started() time.Time { return time.Time{} }
