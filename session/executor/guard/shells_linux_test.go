//go:build linux

package guard

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

	"mcpdbg/internal/wording"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// posixShells are the programs that are /bin/sh on some systems. ksh93 as
// /bin/sh is not one of them: it waits in a command substitution for the
// background job.
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
			test(t, append([]string{exectest.Need(t, shell[0])}, shell[1:]...))
		})
	}
}

// A script is a shell that runs one of our scripts locally, in its own session,
// as at the other end of a channel.
type script struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	ended chan struct{}
}

func runLocally(t *testing.T, shell []string, text string) *script {
	t.Helper()
	s := runLineLocally(t, shell, ReadLine)
	s.send(string(encode(text)))
	return s
}

// runLineLocally is like runLocally, for a shell that gets its first line later.
func runLineLocally(t *testing.T, shell []string, first string) *script {
	t.Helper()
	s := &script{t: t, ended: make(chan struct{})}
	s.cmd = exec.Command(shell[0], append(shell[1:], "-c", first)...)
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
		_ = s.cmd.Wait() // tests check its status where it matters
	}()
	t.Cleanup(func() {
		for _, pid := range s.session() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = s.stdin.Close()
		<-s.ended
	})
	return s
}

func (s *script) send(text string) {
	s.t.Helper()
	_, err := io.WriteString(s.stdin, text)
	require.NoError(s.t, err)
}

// line returns the next line that is not empty.
func (s *script) line() string {
	s.t.Helper()
	defer exectest.KillAfterLimit(s.cmd.Process)()
	for {
		line, err := s.lines.ReadString('\n')
		require.NoError(s.t, err)
		if line != "\n" {
			return strings.TrimSuffix(line, "\n")
		}
	}
}

// session returns all live processes of the script's session.
func (s *script) session() []int { return exectest.InSession(s.cmd.Process.Pid) }

// deserted waits until the script and its descendants have ended.
func (s *script) deserted() time.Duration {
	s.t.Helper()
	left, after := exectest.UntilNone(0, s.session)
	require.Empty(s.t, left, exectest.Describe(left))
	return after
}

// longLease is the lease of a guard that waits as long as the test.
const longLease = 5 * time.Minute

// A localGuard is guard.sh under one shell, with a process to guard.
type localGuard struct {
	*script
	asked int
	pids  []int // of the process, the leader first
}

// guardLocally starts a guard, and a run for it: a leader, a child, one with
// its own group and a daemon, all but one of which ignore TERM.
func guardLocally(t *testing.T, shell []string, lease time.Duration, leave ...string) *localGuard {
	t.Helper()
	mark := executor.NewMark()
	g := &localGuard{script: runLocally(t, shell, Script(mark, Orders{Lease: lease, Leave: leave}))}
	require.Regexp(t, fmt.Sprintf(`^%s %d 1 1 %d 1$`, ArmedMarker(mark), g.cmd.Process.Pid, lease/time.Second), g.line())

	const stubborn = "spawn %s ignore TERM pid hang end "
	steps := strings.Fields(fmt.Sprintf(stubborn+stubborn+stubborn+"pid hang", "child", "group", "daemon"))
	run := exec.Command(os.Args[0], exectest.HelperArgs(steps...)...)
	run.Env = []string{executor.MarkName + "=" + mark}
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := run.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	defer exectest.KillAfterLimit(run.Process)()
	said := bufio.NewReader(out)
	for len(g.pids) < 4 {
		line, err := said.ReadString('\n')
		require.NoError(t, err)
		g.pids = append(g.pids, exectest.PIDLines(line)...)
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

// ask sends a command and returns the pids of its reply.
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
			require.Fail(g.t, "unexpected reply of the guard: "+line)
		}
	}
}

// lives returns the live processes of the run.
func (g *localGuard) lives() []int {
	return slices.DeleteFunc(slices.Clone(g.pids), func(pid int) bool { return !exectest.Alive(pid) })
}

// allGone waits until all processes of the run have ended, and then those of
// the guard.
func (g *localGuard) allGone() {
	g.t.Helper()
	left, _ := exectest.UntilNone(0, g.lives)
	require.Empty(g.t, left, exectest.Describe(left))
	g.deserted()
}

func TestGuardCommands(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, longLease)
		require.ElementsMatch(t, g.pids, g.ask("T", ""), "the whole tree")
		require.Equal(t, g.pids[:1], g.ask("S", "INT leader"))
		left, _ := exectest.UntilNone(0, func() []int { return slices.DeleteFunc(g.lives(), func(pid int) bool { return pid != g.pids[0] }) })
		require.Empty(t, left, "the leader takes INT")
		require.ElementsMatch(t, g.pids[1:], g.ask("X", ""), "its descendants are known without it")
		require.Len(t, g.ask("S", "TERM group"), 1, "the remaining child of its group")
		require.ElementsMatch(t, g.pids[1:], g.ask("S", "TERM tree"))
		require.Len(t, g.lives(), 3, "they ignore TERM")
		require.ElementsMatch(t, g.pids[1:], g.ask("K", ""))
		require.Empty(t, g.lives(), "at the reply to K")
		require.Empty(t, g.ask("T", ""))
		require.Empty(t, g.ask("K", ""))
		g.send("Q\n")
		g.deserted()
	})
}

func TestGuardEndsTheRunWhenItsInputEnds(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, longLease)
		require.NoError(t, g.stdin.Close())
		g.allGone()
	})
}

// A guard that ends a run on its own first reports the reason.
func TestGuardReportsWhyItEndsTheRun(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, longLease)
		require.NoError(t, g.stdin.Close())
		require.Equal(t, "Z closed 0 1", g.line())
		g.allGone()
		g = guardLocally(t, shell, 2*time.Second)
		require.Equal(t, "Z lease 2 1", g.line())
		g.allGone()
	})
}

// The clock of a guard that was killed ends too, and the run is left alone.
func TestClockEndsWithItsGuard(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, longLease)
		require.NoError(t, syscall.Kill(g.cmd.Process.Pid, syscall.SIGKILL))
		g.deserted()
		require.Len(t, g.lives(), 4)
	})
}

// The programs in Command.Leave are spared when the guard is asked and when it
// ends the run on its own: with all their descendants, and by the name of the
// program.
func TestGuardSparesProgramsToLeave(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, longLease, "other", "o'dd name", filepath.Base(os.Args[0]))
		leader := g.pids[0]
		require.ElementsMatch(t, g.pids, g.ask("T", ""), "they belong to the run")
		require.ElementsMatch(t, g.pids, g.ask("S", "TERM tree"), "and are listed")
		require.NoError(t, g.stdin.Close())
		g.deserted()
		require.NotContains(t, g.lives(), leader, "the server itself is never spared")
		require.Len(t, g.lives(), 3)
	})
}

// A process that was seen once stays a member, even if its environment, group,
// session and parent change.
func TestGuardRemembersWhatItHasSeen(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := &localGuard{script: runLocally(t, shell, Script(executor.NewMark(), Orders{Lease: longLease}))}
		g.line()
		leader := exec.Command(os.Args[0], exectest.HelperArgs("line", "spawn", "clean", "pid", "hang", "end", "pid", "line")...)
		leader.Env = []string{} // nor does the server have a mark
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
		defer exectest.KillAfterLimit(leader.Process)()
		said := bufio.NewReader(out)
		for len(g.pids) < 2 {
			line, err := said.ReadString('\n')
			require.NoError(t, err)
			g.pids = append(g.pids, slices.DeleteFunc(exectest.PIDLines(line), func(pid int) bool { return pid == leader.Process.Pid })...)
		}
		daemon := g.pids[1]
		t.Cleanup(func() { _ = syscall.Kill(daemon, syscall.SIGKILL) })
		g.ask("W", "")
		require.NoError(t, in.Close())
		_ = leader.Wait()
		require.Equal(t, []int{daemon}, g.ask("X", ""))
		require.Equal(t, []int{daemon}, g.ask("K", ""))
		require.False(t, exectest.Alive(daemon))
	})
}

// A run inside another one keeps the stamp of the outer run, whose guard would take it for what
// startup files have left there. It may be in a pid namespace, with the /proc of the host.
func TestRunInsideKeepsTheStamp(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		outer := stampOf(executor.NewMark())
		inner := fmt.Sprintf(stampScript, stampOf(executor.NewMark())) + "echo $_mk; cat /proc/self/limits"
		words := append([]string{exectest.Need(t, "unshare"), "--user", "--map-root-user", "--pid", "--fork"}, shell...)
		text := "ulimit -S -x " + outer + "; " + wording.CommandLine(append(words, "-c", inner))
		out, err := exec.Command(exectest.Need(t, "bash"), "-c", text).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Regexp(t, `^0\n`, string(out))
		require.Regexp(t, `Max file locks +`+outer+` `, string(out))
	})
}

// A process is listed whatever its name looks like in /proc/PID/stat.
func TestGuardSeesProcessesOfAnyName(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		for _, name := range []string{"a) b 1", "a) Z 1", "a) S 1 1 ) Z", ") "} {
			program := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.Symlink(os.Args[0], program))
			g := &localGuard{script: runLocally(t, shell, Script(executor.NewMark(), Orders{Lease: longLease}))}
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
			stop := exectest.KillAfterLimit(server.Process)
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

// Only one shell, because it takes long. The long tests run the others.
func TestGuardEndsTheRunAfterItsLease(t *testing.T) {
	t.Parallel()
	underShells(t, posixShells[:1], guardEndsAfterItsLease)
}

func guardEndsAfterItsLease(t *testing.T, shell []string) {
	g := guardLocally(t, shell, 8*time.Second) // on a busy machine a beat may be late
	// Longer than the lease, with a beat now and then. There is no event to
	// wait for: the clocks of other programs must advance.
	for range 12 {
		time.Sleep(750 * time.Millisecond)
		g.ask("B", "")
	}
	require.Len(t, g.lives(), 4, "the run continues while there is contact")
	g.allGone()
}

// Clocks that are stopped when they have just begun leave no process. Only one
// shell, for the same reason.
func TestGuardLeavesNoClock(t *testing.T) {
	t.Parallel()
	underShells(t, posixShells[:1], guardLeavesNoClock)
}

func guardLeavesNoClock(t *testing.T, shell []string) {
	s := runLocally(t, shell, Script(executor.NewMark(), Orders{Lease: longLease}))
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

// The run script has to work in every shell, too.
func TestRunScriptUnderEachShell(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		mark, args := executor.NewMark(), exectest.Awkward
		if shell[0] == exectest.Need(t, "mksh") {
			args = args[:len(args)-1] // its printf is a program, whose arguments are limited
		}
		c := Command{
			Argv: append([]string{os.Args[0]}, exectest.HelperArgs(slices.Concat([]string{"args"}, args, []string{"end", "out", "\n", "env"})...)...),
			Dir:  t.TempDir(),
		}
		for i, value := range exectest.Awkward[:len(exectest.Awkward)-1] { // one is as long as possible
			c.Env = append(c.Env, executor.EnvVar{Name: "AWKWARD" + strconv.Itoa(i), Value: value})
		}
		s := runLocally(t, shell, RunScript(mark, c))
		require.Regexp(t, fmt.Sprintf(`^%s %d %[2]d 0 (0|%s) `, RunMarker(mark), s.cmd.Process.Pid, stampOf(mark)), s.line())
		s.send(Go(mark))
		exectest.RequireArgs(t, args, s.line())
		defer exectest.KillAfterLimit(s.cmd.Process)()
		rest, err := io.ReadAll(s.lines)
		require.NoError(t, err)
		for _, v := range c.Env {
			require.Contains(t, "\n"+string(rest), "\n"+v.Name+"="+v.Value+"\n")
		}
		s.deserted()
	})
}

// scriptTimeout is that of a script which waits as long as the test.
const scriptTimeout = 5 * time.Minute

// A run script that waits for GO in vain ends, although its input does not.
func TestRunScriptGivesUp(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		mark := executor.NewMark()
		s := runLocally(t, shell, RunScript(mark, Command{Argv: []string{"sleep", "1000"}, Timeout: time.Second}))
		require.Contains(t, s.line(), RunMarker(mark))
		s.deserted()
	})
}

// The clock of a run script has ended when the server begins, and leaves it no child.
func TestServerHasNoClock(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		for range 20 {
			mark := executor.NewMark()
			s := runLocally(t, shell, RunScript(mark, Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("pid", "hang")...), Timeout: scriptTimeout}))
			require.Contains(t, s.line(), RunMarker(mark))
			s.send(Go(mark))
			require.Equal(t, []int{s.cmd.Process.Pid}, exectest.PIDLines(s.line()+"\n"))
			require.Equal(t, []int{s.cmd.Process.Pid}, s.session())
			children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", s.cmd.Process.Pid))
			require.NoError(t, err)
			require.Empty(t, string(children), "not even a zombie")
			require.NoError(t, s.cmd.Process.Kill())
			s.deserted()
		}
	})
}

// A script that cannot become its program leaves no clock, nor does one whose input ends.
func TestRefusedRunScriptHasNoClock(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		for _, c := range []Command{
			{Argv: []string{"/no/such/program"}, Timeout: scriptTimeout},
			{Argv: []string{"true"}, Dir: "/no/such/folder", Timeout: scriptTimeout},
			{Argv: []string{"true"}, Timeout: scriptTimeout},
		} {
			mark := executor.NewMark()
			s := runLocally(t, shell, RunScript(mark, c))
			require.Contains(t, s.line(), RunMarker(mark))
			require.NoError(t, s.stdin.Close())
			s.deserted()
		}
	})
}

// A guard that gets no run ends, although its input does not.
func TestGuardWithoutRunGivesUp(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		s := runLocally(t, shell, Script(executor.NewMark(), Orders{Lease: longLease, Timeout: time.Second}))
		require.Contains(t, s.line(), "ARMED-")
		s.deserted()
	})
}

// A guard sees in its first line a run that begins a moment later.
func TestGuardMeetsItsRun(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		mark := executor.NewMark()
		g := runLocally(t, shell, Script(mark, Orders{Lease: longLease, Meet: true}))
		run := runLocally(t, shell, ShowMark(mark, 0))
		_, line, _ := strings.Cut(g.line(), " ")
		caps, err := parseArmed(line)
		require.NoError(t, err)
		if len(caps.met) > 0 { // on a busy machine it may begin too late
			require.Equal(t, []int{run.cmd.Process.Pid}, caps.met)
		}
		g.send(fmt.Sprintf("V 1 %d\n", run.cmd.Process.Pid))
		require.Contains(t, g.line(), fmt.Sprintf("M %d ", run.cmd.Process.Pid))
	})
}

// One process of a tree is killed by its pid and birth, and no other that has the pid.
func TestGuardKillsOne(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		g := guardLocally(t, shell, longLease)
		births := g.births()
		require.Len(t, births, 4)
		victim := g.pids[3]
		require.Empty(t, g.ask("N", fmt.Sprint(victim, " 1")), "an earlier process had this pid")
		require.Empty(t, g.ask("N", fmt.Sprint(os.Getpid(), " ", births[victim])))
		require.Empty(t, g.ask("N", fmt.Sprint(os.Getpid(), " 0")))
		require.Equal(t, []int{victim}, g.ask("N", fmt.Sprint(victim, " ", births[victim])))
		left, _ := exectest.UntilNone(0, func() []int { return slices.DeleteFunc(g.lives(), func(pid int) bool { return pid != victim }) })
		require.Empty(t, left)
		require.ElementsMatch(t, g.pids[:3], g.lives())
		require.Empty(t, g.ask("N", fmt.Sprint(victim, " ", births[victim])))
	})
}

// births returns those of the processes that T lists.
func (g *localGuard) births() map[int]string {
	g.t.Helper()
	g.asked++
	g.send(fmt.Sprintf("T %d\n", g.asked))
	births := map[int]string{}
	for {
		kind, text, _ := strings.Cut(g.line(), " ")
		switch kind {
		case "M":
			proc, ok := parseProc(text)
			require.True(g.t, ok)
			births[proc.PID] = proc.born
		case "E":
			return births
		}
	}
}

// A shell that waits for its first line in vain ends, although its input does not; one that
// gets the line has no clock.
func TestTimedLine(t *testing.T) {
	t.Parallel()
	underPosixShells(t, func(t *testing.T, shell []string) {
		s := runLineLocally(t, shell, TimedLine(time.Second))
		s.deserted()
		s = runLineLocally(t, shell, TimedLine(scriptTimeout))
		s.send(string(encode("echo got $$; read rest; echo $rest")) + "rest\n")
		require.Equal(t, fmt.Sprint("got ", s.cmd.Process.Pid), s.line())
		require.Equal(t, "rest", s.line(), "no more than a line is taken")
		s.deserted()
		s = runLocally(t, shell, ShowMark(executor.NewMark(), time.Second))
		s.send(strings.Repeat("x", 100_000)) // a line that stops halfway
		s.deserted()
	})
}
