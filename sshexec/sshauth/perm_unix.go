//go:build unix

package sshauth

import (
	"io/fs"
	"os"
	"syscall"
)

// tooOpen tells whether others may read a private key of this user. As in ssh, a
// file of somebody else is not ours to judge.
func tooOpen(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o077 != 0
}
