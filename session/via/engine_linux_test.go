package via

import (
	"bytes"
	"context"
	"fmt"
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
	"mcpdbg/session/localexec"
	"mcpdbg/session/via/enginetest"
)

// A container of root has its own pids, which are those that the executor lists.
func TestConformanceContainer(t *testing.T) {
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	conform(t, contained(t, e), e.Program("docker"), "exec", "-i", "web")
}

// contained is set for processes in the container web.
func contained(t *testing.T, e *enginetest.Engine) func(h *exectest.Harness) {
	return func(h *exectest.Harness) {
		h.ShellStatus, h.StreamsEnd = true, true
		h.Alive = func(pid int) bool {
			host := e.HostPID(t, "web", pid)
			return host != 0 && exectest.Alive(host)
		}
	}
}

func below() executor.Foundation {
	return localexec.New(localexec.Options{Watchdog: []string{os.Args[0], watchdogArg}})
}

// start runs the steps of the helper through a prefix.
func start(t *testing.T, words []string, change func(*executor.Command), steps ...string) (executor.Process, error) {
	t.Helper()
	e := through(t, below(), words...)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	cmd := executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs(steps...)...), Pinned: true}
	if change != nil {
		change(&cmd)
	}
	return e.Start(t.Context(), cmd)
}

// output returns what a process has written when it is closed, and its exit.
func output(t *testing.T, p executor.Process) (stdout, stderr string, exit executor.Exit) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	var text [2]bytes.Buffer
	for after := uint64(0); ; {
		r, err := p.Read(ctx, after, 0, waitLimit)
		require.NoError(t, err)
		for _, c := range r.Chunks {
			text[c.Stream].Write(c.Data)
		}
		if r.Closed && len(r.Chunks) == 0 {
			return text[executor.Stdout].String(), text[executor.Stderr].String(), *r.Exit
		}
		after = r.NextSeq - 1
	}
}

// Values of variables and the folder appear in no process list, and arrive.
func TestVariablesTravelOnStdin(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	dir := t.TempDir()
	p, err := start(t, []string{e.Program("docker"), "exec", "-i", "web"}, func(c *executor.Command) {
		c.Dir, c.Env = dir, []executor.EnvVar{{Name: "TOKEN", Value: "hunter2; $(id)\n'\""}}
	}, "cwd", "out", "\n", "env", "exit", "7")
	require.NoError(t, err)
	stdout, _, exit := output(t, p)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 7}, exit)
	require.True(t, strings.HasPrefix(stdout, dir+"\n"))
	require.Contains(t, stdout, "TOKEN=hunter2; $(id)\n'\"\n")
	for _, call := range e.Calls(t) {
		require.NotContains(t, strings.Join(call, " "), "hunter2")
		require.NotContains(t, strings.Join(call, " "), dir)
	}
	require.Equal(t, "docker web", p.Info().Via)
	require.Equal(t, executor.NoticeInside, p.Info().Notices[0].Code)
}

// Without a shell the server is started as it is, with options of the engine.
func TestContainerWithoutShell(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "bare", enginetest.ContainerOptions{ImageOptions: enginetest.ImageOptions{NoShell: true}})
	docker := e.Program("docker")
	p, err := start(t, []string{docker, "exec", "-i", "bare"}, func(c *executor.Command) {
		c.Env = []executor.EnvVar{{Name: "TOKEN", Value: "hunter2"}}
	}, "env", "exit", "3")
	require.NoError(t, err)
	stdout, _, exit := output(t, p)
	require.Contains(t, stdout, "TOKEN=hunter2\n")
	require.Equal(t, executor.ExitUnknown, exit.Kind, "the client's status is not evidence")
	require.Contains(t, exit.Why, "docker ended with 3; how the server ended: cannot tell")
	info := p.Info()
	require.Empty(t, info.Env.Added, "our mark stays with the client")
	require.Len(t, info.Notices, 1)
	require.Equal(t, executor.NoticeUnseen, info.Notices[0].Code)
	require.Equal(t, "docker bare: processes inside, and how the server ends: cannot tell: there is no shell inside", info.Notices[0].Text)
	require.Contains(t, info.Notices[0].Hint, "docker top bare shows the processes")
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Contains(t, strings.Join(report.CannotTell, "\n"), docker+" top bare shows the processes, "+docker+" restart bare ends them")
	calls := e.Calls(t)
	require.True(t, slices.ContainsFunc(calls, func(call []string) bool {
		return slices.Contains(call, "-e") && slices.Contains(call, "TOKEN") && !strings.Contains(strings.Join(call, " "), "hunter2")
	}), "%v", calls)
}

// The end of the client's stream is not that of the server.
func TestLostStreamIsNotAnExit(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Pod(t, "api", enginetest.PodOptions{})
	p, err := start(t, []string{e.Program("kubectl"), "exec", "-i", "api", "--"}, nil, "pid", "hang")
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, waitLimit)
	require.NoError(t, err)
	e.LoseStreams(t)
	_, _, exit := output(t, p)
	require.Equal(t, executor.ExitUnknown, exit.Kind)
	require.Equal(t, "kubectl ended with 0; how the server ended: cannot tell", exit.Why)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.CannotTell)
	left, _ := exectest.UntilNone(0, func() []int { return e.Processes(t) })
	require.Empty(t, left, exectest.Describe(left))
}

// The end of a client with its watchdog has that reason, and is not the server's end.
func TestClientEndsWithItsWatchdog(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	p, err := start(t, []string{e.Program("docker"), "exec", "-i", "web"}, nil, "pid", "hang")
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, waitLimit)
	require.NoError(t, err)
	killed := 0
	for pid, command := range exectest.ProcFiles("cmdline") {
		if !strings.HasPrefix(string(command), e.Program("docker")+"\x00exec\x00") {
			continue // not the client of the server or of its guard
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(t, err)
		_, parent, _ := strings.Cut(string(status), "\nPPid:\t")
		parent, _, _ = strings.Cut(parent, "\n")
		watchdog, err := strconv.Atoi(parent)
		require.NoError(t, err)
		require.Contains(t, exectest.Cmdline(watchdog), "mcp-watchdog")
		require.NoError(t, syscall.Kill(watchdog, syscall.SIGKILL))
		killed++
	}
	require.Equal(t, 2, killed)
	_, _, exit := output(t, p)
	require.Equal(t, executor.Exit{
		By:  executor.EndedByWatchdog,
		Why: "watchdog killed from outside; docker ended; how the server ended: cannot tell",
	}, exit)
	_, err = p.Terminate(t.Context())
	require.NoError(t, err)
	left, _ := exectest.UntilNone(0, func() []int { return e.Processes(t) })
	require.Empty(t, left, exectest.Describe(left))
}

// A container that docker run has made is ended by its label.
func TestContainerOfRunIsEnded(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Image(t, "server", enginetest.ImageOptions{})
	p, err := start(t, []string{e.Program("docker"), "run", "-i", "--rm", "server"}, nil, "ignore", "TERM", "pid", "hang")
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, waitLimit)
	require.NoError(t, err)
	require.Contains(t, p.Info().Notices[0].Text, "added to the command: --label mcpdbg.run=")
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.CannotTell)
	left, _ := exectest.UntilNone(0, func() []int { return e.Processes(t) })
	require.Empty(t, left, exectest.Describe(left))
	require.True(t, slices.ContainsFunc(e.Calls(t), func(call []string) bool { return slices.Contains(call, "kill") }))
}

func TestFailuresAreTyped(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "stopped", enginetest.ContainerOptions{Stopped: true})
	docker := e.Program("docker")
	for _, c := range []struct {
		words []string
		want  executor.StartCode
	}{
		{[]string{docker, "exec", "-i", "none"}, executor.ViaNoContainer},
		{[]string{docker, "exec", "-i", "stopped"}, executor.ViaNotRunning},
		{[]string{docker, "exec", "-it", "stopped"}, executor.ViaTTY},
		{[]string{e.Program("kubectl"), "exec", "-i", "none", "--"}, executor.ViaNoContainer},
	} {
		x, err := New(Options{Below: below()})
		require.NoError(t, err)
		_, err = x.Start(t.Context(), executor.Command{Argv: append(slices.Clone(c.words), "server")})
		var failed *executor.StartError
		require.ErrorAs(t, err, &failed, "%v", c.words)
		require.Equal(t, c.want, failed.Code, "%v: %v", c.words, failed)
		require.NoError(t, x.Close())
	}
}

// The bare command's client has not started the server if it has printed that, and ended with
// a status of its own before any output.
func TestPlainFailuresAreTyped(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	helper := append([]string{os.Args[0]}, exectest.HelperArgs()...)
	const said = "Error response from daemon: No such container: db\n"
	for _, c := range []struct {
		program, name string
		argv          []string
		want          executor.StartCode
	}{
		{"docker", "none", []string{"server"}, executor.ViaNoContainer},
		{"podman", "none", []string{"server"}, executor.ViaNoContainer},
		{"docker", "web", []string{"/no/server"}, executor.StartNotFound},
		{"docker", "web", append(helper, "err", said, "exit", "3"), ""},
		{"docker", "web", append(helper, "out", "a\n", "err", said, "exit", "1"), ""},
		{"podman", "web", append(helper, "err", said, "exit", "1"), ""},
		{"docker", "web", append(helper, "exit", "1"), ""},
	} {
		x, err := New(Options{Words: []string{e.Program(c.program), "exec", "-i", c.name}, Below: below(), Plain: true})
		require.NoError(t, err)
		p, err := x.Start(t.Context(), executor.Command{Argv: c.argv, Pinned: true})
		require.NoError(t, err)
		stdout, stderr, exit := output(t, p)
		require.Contains(t, exit.Why, "how the server ended: cannot tell")
		var code executor.StartCode
		if exit.Start != nil {
			code = exit.Start.Code
			require.Contains(t, exit.Why, exit.Start.Hint)
			require.Equal(t, strings.TrimSpace(stdout+stderr), exit.Start.Said)
		}
		require.Equal(t, c.want, code, "%v: %s", c.argv, exit.Why)
		require.NoError(t, x.Close())
	}
}

// A client that is killed leaves the server in its container, and the guard ends it.
func TestGuardEndsWhatAKilledClientLeaves(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	x, err := New(Options{Words: []string{e.Program("docker"), "exec", "-i", "web"}, Below: below(), StartTimeout: waitLimit, Lease: 2 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	p, err := x.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("ignore", "TERM", "pid", "hang")...)})
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, waitLimit)
	require.NoError(t, err)
	require.NoError(t, exec.Command("pkill", "-KILL", "-f", e.Program("docker")+" exec").Run(), "all clients")
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.CannotTell)
	left, _ := exectest.UntilNone(0, func() []int { return e.Processes(t) })
	require.Empty(t, left, exectest.Describe(left))
}

// A start waits for no reply of the guard but its first line: the server is let go one round
// trip after the two executions.
func TestStartTakesOneRoundTrip(t *testing.T) {
	t.Parallel()
	met, open := newFIFO(t, "met"), newFIFO(t, "open")
	// The guard begins when the run waits for GO. Both streams end after their first line,
	// until they are opened.
	p, err := start(t, []string{"/bin/sh", "-c", fmt.Sprintf(`IFS= read -r first
case $first in trap*) ;; *) read -r go <'%[1]s' ;; esac
{ printf '%%s\n' "$first"; exec cat; } | "$@" | {
IFS= read -r empty
IFS= read -r line
case $first in trap*) echo >'%[1]s' ;; esac
printf '\n%%s\n' "$line"
read -r go <'%[2]s'
exec cat
}`, met.Name(), open.Name()), "enter"}, nil, "pid", "line", "exit", "0")
	require.NoError(t, err)
	for _, n := range p.Info().Notices {
		require.NotEqual(t, "guard.none", n.Code, n.Text)
	}
	_, err = open.WriteString("\n\n")
	require.NoError(t, err)
	_, err = p.Write(t.Context(), "", []byte("\n"))
	require.NoError(t, err)
	p.CloseStdin()
	_, _, exit := output(t, p)
	require.Equal(t, executor.Exit{Kind: executor.ExitCode}, exit)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.CannotTell)
}

func newFIFO(t *testing.T, name string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // does not wait for a reader
	require.NoError(t, err)
	t.Cleanup(func() { _ = pipe.Close() })
	return pipe
}
