//go:build unix

package recordings

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lock takes the recorder's advisory lock. A call of locked elsewhere may hold it for a
// moment, so lock retries; it does not wait for a holder that keeps it. A file system
// without locks does not prevent recording.
func lock(f *os.File) {
	for range lockTries {
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

const lockTries = 20

func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func locked(f *os.File) bool {
	if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK {
		return true
	}
	unlock(f)
	return false
}

// errStale means that the file server no longer has the file.
const errStale = unix.ESTALE

func links(info fs.FileInfo) (n uint64, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Nlink), true //nolint:unconvert // its size differs between systems
}

// currentPath returns where an open file is now, or "" if the system can't tell.
func currentPath(f *os.File, info fs.FileInfo) string {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return ""
	}
	if at, err := os.Stat(path); err != nil || !os.SameFile(info, at) {
		return ""
	}
	return path
}
