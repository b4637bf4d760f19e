package recordings

import (
	"os"

	"golang.org/x/sys/unix"
)

// errQuota is the error for a quota that is used up.
const errQuota = unix.EDQUOT

// allocate reserves space for a part of a file without making the file longer.
func allocate(f *os.File, off, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, off, size); err != unix.EINTR {
			return err
		}
	}
}
