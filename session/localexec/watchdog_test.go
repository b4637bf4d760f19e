//go:build linux

package localexec

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// A driver is a running drive.
type driver struct {
	cmd      *exec.Cmd
	in       io.Closer
	watchdog int
	pids     []int
}

// startDriver starts a driver of a kind and waits until n processes have
// written their pids.
func startDriver(t *testing.T, kind string, n int, steps ...string) *driver {
	t.Helper()
	d := &driver{cmd: exec.Command(os.Args[0], append([]string{kind}, steps...)...)}
	in, err := d.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := d.cmd.StdoutPipe()
	require.NoError(t, err)
	d.in = in
	require.NoError(t, d.cmd.Start())
	late := time.AfterFunc(waitLimit, func() { _ = d.cmd.Process.Kill() }) // which ends its output
	defer late.Stop()
	lines := bufio.NewScanner(out)
	for (len(d.pids) < n || d.watchdog == 0) && lines.Scan() {
		what, number, _ := strings.Cut(lines.Text(), " ")
		pid, err := strconv.Atoi(number)
		require.NoError(t, err, lines.Text())
		if what == "watchdog" {
			d.watchdog = pid
		} else {
			d.pids = append(d.pids, pid)
		}
	}
	require.GreaterOrEqual(t, len(d.pids), n)
	return d
}

// untilHidden waits until the watchdog has set its name, which is its last step
// before it listens: a busy machine may take its time.
func (d *driver) untilHidden(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", d.watchdog))
		return err == nil && string(comm) == commName+"\n"
	}, waitLimit, time.Millisecond, "the watchdog has not set its name")
}

// family runs a leader that ignores TERM, a member of its group, one with its
// own group, and a daemon that has closed its pipes.
var familySteps = []string{
	"ignore", "TERM", "pid",
	"spawn", "child", "ignore", "TERM", "pid", "hang", "end",
	"spawn", "group", "pid", "hang", "end",
	"spawn", "daemon", "pid", "closeout", "hang", "end",
	"hang",
}

// daemonSteps start daemons that hide in all ways, which only a watchdog that
// is their ancestor finds.
var daemonSteps = []string{
	"spawn", "clean", "pid", "closeout", "hang", "end",
	"spawn", "stray", "pid", "closeout", "hang", "end",
	"spawn", "daemon", "overwrite", "pid", "closeout", "hang", "end",
	"spawn", "stray", "spawn", "stray", "pid", "closeout", "hang", "end", "pid", "closeout", "hang", "end",
}

func gone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		require.Eventually(t, func() bool { return !alive(pid) }, waitLimit, 10*time.Millisecond,
			"process %d lives", pid)
	}
}

func TestNothingSurvivesAKilledProgram(t *testing.T) {
	for _, c := range []struct {
		name string
		sig  unix.Signal
		all  bool // signal the whole group of the program, like a terminal
	}{
		{"KILL", unix.SIGKILL, false},
		{"KILL to the group", unix.SIGKILL, true},
		{"INT to the group", unix.SIGINT, true},
		{"HUP", unix.SIGHUP, false},
	} {
		for _, kind := range []string{driverArg, bareDriverArg} {
			t.Run(c.name+" "+kind, func(t *testing.T) {
				if signal.Ignored(c.sig) {
					t.Skip("the parent of this test, such as nohup, made it ignore the signal")
				}
				d := startDriver(t, kind, 4, familySteps...)
				for _, pid := range d.pids {
					require.True(t, alive(pid))
				}
				require.NoError(t, unix.Kill(d.cmd.Process.Pid, c.sig))
				late := time.AfterFunc(waitLimit, func() { _ = d.cmd.Process.Kill() })
				defer late.Stop()
				require.Error(t, d.cmd.Wait())
				require.Equal(t, c.sig, d.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
				gone(t, append(d.pids, d.watchdog)...)
			})
		}
	}
}

func TestNoHiddenDaemonSurvivesAKilledProgram(t *testing.T) {
	for name, leader := range map[string][]string{"its leader runs": {"pid", "hang"}, "its leader has exited": {"pid", "exit", "0"}} {
		t.Run(name, func(t *testing.T) {
			d := startDriver(t, driverArg, 6, append(slices.Clone(daemonSteps), leader...)...)
			require.NoError(t, d.cmd.Process.Kill())
			require.Error(t, d.cmd.Wait())
			gone(t, append(d.pids, d.watchdog)...)
		})
	}
}

func TestDaemonWhoseLeaderHasExitedDoesNotSurvive(t *testing.T) {
	d := startDriver(t, bareDriverArg, 1, "spawn", "daemon", "pid", "closeout", "hang", "end")
	require.NoError(t, d.cmd.Process.Kill())
	require.Error(t, d.cmd.Wait())
	gone(t, append(d.pids, d.watchdog)...)
}

func TestWatchdogEndsWithItsProgram(t *testing.T) {
	for _, kind := range []string{driverArg, bareDriverArg} {
		d := startDriver(t, kind, 4, familySteps...)
		require.NoError(t, d.in.Close())
		require.NoError(t, d.cmd.Wait())
		gone(t, append(d.pids, d.watchdog)...)
	}
}

func TestWatchdogIgnoresSignals(t *testing.T) {
	for _, kind := range []string{driverArg, bareDriverArg} {
		d := startDriver(t, kind, 4, familySteps...)
		d.untilHidden(t)
		for _, sig := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} {
			require.NoError(t, unix.Kill(d.watchdog, sig))
		}
		require.NoError(t, d.cmd.Process.Kill())
		require.Error(t, d.cmd.Wait())
		gone(t, append(d.pids, d.watchdog)...)
	}
}

func TestWatchdogHasAnotherNameAndSession(t *testing.T) {
	for _, kind := range []string{driverArg, bareDriverArg} {
		d := startDriver(t, kind, 4, familySteps...)
		d.untilHidden(t)
		session, err := unix.Getsid(d.watchdog)
		require.NoError(t, err)
		require.Equal(t, d.watchdog, session)
		if kind == driverArg {
			line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", d.watchdog))
			require.NoError(t, err)
			require.Equal(t, "mcp-watchdog\x00", string(line), "pkill -f matches neither mcpdbg nor the server")
		}
		require.NoError(t, d.in.Close())
		require.NoError(t, d.cmd.Wait())
	}
}

func TestLostWatchdogIsReplaced(t *testing.T) {
	e := New(Options{Watchdog: watchdogCommand()})
	e.program = ""
	defer func() { require.NoError(t, e.Close()) }()
	start := func() executor.Process {
		p, err := e.Start(t.Context(), executor.Command{
			Argv: append([]string{os.Args[0]}, exectest.HelperArgs("hang")...),
		})
		require.NoError(t, err)
		return p
	}
	first := start()
	old := e.sharedWatchdog.cmd
	require.NoError(t, old.Process.Kill())
	// Its end of the pipe is open until its last thread has ended.
	require.NoError(t, unix.Waitid(unix.P_PID, old.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	start()
	require.NotSame(t, old, e.sharedWatchdog.cmd)
	require.Len(t, e.sharedWatchdog.groups, 2)
	require.True(t, alive(first.Info().PID))
}

func TestMissingWatchdogIsReportedButDoesNotPreventStart(t *testing.T) {
	for _, c := range []struct{ name, program, command string }{
		{"shared", "", "/nonexistent/watchdog"},
		{"own", "/nonexistent/watchdog", os.Args[0]},
		{"one that ends at once", "/bin/true", os.Args[0]},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := New(Options{Watchdog: []string{c.command, watchdogArg}})
			e.program = c.program
			defer func() { require.NoError(t, e.Close()) }()
			var told error
			p, err := e.Start(t.Context(), executor.Command{Argv: []string{"true"}, OnPhase: func(p executor.Phase) {
				if p.Name == "watchdog" {
					told = p.Err
				}
			}})
			require.NoError(t, err)
			require.ErrorContains(t, told, "watchdog")
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{unwatched}, report.CannotTell)
		})
	}
}

func TestRegister(t *testing.T) {
	groups := make(map[string]int)
	for _, line := range []string{
		"add a 0", "add a 12", "add b 13", "del b", "add c 1", "add d -1", "add e x", "add f", "del", "", "junk a 1",
	} {
		register(groups, line)
	}
	require.Equal(t, map[string]int{"a": 12}, groups)
}

func FuzzRegister(f *testing.F) {
	f.Add("add a 12")
	f.Add("del a")
	f.Fuzz(func(t *testing.T, line string) {
		groups := make(map[string]int)
		register(groups, line)
		for mark, group := range groups {
			require.NotEmpty(t, mark)
			require.True(t, group == 0 || group > 1, "never all processes, and never init's group")
		}
	})
}
