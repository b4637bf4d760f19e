//go:build unix

package localexec

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/session/executor"
)

// A child is a leader, spawned or not, with our ends of its pipes. Its parent
// is a watchdog or, without one, this program.
type child struct {
	*pipes
	pid     int
	watcher *watcher    // nil without a watchdog
	process *os.Process // nil under a watchdog
}

// watch starts program as the watchdog that becomes the child's parent.
func (c *child) watch(ctx context.Context, program string) error {
	w, err := startWatcher(ctx, program, c.theirs)
	if err == nil {
		c.watcher = w
	}
	return err
}

// complete reports whether all descendants of the child can be found, as long
// as its watchdog is not killed.
func (c *child) complete() bool { return c.watcher != nil }

func (c *child) watched() bool { return c.watcher != nil && !c.watcher.over() }

// lost reports whether the child's watchdog ended too early to know whether a
// descendant is left.
func (c *child) lost() bool { return c.watcher != nil && c.watcher.lost() }

// run spawns the child as the leader of its own session and group, so that signals of our
// terminal do not reach it and its group can be signalled. If it fails, no file is left
// open.
func (c *child) run(ctx context.Context, s spec) error {
	err := c.spawn(ctx, s)
	c.closeTheirs()
	if err != nil {
		c.discard()
	}
	return err
}

func (c *child) spawn(ctx context.Context, s spec) (err error) {
	if c.watcher != nil {
		c.pid, err = c.watcher.run(ctx, s)
		return err
	}
	c.process, err = c.spawnWith(s, &syscall.SysProcAttr{Setsid: true})
	if errors.Is(err, unix.EPERM) { // refused, by a sandbox for example
		c.process, err = c.spawnWith(s, &syscall.SysProcAttr{Setpgid: true})
	}
	if err == nil {
		c.pid = c.process.Pid
	}
	return err
}

func (c *child) spawnWith(s spec, attr *syscall.SysProcAttr) (*os.Process, error) {
	return os.StartProcess(s.path, s.argv, &os.ProcAttr{Dir: s.dir, Env: s.env, Files: c.theirs, Sys: attr})
}

func (c *child) discard() {
	c.closeAll()
	if c.watcher != nil {
		c.watcher.abandon()
	}
}

func (c *child) wait() executor.Exit {
	if c.watcher != nil {
		return c.watcher.wait()
	}
	state, err := c.process.Wait()
	if err != nil {
		return executor.Exit{Kind: executor.ExitUnknown}
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return executor.Exit{Kind: executor.ExitCode, Code: state.ExitCode()}
	}
	return exitOf(status)
}

// parent returns the watchdog's pid while it runs, else 0.
func (c *child) parent() int {
	if !c.watched() {
		return 0
	}
	return c.watcher.process.Pid
}

// awaitEmpty waits until the watchdog reports that no descendant of the child
// is left, and reports whether it has. Without a watchdog it returns true.
func (c *child) awaitEmpty(ctx context.Context, limit time.Duration) bool {
	return c.watcher == nil || c.watcher.awaitEmpty(ctx, limit)
}

// groupGone reports whether the group of a reaped leader has no process left that we may
// signal.
func (c *child) groupGone() bool { return unix.Kill(-c.pid, 0) != nil }

// killWatchdog kills a stopped watchdog, which does not report the leader's exit,
// and with it the leader.
func (c *child) killWatchdog() {
	if c.watcher != nil {
		c.watcher.kill()
	}
}

// release ends the watchdog. With spared descendants it is dismissed without killing: it
// does not know all processes that they have started.
func (c *child) release(spared bool) {
	if c.watcher != nil {
		c.watcher.release(spared)
	}
}

func (c *child) signal(step executor.Step, group bool) error {
	switch {
	case c.watched():
		return c.watcher.signal(signalOf(step), group)
	case group:
		return signalOne(-c.pid, step)
	case c.watcher != nil:
		return nil // the leader has ended with its watchdog
	}
	return signalOne(c.pid, step)
}

func exitOf(status syscall.WaitStatus) executor.Exit {
	if !status.Signaled() {
		return executor.Exit{Kind: executor.ExitCode, Code: status.ExitStatus()}
	}
	return executor.Exit{
		Kind:   executor.ExitSignal,
		Signal: signalName(status.Signal()),
		Core:   status.CoreDump(),
	}
}

// signalName omits SIG.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); len(name) > len("SIG") {
		return name[len("SIG"):]
	}
	return sig.String()
}
