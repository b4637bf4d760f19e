package link

import (
	"bytes"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A child is a local program that a connection runs through. It has its own process
// group, and on Linux it is killed when this program ends.
type child struct {
	cmd      *exec.Cmd
	stderr   tail
	exited   chan struct{}
	killOnce sync.Once
	released chan struct{} // closed when it may be reaped
	reaped   chan struct{}
	err      error // valid after reaped
}

const (
	// Another process may hold the standard error of a child open.
	stderrWait = 200 * time.Millisecond
	// exitWait is how long a child may take to end after its output did.
	exitWait = time.Second
)

// The caller must kill the child, even one that has ended.
func startChild(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, exited: make(chan struct{}), released: make(chan struct{}), reaped: make(chan struct{})}
	cmd.Stderr = &c.stderr
	cmd.WaitDelay = stderrWait
	ownGroup(cmd)
	started := make(chan error)
	go func() {
		// The parent-death signal is sent when the thread that forked ends, so
		// that thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			// Until the child is reaped, its id, which is that of the group to kill, cannot be reused.
			if awaitExit(c.cmd.Process.Pid) {
				close(c.exited)
				<-c.released
				c.err = c.cmd.Wait()
			} else {
				c.err = c.cmd.Wait()
				close(c.exited)
			}
			close(c.reaped)
		}
	}()
	return c, <-started
}

// kill returns when the child is reaped: its stderr is complete then.
func (c *child) kill() {
	c.killOnce.Do(func() {
		select {
		case <-c.reaped: // if it could not be kept from that
		default:
			killGroup(c.cmd.Process)
		}
		close(c.released)
	})
	<-c.reaped
}

// settle waits a moment for the end of a child whose output has ended, so that its last
// message is not cut off.
func (c *child) settle() {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
	}
}

func (c *child) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

func bySignal(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() < 0
}

type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxSaid):]...)
	if over := len(t.text) - maxSaid; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String returns the kept text, without surrounding white space.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
