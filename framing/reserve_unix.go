//go:build unix

package framing

import "golang.org/x/sys/unix"

// Only written pages take memory.
func reserve(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// p may have any length. unreserve can only fail for memory that is not from reserve.
func unreserve(p []byte) {
	if err := unix.Munmap(p[:cap(p)]); err != nil {
		panic("framing: unmapping a line: " + err.Error())
	}
}
