package knownhosts

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The lock is released when f is closed. It is on a byte far after the end, because other
// programs could not read a locked one.
func tryLock(f *os.File) (bool, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
		failed = windows.LockFileEx(windows.Handle(fd), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	})
	switch {
	case err != nil:
		return false, err
	case failed == nil:
		return true, nil
	case errors.Is(failed, windows.ERROR_LOCK_VIOLATION), errors.Is(failed, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, os.NewSyscallError("LockFileEx", failed)
}
