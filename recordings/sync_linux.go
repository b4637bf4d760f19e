package recordings

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData brings the file's data, and what is needed to read it, to the disk.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
