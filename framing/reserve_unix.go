//go:build unix

package framing

import "golang.org/x/sys/unix"

// reserve gives n zero bytes of which only those written to take memory.
func reserve(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// unreserve gives back what reserve gave, whatever its length is now. It can
// only fail for memory that reserve never gave.
func unreserve(p []byte) {
	if err := unix.Munmap(p[:cap(p)]); err != nil {
		panic("framing: unmapping a line: " + err.Error())
	}
}
