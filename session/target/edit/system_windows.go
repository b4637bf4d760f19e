package edit

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// isForeign is always false: who may write a file is a matter of its access list.
func isForeign(fs.FileInfo) bool { return false }

func keepGroup(*os.File, fs.FileInfo) {}

// tryLock takes a lock, which ends when f is closed.
func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, os.NewSyscallError("LockFileEx", err)
}
