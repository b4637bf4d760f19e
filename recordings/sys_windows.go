package recordings

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Locks are mandatory on Windows: the lock covers one byte far beyond the end, so
// that the file can be read while it is held.
func region() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// A file system without locks does not prevent recording.
func lock(f *os.File) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	_ = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, region())
}

func unlock(f *os.File) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, region()) }

func locked(f *os.File) bool {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, region())
	if err == nil {
		unlock(f)
	}
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

const errStale = windows.ERROR_FILE_INVALID

// Not needed: an open file can't be deleted.
func links(fs.FileInfo) (n uint64, known bool) { return 0, false }

// Not needed: an open file can't be renamed.
func currentPath(*os.File, fs.FileInfo) string { return "" }
