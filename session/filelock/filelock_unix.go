//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// try takes the lock of an open file. On a file system without locks it always succeeds.
func try(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	}
	return false, os.NewSyscallError("flock", err)
}
