//go:build unix

package framing

import "golang.org/x/sys/unix"

// reserve returns n zero bytes, of which only written pages take memory.
func reserve(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// unreserve releases memory from reserve, whatever its length is now. It can
// only fail for other memory.
func unreserve(p []byte) {
	if err := unix.Munmap(p[:cap(p)]); err != nil {
		panic("framing: unmapping a line: " + err.Error())
	}
}
