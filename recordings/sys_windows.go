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

// lock takes the recorder's lock. A file system without locks does not prevent
// recording.
func lock(f *os.File) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	_ = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, region())
}

// unlock releases the lock.
func unlock(f *os.File) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, region()) }

// locked reports whether a recorder holds the lock.
func locked(f *os.File) bool {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, region())
	if err == nil {
		unlock(f)
	}
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// errStale is the error for a file that its file server no longer has.
const errStale = windows.ERROR_FILE_INVALID

// links is unsupported and not needed: an open file can't be deleted.
func links(fs.FileInfo) (n uint64, known bool) { return 0, false }

// currentPath is unsupported and not needed: an open file can't be renamed.
func currentPath(*os.File, fs.FileInfo) string { return "" }
