//go:build unix

package recordings

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock takes the recorder's advisory lock. Who looks at the file just then has
// it for a moment, in locked; who keeps it is not waited for. A file system
// without locks is no reason not to record.
func lock(f *os.File) {
	for range lockTries {
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

const lockTries = 20

// unlock gives it back.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// locked tells whether a recorder holds the lock.
func locked(f *os.File) bool {
	if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK {
		return true
	}
	unlock(f)
	return false
}
