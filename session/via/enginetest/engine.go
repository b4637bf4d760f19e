//go:build linux

package enginetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
)

// Options are those of an engine. The zero value is an engine that works.
type Options struct {
	// Plain makes containers without namespaces, as for a test that does not run as root.
	Plain bool
	// SocketMode is the mode of the daemon's socket; 0 lets every user use it. Root can
	// always use it: see Denied.
	SocketMode os.FileMode
	// Rotate makes each kubectl exec of a deployment or service use its next pod.
	Rotate bool
	// NameContainers makes kubectl refuse to choose one of several containers of a pod.
	NameContainers bool

	isolated bool
}

// writtenOptions are the options as the engine's programs read them.
type writtenOptions struct {
	Options
	Isolated bool
}

// A Fault is a reason why clients do not reach the daemon.
type Fault string

// The faults.
const (
	Works    Fault = ""
	NoDaemon Fault = "no daemon" // for kubectl: no cluster
	Denied   Fault = "denied"    // no permission on the socket, or in the cluster
)

// An Engine is a container engine: a daemon, and the programs that speak with it.
type Engine struct {
	// Dir has the programs, and may be put in front of PATH.
	Dir string
	// Isolated reports whether containers have namespaces of their own.
	Isolated bool

	api api
}

// New starts an engine that ends with the test, with all processes in its containers.
func New(t testing.TB, o Options) *Engine {
	t.Helper()
	o.isolated = !o.Plain && os.Geteuid() == 0
	if o.isolated {
		needNamespaces(t)
	}
	if o.SocketMode == 0 {
		o.SocketMode = 0o666
	}
	// t.TempDir is for one user only, and too long for a socket.
	dir, err := os.MkdirTemp("", "engine") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	e := &Engine{Dir: dir, Isolated: o.isolated, api: api{filepath.Join(dir, socketName)}}
	e.fill(t, o)
	e.startDaemon(t)
	return e
}

var namespaces = sync.OnceValue(func() error {
	out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
})

func needNamespaces(t testing.TB) {
	t.Helper()
	exectest.Need(t, "unshare")
	if err := namespaces(); err != nil {
		exectest.Lack(t, "namespaces are not allowed here: "+err.Error())
	}
}

// fill writes the files of the engine's folder.
func (e *Engine) fill(t testing.TB, o Options) {
	t.Helper()
	text, err := json.Marshal(writtenOptions{o, o.isolated})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(e.Dir, optionName), text, 0o644))
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(e.Dir, daemonName)
	if os.Link(self, program) != nil {
		copyProgram(t, self, program) // another file system
	}
	for _, name := range clients {
		require.NoError(t, os.Link(program, e.Program(name)))
	}
	calls := filepath.Join(e.Dir, callsName)
	require.NoError(t, os.WriteFile(calls, nil, 0o666))
	require.NoError(t, os.Chmod(calls, 0o666)) // despite the umask
	require.NoError(t, os.Mkdir(filepath.Join(e.Dir, "empty"), 0o755))
	e.fillBusybox(t)
}

func copyProgram(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}

// fillBusybox makes a folder with nothing but busybox, under all its names.
func (e *Engine) fillBusybox(t testing.TB) {
	t.Helper()
	box, err := exec.LookPath("busybox")
	if err != nil {
		return // a container that needs it fails
	}
	dir := filepath.Join(e.Dir, "busybox")
	require.NoError(t, os.Mkdir(dir, 0o755))
	copyProgram(t, box, filepath.Join(dir, "busybox"))
	applets, err := exec.Command(box, "--list").Output()
	require.NoError(t, err)
	for applet := range strings.FieldsSeq(string(applets)) {
		if applet != "busybox" {
			require.NoError(t, os.Symlink("busybox", filepath.Join(dir, applet)))
		}
	}
}

func (e *Engine) startDaemon(t testing.TB) {
	t.Helper()
	cmd := exec.Command(filepath.Join(e.Dir, daemonName), daemonRole)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	// The daemon ends with its input, even if the test's process is killed.
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		left := e.Processes(t)
		defer exectest.KillAfterLimit(cmd.Process)()
		_ = stdin.Close()
		require.NoError(t, cmd.Wait())
		left = slices.DeleteFunc(left, func(pid int) bool { return !exectest.Alive(pid) })
		require.Empty(t, left, "the engine left processes running:\n%s", exectest.Describe(left))
	})
	defer exectest.KillAfterLimit(cmd.Process)()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
}

// Program returns the path of docker, docker-compose, podman, nerdctl or kubectl.
func (e *Engine) Program(name string) string { return filepath.Join(e.Dir, name) }

// Socket returns the path of the daemon's socket.
func (e *Engine) Socket() string { return e.api.socket }

// Break makes clients fail, or work again.
func (e *Engine) Break(t testing.TB, fault Fault) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(e.Dir, faultName), []byte(fault), 0o644))
}

// LoseStreams cuts the streams of all clients, whose processes live on. kubectl ends with
// 0 (kubernetes#73056), and so does docker exec.
func (e *Engine) LoseStreams(t testing.TB) {
	t.Helper()
	require.NoError(t, e.admin("lose", nil, nil))
}

func (e *Engine) admin(path string, in, out any) error {
	return e.api.call(http.MethodPost, adminPath+path, in, out)
}

// Processes returns the pids, on this machine, of all processes in containers. The first
// process of a container counts only if docker run has started it.
func (e *Engine) Processes(t testing.TB) []int {
	t.Helper()
	var pids []int
	require.NoError(t, e.api.call(http.MethodGet, adminPath+"processes", nil, &pids))
	return pids
}

// HostPID returns the pid on this machine of a process in a container, or 0 if none there
// has that pid.
func (e *Engine) HostPID(t testing.TB, container string, inside int) int {
	t.Helper()
	if !e.Isolated {
		return inside
	}
	var c containerJSON
	require.NoError(t, e.api.call(http.MethodGet, "/containers/"+container+"/json", nil, &c))
	space, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", c.State.Pid))
	require.NoError(t, err)
	for pid, status := range exectest.ProcFiles("status") {
		_, pids, _ := strings.Cut(string(status), "\nNSpid:")
		pids, _, _ = strings.Cut(pids, "\n")
		f := strings.Fields(pids)
		if len(f) < 2 || f[len(f)-1] != strconv.Itoa(inside) {
			continue
		}
		if own, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid)); err == nil && own == space {
			return pid
		}
	}
	return 0
}

// Calls returns the arguments of each client that was started, its name first.
func (e *Engine) Calls(t testing.TB) [][]string {
	t.Helper()
	file, err := os.Open(filepath.Join(e.Dir, callsName))
	require.NoError(t, err)
	defer file.Close()
	var calls [][]string
	for lines := json.NewDecoder(file); ; {
		var argv []string
		if err := lines.Decode(&argv); errors.Is(err, io.EOF) {
			return calls
		}
		require.NoError(t, err)
		calls = append(calls, argv)
	}
}
