//go:build unix

package sshauth

import (
	"io/fs"
	"os"
	"syscall"
)

// tooOpen reports whether other users may read a private key of this user. As in ssh,
// files of other users are not checked.
func tooOpen(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o077 != 0
}
