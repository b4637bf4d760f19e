package recordings

import (
	"os"

	"golang.org/x/sys/unix"
)

// errQuota is the error for an exhausted quota.
const errQuota = unix.EDQUOT

// allocate reserves space for a file without changing its size.
func allocate(f *os.File, off, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, off, size); err != unix.EINTR {
			return err
		}
	}
}

// syncData syncs the file's data, and the metadata needed to read it, to disk.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
