//go:build unix

package edit

import (
	"io/fs"
	"os"
	"syscall"
)

// isForeign reports whether a file belongs to another user.
func isForeign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}

// keepGroup gives a new file the group of the one that it replaces, if the user may.
func keepGroup(f *os.File, info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(-1, int(stat.Gid)) // not if the user is not a member
	}
}
