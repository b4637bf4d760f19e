package recordings

import (
	"os"

	"golang.org/x/sys/unix"
)

const errQuota = unix.EDQUOT

// allocate reserves space without changing the size.
func allocate(f *os.File, off, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, off, size); err != unix.EINTR {
			return err
		}
	}
}

// syncData syncs the data, and the metadata needed to read it.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
