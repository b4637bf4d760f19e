//go:build linux

package enginetest_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/via/enginetest"
)

// A running client, and what it has printed.
type running struct {
	*exec.Cmd
	t     *testing.T
	stdin io.WriteCloser
	lines *bufio.Reader
}

func begin(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{Cmd: cmd, t: t}
	var err error
	r.stdin, err = cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	r.lines = bufio.NewReader(stdout)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return r
}

func (r *running) line() string {
	r.t.Helper()
	defer exectest.KillAfterLimit(r.Process)()
	line, err := r.lines.ReadString('\n')
	require.NoError(r.t, err)
	return strings.TrimSpace(line)
}

// ends waits for the client, and returns its status.
func (r *running) ends() int {
	r.t.Helper()
	defer exectest.KillAfterLimit(r.Process)()
	_, _ = io.Copy(io.Discard, r.lines)
	_ = r.Wait() // its state has the status
	return r.ProcessState.ExitCode()
}

func awaitNone(t *testing.T, list func() []int) {
	t.Helper()
	left, _ := exectest.UntilNone(0, list)
	require.Empty(t, left, exectest.Describe(left))
}

func TestExecOptions(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		require.Equal(t, outcome{0, "out\n", "err\n"}, call(t, e, "docker", "exec", "web", "sh", "-c", "echo out; echo err >&2"))
		require.Equal(t, "/usr", says(t, e, "podman", "exec", "-w", "/usr", "web", "pwd"))
		require.Equal(t, "/usr", says(t, e, "docker", "--log-level", "error", "exec", "--workdir=/usr", "web", "pwd"))
		env := strings.Split(says(t, e, "nerdctl", "exec", "-e", "SHARED", "-eA=b c", "--env", "EMPTY=", "-e", "NOT_SET", "web", "env"), "\n")
		require.Subset(t, env, []string{"SHARED=of the client", "A=b c", "EMPTY=", "HOME=/root"})
		require.NotContains(t, strings.Join(env, "\n"), "NOT_SET")
		require.NotContains(t, says(t, e, "docker", "exec", "web", "env"), "SHARED", "the client's own environment")
		require.Equal(t, "-x -- -i", says(t, e, "docker", "exec", "web", "echo", "-x", "--", "-i"), "options end at the container")
		require.Empty(t, says(t, e, "docker", "exec", "-d", "web", "echo", "detached"))
		require.Equal(t, "hi", says(t, e, "docker", "compose", "-p", "any", "exec", "-T", "shop", "echo", "hi"))
		require.Equal(t, outcome{0, "both\r\n", ""}, call(t, e, "docker", "exec", "-t", "web", "sh", "-c", "echo both >&2"), "a terminal is one stream")
		if os.Geteuid() == 0 {
			require.Equal(t, "65534 65534", says(t, e, "docker", "exec", "-u", "nobody", "web", "sh", "-c", "echo $(id -u) $(id -g)"))
			require.Equal(t, "7 8", says(t, e, "docker", "exec", "-u", "7:8", "web", "sh", "-c", "echo $(id -u) $(id -g)"))
		}
	})
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		e.Pod(t, "api", enginetest.PodOptions{})
		for text, code := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "kill -TERM $$": 143} {
			for _, engine := range []string{"docker", "podman", "nerdctl"} {
				require.Equal(t, outcome{code, "", ""}, call(t, e, engine, "exec", "web", "sh", "-c", text))
			}
			o := call(t, e, "kubectl", "exec", "api", "--", "sh", "-c", text)
			require.Equal(t, code, o.code)
			if code != 0 {
				require.Equal(t, "command terminated with exit code "+strconv.Itoa(code)+"\n", o.err)
			}
		}
	})
}

// The processes of an isolated container see only each other. Their parent is outside.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	require.Equal(t, "0", says(t, e, "docker", "exec", "web", "sh", "-c", "echo $PPID"))
	require.Equal(t, "2", says(t, e, "docker", "exec", "web", "sh", "-c", "set -- /proc/[0-9]*; echo $#"))
	require.Empty(t, e.Processes(t))
}

// A process is a child of the daemon. It outlives its client, and its input stays open.
func TestProcessOutlivesItsClient(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		api := e.Pod(t, "api", enginetest.PodOptions{})
		for _, prefix := range [][]string{{"docker", "exec", "-i", "web"}, {"kubectl", "exec", "-i", "api", "--"}} {
			r := begin(t, clientOf(e, append(prefix, helper(t, "pid", "echo")...)...))
			printed := exectest.PIDLines(r.line() + "\n")
			pids := e.Processes(t)
			require.Len(t, pids, 1)
			container := "web"
			if prefix[0] == "kubectl" {
				container = api[0]
			}
			require.Equal(t, pids[0], e.HostPID(t, container, printed[0]))
			require.NotContains(t, exectest.Cmdline(pids[0]), "docker")
			require.NoError(t, r.Process.Kill())
			require.Equal(t, -1, r.ends())
			says(t, e, "docker", "exec", "web", "true") // the daemon has noticed by then
			require.Equal(t, pids, e.Processes(t))
			require.NoError(t, syscall.Kill(pids[0], syscall.SIGKILL))
			awaitNone(t, func() []int { return e.Processes(t) })
		}
	})
}

func TestClientEndsItsInput(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		e.Pod(t, "api", enginetest.PodOptions{})
		for _, prefix := range [][]string{
			{"docker", "exec", "-i", "web"}, {"docker", "compose", "exec", "-T", "shop"}, {"podman", "exec", "-i", "web"}, {"kubectl", "exec", "-i", "api", "--"},
		} {
			r := begin(t, clientOf(e, append(prefix, helper(t, "echo", "exit", "5")...)...))
			_, err := io.WriteString(r.stdin, "there and back\n")
			require.NoError(t, err)
			require.Equal(t, "there and back", r.line())
			require.NoError(t, r.stdin.Close())
			require.Equal(t, 5, r.ends(), "%v", prefix)
		}
		require.Equal(t, outcome{}, call(t, e, "docker", "exec", "web", "cat"), "without -i there is no input")
	})
}

// A real docker exec ends with 0 at TERM: the process lives on.
func TestTermEndsTheClientOnly(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		r := begin(t, clientOf(e, append([]string{"docker", "exec", "-i", "web"}, helper(t, "pid", "hang")...)...))
		r.line()
		require.NoError(t, r.Process.Signal(syscall.SIGTERM))
		require.Zero(t, r.ends())
		require.Len(t, e.Processes(t), 1)
	})
}

// kubectl ends with 0 when its stream is lost (kubernetes#73056).
func TestLostStream(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		e.Pod(t, "api", enginetest.PodOptions{})
		for _, prefix := range [][]string{{"kubectl", "exec", "-i", "api", "--"}, {"docker", "exec", "-i", "web"}} {
			r := begin(t, clientOf(e, append(prefix, helper(t, "pid", "hang")...)...))
			r.line()
			e.LoseStreams(t)
			require.Zero(t, r.ends())
		}
		require.Len(t, e.Processes(t), 2)
	})
}

// Daemons that a process has left in a container are listed, and end with the container.
func TestProcessesOfAContainer(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		says(t, e, append([]string{"docker", "exec", "web"}, helper(t, "spawn", "daemon", "closeout", "hang", "end", "spawn", "group", "closeout", "hang", "end")...)...)
		pids := e.Processes(t)
		require.Len(t, pids, 2)
		rows := strings.Split(says(t, e, "docker", "top", "web"), "\n")
		require.Regexp(t, `^UID +PID +PPID +C +STIME +TTY +TIME +CMD$`, rows[0])
		var listed []int
		for _, row := range rows[1:] {
			pid, err := strconv.Atoi(strings.Fields(row)[1])
			require.NoError(t, err)
			listed = append(listed, pid)
		}
		require.Equal(t, pids, listed)
		before := says(t, e, "docker", "inspect", "-f", "{{.State.Pid}} {{.State.Running}} {{.Name}}", "web")
		require.Regexp(t, `^\d+ true /web$`, before)
		require.Equal(t, "web", says(t, e, "docker", "restart", "web"))
		require.Empty(t, e.Processes(t))
		require.False(t, slices.ContainsFunc(pids, exectest.Alive))
		require.NotEqual(t, before, says(t, e, "docker", "inspect", "-f", "{{.State.Pid}} {{.State.Running}} {{.Name}}", "web"))
		require.Equal(t, "web", says(t, e, "docker", "rm", "-f", "web"))
		require.Equal(t, 1, call(t, e, "docker", "inspect", "web").code)
	})
}

// Engine.New registers a check of this for every test; it must be able to fail.
func TestNoProcessOutlivesTheEngine(t *testing.T) {
	t.Parallel()
	var pids []int
	t.Run("engine", func(t *testing.T) {
		engines(t, func(t *testing.T, e *enginetest.Engine) {
			says(t, e, append([]string{"docker", "exec", "web"}, helper(t, "spawn", "stray", "ignore", "TERM", "closeout", "hang", "end")...)...)
			pids = append(pids, e.Processes(t)...)
		})
	})
	require.NotEmpty(t, pids)
	require.False(t, slices.ContainsFunc(pids, exectest.Alive))
}

func TestContainersWithoutPrograms(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	exectest.Need(t, "busybox")
	e := enginetest.New(t, enginetest.Options{})
	bare := enginetest.ImageOptions{NoShell: true}
	e.Container(t, "bare", enginetest.ContainerOptions{ImageOptions: bare})
	e.Container(t, "box", enginetest.ContainerOptions{ImageOptions: enginetest.ImageOptions{Busybox: true}})
	root := filepath.Join(t.TempDir(), "root")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "data"), 0o755))
	e.Container(t, "rooted", enginetest.ContainerOptions{ImageOptions: enginetest.ImageOptions{Root: root}})

	for program, reason := range map[string]string{"/bin/sh": "stat /bin/sh: no such file or directory", "sh": "executable file not found in $PATH", "ls": "executable file not found in $PATH"} {
		require.Equal(t, outcome{127, "OCI runtime exec failed: exec failed: unable to start container process: exec: \"" + program + "\": " + reason + ": unknown\r\n", ""},
			call(t, e, "docker", "exec", "bare", program))
	}
	require.Regexp(t, `^pid \d+$`, says(t, e, append([]string{"docker", "exec", "bare"}, helper(t, "pid")...)...))
	require.Equal(t, "busybox", says(t, e, "docker", "exec", "box", "readlink", "/bin/setsid"))
	require.Equal(t, 127, call(t, e, "docker", "exec", "box", "bash").code)
	require.Equal(t, 127, call(t, e, "docker", "exec", "rooted", "/bin/sh").code)
	require.DirExists(t, filepath.Join(root, "proc"))
}
