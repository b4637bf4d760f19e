//go:build unix

package sshconfig

import (
	"errors"
	"os"
	"syscall"
)

// checkOwner refuses a file that somebody else than the user and root could
// have written, as ssh does.
func checkOwner(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && st.Uid != 0 && int(st.Uid) != os.Getuid() {
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("can be written by others; take that away with chmod go-w")
	}
	return nil
}
