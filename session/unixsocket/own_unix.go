//go:build unix

package unixsocket

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether only this user can enter a folder.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

// IsRefused reports whether nothing listens on an existing socket.
func IsRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
