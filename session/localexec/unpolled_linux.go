package localexec

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
)

// The first and the longest pause between two looks at a pipe that is flushed.
const (
	firstFlushLook = 20 * time.Microsecond
	maxFlushLook   = 2 * time.Millisecond
)

// An unpolledReader is an outputReader that waits in read(2), on a thread.
//
// A pipe that was polled once, by epoll, poll or select, wakes its poller on every
// write from then on, which the writer pays for: one write per line takes half as
// long again. Such a pipe must never reach the poller of the Go runtime, so a
// deadline cannot end a Read. A byte that this program writes into the pipe does.
type unpolledReader struct {
	file    *os.File
	stopped atomic.Bool
	ended   chan struct{} // closed by the first Read that fails
	over    sync.Once     // closes ended
	last    int           // bytes of the latest Read
	handled atomic.Uint64 // bytes that the pump has handled
}

// newUnpolled returns both ends of a pipe. It fails where the reader could not be stopped
// or flushed, such as without /proc.
func newUnpolled() (outputReader, *os.File, error) {
	if _, err := os.ReadFile("/proc/thread-self/syscall"); err != nil {
		return nil, nil, err
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	// NewFile does not register a blocking descriptor with the poller.
	r, w := os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1")
	if err := withWriter(r, func(int) {}); err != nil {
		closeAll([]*os.File{r, w})
		return nil, nil, err
	}
	return &unpolledReader{file: r, ended: make(chan struct{})}, w, nil
}

// withWriter calls f with a descriptor for the other end of the pipe.
func withWriter(r *os.File, f func(fd int)) error {
	raw, err := r.SyscallConn()
	if err != nil {
		return err
	}
	rawErr := raw.Control(func(fd uintptr) {
		var w int
		w, err = unix.Open("/proc/self/fd/"+strconv.Itoa(int(fd)), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		f(w)
		_ = unix.Close(w) // nothing is unwritten
	})
	if rawErr != nil {
		return rawErr
	}
	return err
}

// Read implements outputReader.
func (r *unpolledReader) Read(b []byte) (int, error) {
	r.handled.Add(uint64(r.last))
	r.last = 0
	// Goroutines that the handler has woken go first, on this thread. While it
	// waits in read(2), another thread would have to be woken for them.
	runtime.Gosched()
	n, err := r.file.Read(b)
	if r.stopped.Load() {
		n, err = 0, io.EOF // the bytes may be those of stop
	}
	if err != nil {
		r.over.Do(func() { close(r.ended) })
		_ = r.file.Close() // it was read to its end, or is given up
	}
	r.last = n
	return n, err
}

// stop implements outputReader.
func (r *unpolledReader) stop() {
	if r.stopped.Swap(true) {
		return
	}
	// An error means that the pipe is at its end, or that it is full, and then no
	// Read waits.
	_ = withWriter(r.file, func(fd int) { _, _ = unix.Write(fd, []byte{0}) })
	_ = r.file.Close()
}

// flush implements outputReader. The content is handled when the pump waits for
// more, or has handled more bytes than had been written by then.
func (r *unpolledReader) flush(timeout <-chan time.Time) bool {
	left, _ := r.unread()
	most := r.handled.Load() + uint64(executor.MaxChunk+left)
	for pause := firstFlushLook; !r.waits() && r.handled.Load() < most; pause = min(2*pause, maxFlushLook) {
		select {
		case <-r.ended:
			return true
		case <-timeout:
			return false
		case <-time.After(pause):
		}
	}
	return true
}

// waits reports whether the pipe is empty and the pump sleeps in read(2): then everything
// that it has read before is handled.
func (r *unpolledReader) waits() bool {
	left, fd := r.unread()
	return left == 0 && fd >= 0 && sleepsInRead(fd)
}

// unread returns how many bytes are in the pipe, and its descriptor or -1.
func (r *unpolledReader) unread() (n, fd int) {
	raw, err := r.file.SyscallConn()
	if err != nil {
		return 0, -1
	}
	fd = -1
	if raw.Control(func(f uintptr) {
		n, err = unix.IoctlGetInt(int(f), unix.TIOCINQ)
		fd = int(f)
	}) != nil || err != nil {
		return 0, -1
	}
	return n, fd
}

// sleepsInRead reports whether a thread sleeps in a read(2) of fd that has read nothing:
// see proc_pid_syscall(5).
func sleepsInRead(fd int) bool {
	const tasks = "/proc/self/task"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return false
	}
	call := fmt.Sprintf("%d 0x%x ", unix.SYS_READ, fd)
	for _, t := range threads {
		state, err := os.ReadFile(tasks + "/" + t.Name() + "/syscall")
		if err == nil && strings.HasPrefix(string(state), call) {
			return true
		}
	}
	return false
}
