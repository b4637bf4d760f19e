//go:build unix

package recordings

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// errStale is the error for a file that its server does not have any more.
const errStale = unix.ESTALE

// links returns how many names a file has.
func links(info fs.FileInfo) (n uint64, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Nlink), true //nolint:unconvert // its size differs between systems
}

// currentPath returns where an open file is now, as far as the system says it.
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
