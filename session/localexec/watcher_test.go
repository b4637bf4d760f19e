//go:build linux

package localexec

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

// running starts the helper's steps, and waits until n of its processes have
// written their pid.
func running(t *testing.T, e *Executor, cmd executor.Command, n int, steps ...string) (executor.Process, *executor.Subscription, []int) {
	t.Helper()
	cmd.Argv = append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...)
	p, err := e.Start(t.Context(), cmd)
	require.NoError(t, err)
	s, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	var text strings.Builder
	var pids []int
	for len(pids) < n {
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		text.Write(ev.Data)
		pids = nil
		for line := range strings.Lines(text.String()) {
			var pid int
			if _, err := fmt.Sscanf(line, "pid %d\n", &pid); err == nil && strings.HasSuffix(line, "\n") {
				pids = append(pids, pid)
			}
		}
	}
	return p, s, pids
}

// exitOfProcess waits for the exit, and then for the end.
func exitOfProcess(t *testing.T, s *executor.Subscription) (exit executor.Exit) {
	t.Helper()
	for {
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		require.NotEqual(t, executor.Failed, ev.Kind)
		switch ev.Kind {
		case executor.Exited:
			exit = ev.Exit
		case executor.Closed:
			return exit
		}
	}
}

func TestServerEndsWithItsWatchdogWhichIsReported(t *testing.T) {
	e := newExecutor(t, Options{})
	p, s, pids := running(t, e, executor.Command{}, 4, familySteps...)
	require.NoError(t, unix.Kill(parentOf(p.Info().PID), unix.SIGKILL))
	require.Equal(t, executor.Exit{
		Kind: executor.ExitUnknown, By: executor.EndedByWatchdog, Why: "watchdog killed from outside",
	}, exitOfProcess(t, s))
	gone(t, pids...)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.False(t, report.Running)
	require.Equal(t, []string{lost}, report.CannotTell)
}

// A daemon that a look has shown is found without the watchdog too.
func TestKnownDaemonDoesNotSurviveItsWatchdog(t *testing.T) {
	e := newExecutor(t, Options{})
	p, s, pids := running(t, e, executor.Command{}, 6, append(append([]string(nil), daemonSteps...), "pid", "hang")...)
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 6)
	require.NoError(t, unix.Kill(parentOf(p.Info().PID), unix.SIGKILL))
	require.Equal(t, executor.EndedByWatchdog, exitOfProcess(t, s).By)
	gone(t, pids...)
}

func TestStoppedWatchdogKeepsNothingAlive(t *testing.T) {
	e := newExecutor(t, Options{})
	p, s, pids := running(t, e, executor.Command{}, 4, familySteps...)
	require.NoError(t, unix.Kill(parentOf(p.Info().PID), unix.SIGSTOP))
	report, err := p.Terminate(t.Context())
	if err != nil { // it waited for the watchdog and ended it
		report, err = p.Terminate(t.Context())
	}
	require.NoError(t, err)
	require.Equal(t, []string{lost}, report.CannotTell)
	gone(t, pids...)
	require.NotEqual(t, executor.EndedByWatchdog, exitOfProcess(t, s).By, "we killed it")
}

// A stopped watchdog reaps nothing, and so cannot report that no process is
// left.
func TestUnconfirmedEndIsReported(t *testing.T) {
	e := newExecutor(t, Options{})
	p, s, pids := running(t, e, executor.Command{}, 2, "spawn", "stray", "pid", "closeout", "hang", "end", "pid", "line", "exit", "0")
	dog := parentOf(p.Info().PID)
	_, err := p.Write(t.Context(), "", []byte("\n"))
	require.NoError(t, err)
	exitOfProcess(t, s)
	require.NoError(t, unix.Kill(dog, unix.SIGSTOP))
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{hidden}, report.CannotTell)
	gone(t, append(pids, dog)...)
}

// A watchdog that ends after the leader loses its knowledge of daemons.
func TestWatchdogLostAfterTheExitCannotTell(t *testing.T) {
	e := newExecutor(t, Options{})
	p, s, pids := running(t, e, executor.Command{}, 2, "spawn", "stray", "pid", "closeout", "hang", "end", "pid", "line", "exit", "0")
	dog := parentOf(p.Info().PID)
	_, err := p.Write(t.Context(), "", []byte("\n"))
	require.NoError(t, err)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode}, exitOfProcess(t, s))
	t.Cleanup(func() { // nothing else finds it
		for _, pid := range pids {
			if pid != p.Info().PID {
				_ = unix.Kill(pid, unix.SIGKILL)
				gone(t, pid)
			}
		}
	})
	require.NoError(t, unix.Kill(dog, unix.SIGKILL))
	gone(t, dog)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{lost}, report.CannotTell)
}

// Without a watchdog a daemon is found again because a sample has shown it.
func TestSampledDaemonIsFoundAgain(t *testing.T) {
	e := newExecutor(t, Options{})
	e.program = ""
	var own *process
	p, err := e.table.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs(
		"spawn", "clean", "closeout", "hang", "end", "line", "exit", "0")...)}, func(b *executor.Base) executor.Backend {
		own = newProcess(e, b)
		return own
	})
	require.NoError(t, err)
	var daemon procID
	require.Eventually(t, func() bool {
		own.mu.Lock()
		defer own.mu.Unlock()
		for id := range own.known {
			if id.pid != own.child.pid {
				daemon = id
			}
		}
		return daemon.pid != 0
	}, waitLimit, 5*time.Millisecond, "no sample has shown it")
	_, err = p.Write(t.Context(), "", []byte("\n"))
	require.NoError(t, err)
	<-own.base.Journal.Done()
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Len(t, report.Signalled, 1)
	require.Equal(t, daemon.pid, report.Signalled[0].PID)
	require.False(t, alive(daemon.pid))
}

func TestCancelledStartDoesNotWaitForItsWatchdog(t *testing.T) {
	path := t.TempDir() + "/fifo"
	require.NoError(t, unix.Mkfifo(path, 0o600))
	started, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer started.Close()
	e := newExecutor(t, Options{})
	e.program = writeFile(t, t.TempDir()+"/watchdog", "#!/bin/sh\necho > "+path+"\nkill -STOP $$\n", 0o755)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, _ = started.Read(make([]byte, 1)) // an error cancels as well
		cancel()
	}()
	_, err = e.Start(ctx, executor.Command{Argv: []string{"true"}})
	var failed *executor.StartError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, executor.StartCancelled, failed.Code)
}

func TestWatchdogEndsWithTheLastDescendant(t *testing.T) {
	e := newExecutor(t, Options{})
	p, s, _ := running(t, e, executor.Command{}, 1, "pid", "line", "exit", "3")
	dog := parentOf(p.Info().PID)
	require.True(t, alive(dog))
	_, err := p.Write(t.Context(), "", []byte("\n"))
	require.NoError(t, err)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 3}, exitOfProcess(t, s))
	require.Eventually(t, func() bool { _, ok := find(dog); return !ok }, waitLimit, 5*time.Millisecond, "it is reaped")
}

// A server inherits the same as from this program itself: no other descriptor
// than its streams, no variable, no ignored or blocked signal.
func TestServerInheritsNothingFromItsWatchdog(t *testing.T) {
	const look = `ls /proc/self/fd | tr '\n' ' '; grep -E 'SigBlk|SigIgn|Groups' /proc/self/status; env | cut -d= -f1 | sort; ulimit -n; ulimit -c; umask`
	run := func(program string) string {
		e := newExecutor(t, Options{Environ: []string{"PATH=" + os.Getenv("PATH"), "A=b"}})
		e.program = program
		return output(t, e, executor.Command{Argv: []string{"sh", "-c", look}})
	}
	bare := run("")
	require.Contains(t, bare, executor.MarkName)
	require.Equal(t, bare, run(watchdog.Program))
}

func TestCoreAndSignalAreReported(t *testing.T) {
	for _, program := range []string{"", watchdog.Program} {
		e := newExecutor(t, Options{})
		e.program = program
		p, err := e.Start(t.Context(), executor.Command{Argv: []string{"sh", "-c", "ulimit -c 0; kill -SEGV $$"}})
		require.NoError(t, err)
		s, err := p.Subscribe(executor.SubscribeOptions{})
		require.NoError(t, err)
		defer s.Close()
		require.Equal(t, executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"}, exitOfProcess(t, s), program)
	}
}

func TestSparedDaemonSurvivesAKilledProgram(t *testing.T) {
	path, end := fifo(t)
	t.Setenv(leaveVariable, "kept-daemon")
	d := startDriver(t, driverArg, 3, "spawn", "named=kept-daemon", "pid", "closeout", "cue", path, "end", "pid",
		"spawn", "stray", "pid", "closeout", "hang", "end", "hang")
	var spared int
	for _, pid := range d.pids {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		require.NoError(t, err)
		if strings.HasPrefix(string(line), "/opt/kept-daemon\x00") {
			spared = pid
		}
	}
	require.NotZero(t, spared)
	require.NoError(t, d.cmd.Process.Kill())
	require.Error(t, d.cmd.Wait())
	for _, pid := range append(d.pids, d.watchdog) {
		if pid != spared {
			gone(t, pid)
		}
	}
	require.True(t, alive(spared))
	end()
	gone(t, spared)
}

// fifo returns a named pipe that a process can wait for, and a function that
// ends the wait.
func fifo(t *testing.T) (path string, end func()) {
	t.Helper()
	path = t.TempDir() + "/fifo"
	require.NoError(t, unix.Mkfifo(path, 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() }) // all data was written
	return path, func() {
		t.Helper()
		_, err := f.WriteString("\n")
		require.NoError(t, err)
	}
}

// Processes that a spared program has started are spared even after that
// program has ended.
func TestOrphanOfASparedDaemonIsSpared(t *testing.T) {
	e := newExecutor(t, Options{})
	first, endFirst := fifo(t)
	second, endSecond := fifo(t)
	p, _, pids := running(t, e, executor.Command{Leave: []string{"kept-daemon"}}, 3,
		"spawn", "named=kept-daemon", "spawn", "group", "pid", "closeout", "cue", second, "end", "pid", "closeout", "cue", first, "end",
		"pid", "hang")
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 3)
	var orphan int
	for _, d := range tree {
		if strings.Contains(d.Command, second) && !strings.Contains(d.Command, first) {
			orphan = d.PID
		}
	}
	require.Contains(t, pids, orphan)
	endFirst()
	require.Eventually(t, func() bool { return parentOf(orphan) == parentOf(p.Info().PID) }, waitLimit, 5*time.Millisecond)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Len(t, report.Spared, 1)
	require.Equal(t, orphan, report.Spared[0].PID)
	require.True(t, alive(orphan), "although its watchdog has ended")
	endSecond()
	gone(t, orphan)
}

// A watchdog must cost no more than an empty program: it starts before any
// package that allocates much or is outside the standard library's core.
func TestWatchdogIsInitialisedBeforeHeavyPackages(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), watchdog.Program)
	cmd.Args = []string{watchdog.Name}
	cmd.Env = append(watchdog.Environ(), "GODEBUG=inittrace=1")
	out, _ := cmd.CombinedOutput() // it gets no order and fails
	trace := string(out)
	require.Contains(t, trace, "init os @")
	var bytes int
	for line := range strings.Lines(trace) {
		require.NotRegexp(t, `^init (fmt|reflect|net|regexp|testing|mcpdbg|golang\.org|github\.com/stretchr)`, line)
		var n int
		if _, after, ok := strings.Cut(line, " clock, "); ok {
			_, err := fmt.Sscanf(after, "%d bytes", &n)
			require.NoError(t, err, line)
		}
		bytes += n
	}
	require.Less(t, bytes, 32<<10)
}
