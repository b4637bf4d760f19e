//go:build unix

package edit

import (
	"errors"
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

// tryLock takes a lock, which ends when f is closed. On a file system without locks it
// always succeeds: a file is read again before it is replaced.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	}
	return false, os.NewSyscallError("flock", err)
}
