package recordings

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Locks are mandatory on Windows: the lock is on one byte far behind the end,
// so that the file can be read while it is held.
func region() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// lock takes the recorder's lock. A file system without locks is no reason not
// to record.
func lock(f *os.File) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	_ = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, region())
}

// unlock gives it back.
func unlock(f *os.File) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, region()) }

// locked tells whether a recorder holds the lock.
func locked(f *os.File) bool {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, region())
	if err == nil {
		unlock(f)
	}
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
