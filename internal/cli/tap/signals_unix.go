//go:build unix

package tap

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/executor"
)

// catch returns the signals for the server, until stop is called. SIGPIPE is caught, not
// ignored: a write that fails is an error then, and the server does not inherit it.
func catch() (steps <-chan executor.Step, stop func()) {
	caught := make(chan os.Signal, 8)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	out, done, finished := make(chan executor.Step), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case s := <-caught:
				step := executor.StepTerm // also for SIGHUP, which executors do not send
				if s == syscall.SIGINT {
					step = executor.StepInterrupt
				}
				select {
				case out <- step:
				case <-done:
					return
				}
			case <-done:
				return
			}
		}
	}()
	return out, func() {
		signal.Stop(caught)
		signal.Stop(pipe)
		close(done)
		<-finished
	}
}

// unread returns a channel that is closed when a pipe or a socket has no reader any
// more; nil if w is neither. Its goroutine waits as long as the program runs: nothing else
// wakes a poll without events.
func unread(w io.Writer) <-chan struct{} {
	if r, ok := w.(*console.ResultWriter); ok {
		w = r.W
	}
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return nil
	}
	number := -1
	if conn.Control(func(fd uintptr) { number = int(fd) }) != nil {
		return nil
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			fds := []unix.PollFd{{Fd: int32(number)}}
			if _, err := unix.Poll(fds, -1); err == nil && fds[0].Revents != 0 {
				return
			}
		}
	}()
	return gone
}

func signalNumber(name string) int { return int(unix.SignalNum("SIG" + name)) }
