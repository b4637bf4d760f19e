package sshexec

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// awaitNotice waits until a process has a notice with that code. The event only
// triggers the next check, as in the session.
func awaitNotice(t *testing.T, p executor.Process, code string) executor.Notice {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	sub, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer sub.Close()
	for {
		for _, n := range p.Info().Notices {
			if n.Code == code {
				return n
			}
		}
		_, err := sub.Next(ctx)
		require.NoError(t, err, "%v", p.Info().Notices)
	}
}

func TestKilledGuardIsReplaced(t *testing.T) {
	t.Parallel()
	for name, newHost := range map[string]func(*testing.T) host{
		"openssh": openSSHHost, "dropbear": dropbearHost,
		"no room for a third channel": func(t *testing.T) host {
			return host{sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxSessions 2"}}), os.Args[0]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			leavesNoProcess(t, h.Server)
			p, pids := begin(t, h, kindNamed("daemon"))
			old := p.own.guard().Capabilities().PID
			require.NoError(t, syscall.Kill(old, syscall.SIGKILL))
			n := awaitNotice(t, p, "guard.replaced")
			require.Contains(t, n.Text, "was killed (signal KILL); a new one has taken over")
			// Its clock cannot end the run any more.
			left, _ := exectest.UntilNone(0, func() []int { return exectest.InSession(old) })
			require.Empty(t, left, exectest.Describe(left))
			tree, err := p.Tree(t.Context())
			require.NoError(t, err)
			require.ElementsMatch(t, pids, pidsOf(tree))
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.True(t, report.Running)
			require.Empty(t, report.CannotTell)
			gone(t, pids...)
			require.Equal(t, executor.EndedUnknown, p.Info().Exit.By, "it was asked for")
		})
	}
}

func pidsOf(list []executor.Descendant) []int {
	var pids []int
	for _, d := range list {
		pids = append(pids, d.PID)
	}
	return pids
}

// If every guard is killed the session has none left, and reports it.
func TestSessionWithoutGuardIsReported(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	p, pids := begin(t, h, kindNamed("polite"))
	for p.own.guarded() {
		g := p.own.guard()
		require.NoError(t, syscall.Kill(g.Capabilities().PID, syscall.SIGKILL))
		require.Eventually(t, func() bool {
			select {
			case <-p.own.running.charge.Unguarded():
				return true
			default:
				return p.own.guard() != g
			}
		}, bound, time.Millisecond)
	}
	n := awaitNotice(t, p, "guard.lost")
	require.Contains(t, n.Text, "cannot be replaced")
	require.Equal(t, "may still be running: it has no guard with a clock", p.own.remember().mayLive(), "if the connection is lost now")
	require.True(t, exectest.Alive(pids[0]))
	report, err := p.Terminate(t.Context())
	require.NoError(t, err, "by the signals of sshd")
	require.Contains(t, strings.Join(report.CannotTell, "\n"), "the guard on the host has ended")
	gone(t, pids...)
}

// A start after a lost connection ends what still runs there, before the new
// server begins.
func TestRestartEndsTheServerOfALostConnection(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	proxy := sshtest.NewProxy(t, h.Addr)
	e := at(t, h.Through(t, proxy))
	t.Cleanup(func() { _ = e.Close() })
	p, err := startOwn(t.Context(), e, h.command(kindNamed("daemon"), "one"))
	require.NoError(t, err)
	pids := learn(t, p, 2)
	proxy.Freeze() // the host does not notice
	p.own.conn.Abort(&executor.LostError{Code: executor.LostReset, Hop: p.own.conn.Hop(), Err: os.ErrDeadlineExceeded})
	<-p.own.base.Journal.Done()
	var lost *executor.LostError
	require.ErrorAs(t, p.Info().Failure, &lost)
	require.Regexp(t, `^its guard on the host kills the process at once, or it may run until [0-9:]{8} \(lease 5 min\); a restart tries to end it first`, lost.Hint)
	for _, pid := range pids {
		require.True(t, exectest.Alive(pid))
	}

	// The same executor reaches the host another way.
	e.opts.Config = h.Config
	other := at(t, h.Server)
	e.dialer = other.dialer
	again, err := e.Start(t.Context(), h.command(kindNamed("polite"), "two"))
	require.NoError(t, err)
	gone(t, pids...)
	n := awaitNotice(t, again, "lost.ended")
	require.Contains(t, n.Text, "was still running on the host (2 processes) and was killed")
	_, err = again.Terminate(t.Context())
	require.NoError(t, err)

	third, err := e.Start(t.Context(), h.command(kindNamed("polite"), "three"))
	require.NoError(t, err)
	for _, n := range third.Info().Notices {
		require.NotContains(t, n.Code, "lost.", "once")
	}
}

func TestRestartReportsHowLongALostServerMayRun(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	e := at(t, h.Server)
	t.Cleanup(func() { _ = e.Close() })
	until := time.Date(2026, 5, 4, 14, 3, 20, 0, time.Local)
	run := lostRun{id: "mcp-stdio-7", mark: executor.NewMark(), until: until, lease: 30 * time.Second}
	e.addLost(run)
	require.Empty(t, e.lostRuns(), "its guard has ended it long ago")
	run.until = time.Now().Add(time.Minute)
	e.addLost(run)
	p, err := e.Start(t.Context(), h.command(kindNamed("polite"), "x"))
	require.NoError(t, err)
	require.Equal(t, "mcp-stdio-7, whose connection was lost, was not found on this host: it has ended, or it runs on another machine with this name and may run until "+
		run.until.Format(time.TimeOnly)+" (lease 30 s)", awaitNotice(t, p, "lost.unknown").Text)
}

// A startup file that breaks PATH does not affect the guard.
func TestGuardHasItsOwnPath(t *testing.T) {
	t.Parallel()
	program := ordinaryProgram(t)
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
	h.write(t, ".bashrc", "export PATH=/nonexistent\n")
	h.write(t, ".profile", "export PATH=/nonexistent/login\n")
	for _, from := range []PathFrom{PathPlain, PathLogin} {
		e := closing(t, at(t, h.Server, func(o *Options) { o.PathFrom = from }))
		p, err := e.Start(t.Context(), h.helper("spawn", "daemon", "pid", "hang", "end", "pid", "hang"))
		require.NoError(t, err)
		require.Empty(t, p.Info().Notices)
		pids := learn(t, p, 2)
		require.Equal(t, "PATH=/nonexistent"+map[PathFrom]string{PathLogin: "/login"}[from], variable(pids[0], "PATH"), "the server gets the broken PATH")
		report, err := p.Terminate(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, pids, pidsOf(report.Signalled))
		gone(t, pids...)
	}
}

// A process that a startup file leaves in the background belongs to the host:
// it is listed, and neither counted nor killed.
func TestProcessesOfStartupFilesBelongToTheHost(t *testing.T) {
	t.Parallel()
	program := ordinaryProgram(t)
	for name, before := range map[string]string{"stamped": "", "without stamp": "ulimit -S -x 1000\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			account := sshtest.User(t, sshtest.Shell(t, "bash"))
			h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
			file := filepath.Join(account.Home, "pids")
			// The guard's own shell has one too.
			h.write(t, ".bashrc", before+"sleep 600 >/dev/null 2>&1 </dev/null & echo $! >>"+file+"\n(while :; do sleep 600; done >/dev/null 2>&1 </dev/null & )\n")
			e := at(t, h.Server)
			p, err := e.Start(t.Context(), h.helper("spawn", "daemon", "pid", "hang", "end", "pid", "hang"))
			require.NoError(t, err)
			pids := learn(t, p, 2)
			n := awaitNotice(t, p, "run.leftover")
			require.Contains(t, n.Text, "left 3 processes running in the background before the server started")
			require.Contains(t, n.Said, "sleep 600")
			tree, err := p.Tree(t.Context())
			require.NoError(t, err)
			require.ElementsMatch(t, pids, pidsOf(tree))
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.ElementsMatch(t, pids, pidsOf(report.Signalled))
			gone(t, pids...)
			require.NoError(t, e.Close())
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			left := 0
			for word := range strings.FieldsSeq(string(text)) {
				if syscall.Kill(number(t, word), 0) == nil {
					left++
				}
			}
			require.Equal(t, 2, left, "those of the run and of the guard")
		})
	}
}

// A process of a startup file that holds the streams of the server is not
// leaked by it: the streams end with the server, and the process lives on.
func TestStreamsHeldByStartupFilesEndWithTheServer(t *testing.T) {
	t.Parallel()
	program := ordinaryProgram(t)
	for name, before := range map[string]string{"stamped": "", "without stamp": "ulimit -S -x 1000\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			account := sshtest.User(t, sshtest.Shell(t, "bash"))
			h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
			h.write(t, ".bashrc", before+"sleep 600 &\n")
			e := closing(t, at(t, h.Server))
			p, err := e.Start(t.Context(), h.helper("out", "first", "line", "out", "last", "exit", "0"))
			require.NoError(t, err)
			n := awaitNotice(t, p, executor.NoticeLeftover)
			first, _, _ := strings.Cut(n.Said, "\n")
			pid := number(t, strings.Fields(first)[1])
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			events := make(chan executor.Event, executor.QueueLen)
			sub, err := p.Subscribe(executor.SubscribeOptions{Handler: func(ev executor.Event) {
				if ev.Kind == executor.Closed || ev.Kind == executor.Failed {
					events <- ev
				}
			}})
			require.NoError(t, err)
			defer sub.Close()
			_, err = p.Write(t.Context(), "", []byte("\n"))
			require.NoError(t, err)
			p.CloseStdin()
			select {
			case ev := <-events:
				require.Equal(t, executor.Closed, ev.Kind)
			case <-time.After(2 * time.Minute):
				require.Fail(t, "the streams did not end")
			}
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.Signalled)
			require.NotContains(t, strings.Join(report.CannotTell, "\n"), "streams were still open")
			require.NoError(t, syscall.Kill(pid, 0), "it lives on")
		})
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// If processes cannot be seen, the result reports that, and the group is killed
// nevertheless.
func TestHostWithoutProcessListIsReported(t *testing.T) {
	t.Parallel()
	s := sshtest.BusyboxWithoutProc(t, sshtest.Options{})
	e := closing(t, at(t, s))
	e.addLost(lostRun{id: "mcp-stdio-7", mark: executor.NewMark()})
	cmd := executor.Command{Argv: []string{"/bin/sh", "-c", `sleep 600 & echo "pid $!"; setsid sleep 600 & echo "pid $!"; echo "pid $$"; wait`}}
	p, err := e.Start(t.Context(), cmd)
	require.NoError(t, err)
	pids := learn(t, p, 3)
	var codes []string
	for _, n := range p.Info().Notices {
		codes = append(codes, n.Code)
		if n.Code == "mode.no-proc" {
			require.Contains(t, n.Text, "cannot see processes here")
		}
	}
	require.Contains(t, codes, "mode.no-proc")
	require.Equal(t, "mcp-stdio-7, whose connection was lost, may still be running: it has no guard with a clock: the guard cannot search for it on this host",
		awaitNotice(t, p, "lost.unknown").Text)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Len(t, report.CannotTell, 1)
	require.Contains(t, report.CannotTell[0], "cannot see processes here")
	gone(t, pids[0], pids[2])
	_ = syscall.Kill(pids[1], syscall.SIGKILL)
}

// When a guard dies before it replies which processes the leader has left, the
// next guard is asked at once.
func TestEndOfAProcessDoesNotWaitForAReplacedGuard(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	leavesNoProcess(t, h.Server)
	e := closing(t, at(t, h.Server))
	p, err := startOwn(t.Context(), e, helper("spawn", "child", "pid", "hang", "end", "pid", "hang"))
	require.NoError(t, err)
	pids := learn(t, p, 2)
	leader := p.own.running.info.PID
	child := pids[0]
	if child == leader {
		child = pids[1]
	}
	guard := p.own.guard().Capabilities().PID
	require.NoError(t, syscall.Kill(guard, syscall.SIGSTOP)) // it no longer replies
	require.NoError(t, syscall.Kill(leader, syscall.SIGKILL))
	exitOf(t, p)
	require.NoError(t, syscall.Kill(guard, syscall.SIGKILL))
	awaitNotice(t, p, "guard.replaced")
	require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
	collected(t, p)
	require.Eventually(t, p.own.base.Swept, bound, time.Millisecond, "nothing is left")
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	_, err = p.Terminate(ctx)
	require.NoError(t, err)
}

// A takeover that fails ends neither the server nor the connection, even if the
// new guard starts after all.
func TestFailedTakeoverLeavesTheServerAlone(t *testing.T) {
	t.Parallel()
	h := openSSHHost(t)
	proxy := sshtest.NewProxy(t, h.Addr)
	p, pids := begin(t, host{h.Through(t, proxy), h.program}, kindNamed("polite"))
	connection, guard := variable(pids[0], "SSH_CONNECTION"), p.own.guard().Capabilities().PID
	const oneWay = 500 * time.Millisecond
	proxy.Delay(oneWay, oneWay)
	// The channel takes a round trip, as do the command and the script: the
	// shell of the new guard runs, but its output comes too late.
	ctx, cancel := context.WithTimeout(t.Context(), 5*oneWay)
	defer cancel()
	_, err := p.own.rearm(ctx)
	require.Error(t, err)
	proxy.Delay(0, 0)
	left, _ := exectest.UntilNone(0, func() []int {
		known := append(exectest.InSession(guard), pids...)
		return slices.DeleteFunc(carrying(connection), func(pid int) bool { return slices.Contains(known, pid) })
	})
	require.Empty(t, left, exectest.Describe(left))
	require.True(t, exectest.Alive(pids[0]), "the server")
	require.Nil(t, p.own.conn.Cause())
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
}
