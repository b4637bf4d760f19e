//go:build linux

package sshexec

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
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

// posixShells are what /bin/sh is somewhere. As /bin/sh, ksh93 is not one of
// them: it waits in a command substitution for the background job.
var posixShells = [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}, {"mksh"}, {"zsh", "--emulate", "sh"}}

// underPosixShells runs a test with each of them.
func underPosixShells(t *testing.T, test func(t *testing.T, shell []string)) {
	t.Helper()
	underShells(t, posixShells, test)
}

func underShells(t *testing.T, shells [][]string, test func(t *testing.T, shell []string)) {
	t.Helper()
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			test(t, append([]string{sshtest.Need(t, shell[0])}, shell[1:]...))
		})
	}
}

// A script is a shell that runs one of our scripts on this machine, in a session
// of its own, as it would at the other end of a channel.
type script struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	ended chan struct{}
}

func runLocally(t *testing.T, shell []string, text string) *script {
	t.Helper()
	s := &script{t: t, ended: make(chan struct{})}
	s.cmd = exec.Command(shell[0], append(shell[1:], "-c", readLine)...)
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var err error
	s.stdin, err = s.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, stdoutOfShell, err := os.Pipe()
	require.NoError(t, err)
	s.cmd.Stdout = stdoutOfShell
	s.lines = bufio.NewReader(stdout)
	require.NoError(t, s.cmd.Start())
	require.NoError(t, stdoutOfShell.Close())
	t.Cleanup(func() { _ = stdout.Close() })
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // how it ends is looked at where it matters
	}()
	t.Cleanup(func() {
		for _, pid := range s.session() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = s.stdin.Close()
		<-s.ended
	})
	s.send(string(encode(text)))
	return s
}

func (s *script) send(text string) {
	s.t.Helper()
	_, err := io.WriteString(s.stdin, text)
	require.NoError(s.t, err)
}

// watchdog ends a process after bound, so that who waits for what it says does
// not wait for ever.
func watchdog(p *os.Process) (stop func() bool) {
	return time.AfterFunc(bound, func() { _ = p.Kill() }).Stop
}

// line returns the next line that is not empty.
func (s *script) line() string {
	s.t.Helper()
	defer watchdog(s.cmd.Process)()
	for {
		line, err := s.lines.ReadString('\n')
		require.NoError(s.t, err)
		if line != "\n" {
			return strings.TrimSuffix(line, "\n")
		}
	}
}

// session lists all processes of the script's session that live.
func (s *script) session() []int { return inSession(s.cmd.Process.Pid) }

// inSession lists all processes of a session that live.
func inSession(id int) []int {
	var pids []int
	for pid, stat := range sshtest.ProcFiles("stat") {
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if f[0] != "Z" && f[0] != "X" && f[3] == strconv.Itoa(id) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// deserted waits until the script and all that it has started are gone.
func (s *script) deserted() time.Duration {
	s.t.Helper()
	left, after := untilNobody(0, s.session)
	require.Empty(s.t, left, describe(left))
	return after
}

// A localGuard is guard.sh under one shell, with a process to guard.
type localGuard struct {
	*script
	asked int
	pids  []int // of the process, the leader first
}

// guardLocally starts a guard, and what it guards: a leader, a child, one with a
// group of its own and a daemon, all but one of which ignore TERM.
func guardLocally(t *testing.T, shell []string, lease int, leave ...string) *localGuard {
	t.Helper()
	mark := newMark()
	g := &localGuard{script: runLocally(t, shell, guardScript(mark, lease, leave))}
	require.Regexp(t, fmt.Sprintf(`^ARMED-%s %d 1 1 %d 1$`, mark, g.cmd.Process.Pid, lease), g.line())

	const stubborn = "spawn %s ignore TERM pid hang end "
	steps := strings.Fields(fmt.Sprintf(stubborn+stubborn+stubborn+"pid hang", "child", "group", "daemon"))
	run := exec.Command(os.Args[0], exectest.HelperArgs(steps...)...)
	run.Env = []string{markName + "=" + mark}
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := run.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	defer watchdog(run.Process)()
	said := bufio.NewReader(out)
	for len(g.pids) < 4 {
		line, err := said.ReadString('\n')
		require.NoError(t, err)
		g.pids = append(g.pids, pidLines(line)...)
	}
	reaped := make(chan struct{})
	go func() {
		defer close(reaped)
		_ = run.Wait() // killed
	}()
	t.Cleanup(func() {
		for _, pid := range g.pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		<-reaped
	})
	leader := run.Process.Pid
	g.pids = append([]int{leader}, slices.DeleteFunc(g.pids, func(pid int) bool { return pid == leader })...)
	require.Empty(t, g.ask("P", fmt.Sprint(leader, leader, " 0 new")))
	return g
}

// ask sends a command and returns the pids of its answer.
func (g *localGuard) ask(command, args string) []int {
	g.t.Helper()
	g.asked++
	g.send(fmt.Sprintf("%s %d %s\n", command, g.asked, args))
	var pids []int
	for {
		line := g.line()
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "E":
			require.Equal(g.t, strconv.Itoa(g.asked), text)
			return pids
		case "M", "Y":
			proc, ok := parseProc(text)
			require.True(g.t, ok, line)
			require.Regexp(g.t, "^C .", g.line())
			require.Positive(g.t, proc.RSS)
			pids = append(pids, proc.PID)
		default:
			require.Fail(g.t, "the guard says "+line)
		}
	}
}

// lives lists who of the process lives.
func (g *localGuard) lives() []int {
	return slices.DeleteFunc(slices.Clone(g.pids), func(pid int) bool { return !alive(pid) })
}

// allGone waits until nobody of the process lives, and then nobody of the guard.
func (g *localGuard) allGone() {
	g.t.Helper()
	left, _ := untilNobody(0, g.lives)
	require.Empty(g.t, left, describe(left))
	g.deserted()
}

func TestGuardAnswers(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, 20)
		require.ElementsMatch(t, g.pids, g.ask("T", ""), "the whole tree")
		require.Equal(t, g.pids[:1], g.ask("S", "INT leader"))
		left, _ := untilNobody(0, func() []int { return slices.DeleteFunc(g.lives(), func(pid int) bool { return pid != g.pids[0] }) })
		require.Empty(t, left, "the leader takes INT")
		require.ElementsMatch(t, g.pids[1:], g.ask("X", ""), "its descendants are known without it")
		require.Len(t, g.ask("S", "TERM group"), 1, "the child that is left of its group")
		require.ElementsMatch(t, g.pids[1:], g.ask("S", "TERM tree"))
		require.Len(t, g.lives(), 3, "they ignore TERM")
		require.ElementsMatch(t, g.pids[1:], g.ask("K", ""))
		require.Empty(t, g.lives(), "when K is answered")
		require.Empty(t, g.ask("T", ""))
		require.Empty(t, g.ask("K", ""))
		g.send("Q\n")
		g.deserted()
	})
}

func TestGuardEndsTheRunWhenItsInputEnds(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, 20)
		require.NoError(t, g.stdin.Close())
		g.allGone()
	})
}

// A guard that ends a run by itself says why before it does.
func TestGuardSaysWhyItEndsTheRun(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, 20)
		require.NoError(t, g.stdin.Close())
		require.Equal(t, "Z closed 0 1", g.line())
		g.allGone()
		g = guardLocally(t, shell, 2)
		require.Equal(t, "Z lease 2 1", g.line())
		g.allGone()
	})
}

// A guard that was killed takes its clock with it, and leaves the run alone.
func TestClockEndsWithItsGuard(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, 5)
		require.NoError(t, syscall.Kill(g.cmd.Process.Pid, syscall.SIGKILL))
		g.deserted()
		require.Len(t, g.lives(), 4)
	})
}

// What Command.Leave names is spared when the guard is asked and when it ends the
// run by itself: with all that it started, and by the name of its program.
func TestGuardSparesWhatItIsToLeave(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, 20, "other", "o'dd name", filepath.Base(os.Args[0]))
		leader := g.pids[0]
		require.ElementsMatch(t, g.pids, g.ask("T", ""), "they belong to the run")
		require.ElementsMatch(t, g.pids, g.ask("S", "TERM tree"), "and are listed")
		require.NoError(t, g.stdin.Close())
		g.deserted()
		require.NotContains(t, g.lives(), leader, "the server itself is never spared")
		require.Len(t, g.lives(), 3)
	})
}

// A process that was seen once stays a member, whatever becomes of its
// environment, group, session and parent.
func TestGuardRemembersWhatItHasSeen(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := &localGuard{script: runLocally(t, shell, guardScript(newMark(), 20, nil))}
		g.line()
		leader := exec.Command(os.Args[0], exectest.HelperArgs("line", "spawn", "clean", "pid", "hang", "end", "pid", "line")...)
		leader.Env = []string{} // nor has the server a mark
		leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		in, err := leader.StdinPipe()
		require.NoError(t, err)
		out, err := leader.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, leader.Start())
		g.pids = []int{leader.Process.Pid}
		require.Empty(t, g.ask("P", fmt.Sprint(leader.Process.Pid, leader.Process.Pid, " 0 new")))
		_, err = io.WriteString(in, "\n")
		require.NoError(t, err)
		defer watchdog(leader.Process)()
		said := bufio.NewReader(out)
		for len(g.pids) < 2 {
			line, err := said.ReadString('\n')
			require.NoError(t, err)
			g.pids = append(g.pids, slices.DeleteFunc(pidLines(line), func(pid int) bool { return pid == leader.Process.Pid })...)
		}
		daemon := g.pids[1]
		t.Cleanup(func() { _ = syscall.Kill(daemon, syscall.SIGKILL) })
		g.ask("W", "")
		require.NoError(t, in.Close())
		_ = leader.Wait()
		require.Equal(t, []int{daemon}, g.ask("X", ""))
		require.Equal(t, []int{daemon}, g.ask("K", ""))
		require.False(t, alive(daemon))
	})
}

// A process is listed whatever its name looks like in /proc/PID/stat.
func TestGuardSeesProcessesOfAnyName(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		for _, name := range []string{"a) b 1", "a) Z 1", "a) S 1 1 ) Z", ") "} {
			program := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.Symlink(os.Args[0], program))
			g := &localGuard{script: runLocally(t, shell, guardScript(newMark(), 20, nil))}
			g.line()
			server := exec.Command(program, exectest.HelperArgs("pid", "hang")...)
			server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := server.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, server.Start())
			t.Cleanup(func() {
				_ = server.Process.Kill()
				_ = server.Wait() // killed
			})
			stop := watchdog(server.Process)
			_, err = bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			stop()
			pid := server.Process.Pid
			require.Empty(t, g.ask("P", fmt.Sprint(pid, pid, " 0 new")))
			require.Equal(t, []int{pid}, g.ask("T", ""), "%q", name)
			g.send("Q\n")
		}
	})
}

// One shell: it takes its time. The others are in the long tests.
func TestGuardEndsTheRunAfterItsLease(t *testing.T) {
	t.Parallel()
	underShells(t, posixShells[:1], guardEndsAfterItsLease)
}

func guardEndsAfterItsLease(t *testing.T, shell []string) {
	g := guardLocally(t, shell, 5) // seconds: on a busy machine we may be late with a beat
	// Longer than the lease, with a beat now and then. No event: it is time that
	// passes, on clocks of other programs.
	for range 12 {
		time.Sleep(500 * time.Millisecond)
		g.ask("B", "")
	}
	require.Len(t, g.lives(), 4, "who is in touch keeps the run")
	g.allGone()
}

// Clocks that are stopped when they have hardly begun leave nobody. One shell, for
// the same reason.
func TestGuardLeavesNoClock(t *testing.T) {
	t.Parallel()
	underShells(t, posixShells[:1], guardLeavesNoClock)
}

func guardLeavesNoClock(t *testing.T, shell []string) {
	const lease = 50 // longer than the end of all waits
	s := runLocally(t, shell, guardScript(newMark(), lease, nil))
	s.line()
	for n := range 100 {
		s.send(fmt.Sprintf("B %d\nP %[1]d 0 0 0 old\n", n)) // P restarts the clock
	}
	for range 200 {
		require.Contains(t, s.line(), "E ")
	}
	s.send("Q\n")
	s.deserted()
}

// The run script, too, is everybody's.
func TestRunScriptUnderEachShell(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		mark, args := newMark(), awkward
		if shell[0] == sshtest.Need(t, "mksh") {
			args = args[:len(args)-1] // its printf is a program, whose arguments have their limit
		}
		c := launchCommand{
			argv: append([]string{os.Args[0]}, exectest.HelperArgs(slices.Concat([]string{"args"}, args, []string{"end", "out", "\n", "env"})...)...),
			dir:  t.TempDir(),
		}
		for i, value := range awkward[:len(awkward)-1] { // one is as long as may be
			c.env = append(c.env, executor.EnvVar{Name: "AWKWARD" + strconv.Itoa(i), Value: value})
		}
		s := runLocally(t, shell, runScript(mark, c))
		require.Regexp(t, fmt.Sprintf(`^RUN-%s %d %[2]d 0 (0|%s) `, mark, s.cmd.Process.Pid, stampOf(mark)), s.line())
		s.send("GO-" + mark + "\n")
		requireJSON(t, args, s.line())
		defer watchdog(s.cmd.Process)()
		rest, err := io.ReadAll(s.lines)
		require.NoError(t, err)
		for _, v := range c.env {
			require.Contains(t, "\n"+string(rest), "\n"+v.Name+"="+v.Value+"\n")
		}
		s.deserted()
	})
}
