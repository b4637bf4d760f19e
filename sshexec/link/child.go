package link

import (
	"bytes"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A child is a program of this machine that a connection runs through. It has a
// process group of its own, and on Linux it is told to end when this program
// does.
type child struct {
	cmd      *exec.Cmd
	stderr   tail
	exited   chan struct{} // closed when it has ended
	killOnce sync.Once
	released chan struct{} // closed when it may be reaped
	reaped   chan struct{}
	err      error // how it ended; after reaped
}

const (
	// stderrWait is how long the standard error of a child that has ended is
	// still read, when somebody else holds it.
	stderrWait = 200 * time.Millisecond
	// exitWait is how long a child may take to end after its output did.
	exitWait = time.Second
)

// startChild starts cmd, whose standard error it keeps. The caller has to kill
// the child in the end, also one that has ended.
func startChild(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, exited: make(chan struct{}), released: make(chan struct{}), reaped: make(chan struct{})}
	cmd.Stderr = &c.stderr
	cmd.WaitDelay = stderrWait
	ownGroup(cmd)
	started := make(chan error)
	go func() {
		// The parent-death signal comes when the thread that forked ends, so that
		// thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.await()
		}
	}()
	return c, <-started
}

// await reaps the child when it may be: until then nobody else can get its id,
// which is the id of the group that is to be killed.
func (c *child) await() {
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

// kill ends the child with its group, and returns when it is reaped: what it said
// is complete then.
func (c *child) kill() {
	c.killOnce.Do(func() {
		select {
		case <-c.reaped: // where it could not be kept from that
		default:
			killGroup(c.cmd.Process)
		}
		close(c.released)
	})
	<-c.reaped
}

// settle waits a moment for the end of a child whose output has ended, so that
// what it says of that is not cut off.
func (c *child) settle() {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
	}
}

// hasExited reports whether the child has ended, by itself or because it was killed.
func (c *child) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// bySignal reports whether err says that a signal ended the program.
func bySignal(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() < 0
}

// A tail keeps the last maxSaid bytes that were written to it.
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

// String is what is kept, without the white space around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
