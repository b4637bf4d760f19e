//go:build unix

package knownhosts

import (
	"errors"
	"os"
	"syscall"
)

// The lock is released when f is closed. On a file system without locks tryLock always
// succeeds; an append is atomic there too.
func tryLock(f *os.File) (bool, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB)
	})
	switch {
	case err != nil:
		return false, err
	case failed == nil, errors.Is(failed, errors.ErrUnsupported), errors.Is(failed, syscall.ENOLCK):
		return true, nil
	case errors.Is(failed, syscall.EWOULDBLOCK), errors.Is(failed, syscall.EINTR):
		return false, nil
	}
	return false, os.NewSyscallError("flock", failed)
}
