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

// A child is a leader, from before its spawn, and our ends of its pipes. Its
// parent is a watchdog, or where there is none this program.
type child struct {
	*pipes
	pid     int
	watcher *watcher    // nil without a watchdog
	process *os.Process // nil under a watchdog
}

// watch starts program as the watchdog that is to be the child's parent.
func (c *child) watch(ctx context.Context, program string) error {
	w, err := startWatcher(ctx, program, c.theirs)
	if err == nil {
		c.watcher = w
	}
	return err
}

// complete reports whether all that the child starts can be found, for as long
// as its watchdog is not killed.
func (c *child) complete() bool { return c.watcher != nil }

// watched reports whether the child has a watchdog that runs.
func (c *child) watched() bool { return c.watcher != nil && !c.watcher.over() }

// lost reports whether the child's watchdog has ended too early to know whether
// a descendant is left.
func (c *child) lost() bool { return c.watcher != nil && c.watcher.lost() }

// run spawns the child as the leader of a session and group of its own, so that
// what a terminal sends to us does not reach it and its group can be signalled.
// When it fails, no file is left open.
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

// discard gives up a child that does not run.
func (c *child) discard() {
	c.closeAll()
	if c.watcher != nil {
		c.watcher.abandon()
	}
}

// wait returns how the leader ended, and reaps it.
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

// parent is the watchdog's pid while it runs, else 0.
func (c *child) parent() int {
	if !c.watched() {
		return 0
	}
	return c.watcher.process.Pid
}

// awaitEmpty waits until a watchdog says that nothing is left of what the child
// had started, and reports whether it has. Without one it has nothing to say.
func (c *child) awaitEmpty(ctx context.Context, limit time.Duration) bool {
	return c.watcher == nil || c.watcher.awaitEmpty(ctx, limit)
}

// groupGone reports whether nobody that we may signal is left in the group of a
// reaped leader.
func (c *child) groupGone() bool { return unix.Kill(-c.pid, 0) != nil }

// forsake ends a watchdog that does not tell of the leader's end, having been
// stopped, and with it the leader.
func (c *child) forsake() {
	if c.watcher != nil {
		c.watcher.kill()
	}
}

// release frees what is kept for the descendants. Spared ones go on: its
// watchdog does not know all that those have started.
func (c *child) release(spared bool) {
	if c.watcher != nil {
		c.watcher.release(spared)
	}
}

// signal sends the signal of step to the leader, or to its group.
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

// signalName is the POSIX name without SIG.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); len(name) > len("SIG") {
		return name[len("SIG"):]
	}
	return sig.String()
}
