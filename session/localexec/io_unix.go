//go:build unix

package localexec

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readNow never blocks; 0, nil means that the pipe is empty.
func readNow(f *os.File, b []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	rawErr := raw.Read(func(fd uintptr) bool {
		n, err = ignoreEINTR(func() (int, error) { return unix.Read(int(fd), b) })
		return true
	})
	switch {
	case rawErr != nil:
		return 0, rawErr
	case errors.Is(err, unix.EAGAIN):
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// A tryWriter writes to a pipe without blocking. It is used under the lock of an
// executor.Stdin and holds the state of one call, so that calls do not allocate.
type tryWriter struct {
	raw   syscall.RawConn
	write func(fd uintptr) bool
	data  []byte
	n     int
	err   error
}

// newTryWriter returns a function that writes as much as fits into the pipe, or nil if f
// cannot be polled.
func newTryWriter(f *os.File) func([]byte) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	w := &tryWriter{raw: raw}
	w.write = func(fd uintptr) bool {
		w.n, w.err = ignoreEINTR(func() (int, error) { return unix.Write(int(fd), w.data) })
		return true
	}
	return w.try
}

func (w *tryWriter) try(b []byte) (int, error) {
	w.data = b
	err := w.raw.Write(w.write)
	w.data = nil
	switch {
	case err != nil:
		return 0, err
	case errors.Is(w.err, unix.EAGAIN):
		return 0, nil
	case w.err != nil:
		return 0, w.err
	}
	return w.n, nil
}

func ignoreEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
