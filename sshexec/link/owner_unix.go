//go:build unix

package link

import (
	"errors"
	"os"
	"syscall"
)

var errForeignSocket = errors.New("the socket belongs to another user")

// Another user could read everything that is sent.
func ownSocket(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != uint32(os.Getuid()) {
		return errForeignSocket
	}
	return nil
}
