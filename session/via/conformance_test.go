//go:build linux

package via

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/session/via/enginetest"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

const watchdogArg = "watchdog-of-via"

// waitLimit is how long a test waits for anything.
const waitLimit = 5 * time.Minute

func TestMain(m *testing.M) {
	if exectest.HelperMain() || enginetest.Main() {
		return
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case watchdogArg:
			os.Exit(localexec.Watchdog(os.Stdin))
		case driverArg:
			drive(os.Args[2:])
			return
		}
	}
	if err := os.Setenv(exectest.SecretName, exectest.SecretValue); err != nil { // for the suites
		panic(err)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func through(t testing.TB, below executor.Foundation, words ...string) *Executor {
	t.Helper()
	e, err := New(Options{Words: words, StartTimeout: waitLimit, Lease: waitLimit, Below: below})
	require.NoError(t, err)
	return e
}

// conform runs the suite on this machine.
func conform(t *testing.T, adapt func(*exectest.Harness), words ...string) {
	t.Helper()
	suite(t, adapt, func(t *testing.T, retention time.Duration) executor.Executor {
		return through(t, localexec.New(localexec.Options{Watchdog: []string{os.Args[0], watchdogArg}, Retention: retention}), words...)
	})
}

func suite(t *testing.T, adapt func(*exectest.Harness), newExecutor func(*testing.T, time.Duration) executor.Executor) {
	t.Helper()
	t.Parallel()
	program := sshtest.CopyBinary(t) // it may run as another user
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		h := exectest.Harness{
			Executor: newExecutor(t, 0), Program: program,
			Alive: exectest.Alive, Zombie: func(int) bool { return false },
			Spares: true, FindsOrphans: true,
			NewWithRetention: newExecutor,
		}
		if adapt != nil {
			adapt(&h)
		}
		return h
	})
}

// inherits is set for a wrapper through which variables pass.
func inherits(h *exectest.Harness) { h.Local = true }

func shellStatus(h *exectest.Harness) { h.ShellStatus = true }

// A wrapper that becomes the server.
func TestConformanceChroot(t *testing.T) {
	exectest.NeedRoot(t)
	conform(t, inherits, exectest.Need(t, "chroot"), "/")
}

func TestConformanceNsenter(t *testing.T) {
	exectest.NeedRoot(t)
	conform(t, inherits, exectest.Need(t, "nsenter"), "-t", strconv.Itoa(os.Getpid()), "-m")
}

// A wrapper of which nothing is known.
func TestConformanceUnknown(t *testing.T) {
	conform(t, shellStatus, "/bin/sh", "-c", `exec "$@"`, "enter")
}

func TestConformanceSudo(t *testing.T) {
	exectest.NeedRoot(t)
	conform(t, shellStatus, exectest.Need(t, "sudo"), "-nu", "nobody")
}

// wrapped is set for a wrapper that waits for the server in another namespace.
func wrapped(h *exectest.Harness) {
	h.Local, h.Wrapped, h.StreamsEnd, h.Spares, h.PID = true, true, true, false, hostPID
}

func TestConformanceBwrap(t *testing.T) {
	exectest.NeedRoot(t)
	conform(t, wrapped, exectest.Need(t, "bwrap"), "--dev-bind", "/", "/", "--unshare-pid")
}

func TestConformanceUnshare(t *testing.T) {
	exectest.NeedRoot(t)
	conform(t, wrapped, exectest.Need(t, "unshare"), "-p", "-f", "--mount-proc")
}

// A list of processes has the command of a wrapper as it was given, without our script.
func TestWrapperIsListedWithItsServer(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	p, err := start(t, []string{exectest.Need(t, "unshare"), "-p", "-f", "--mount-proc"}, nil, "pid", "hang")
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, waitLimit)
	require.NoError(t, err)
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 2)
	server := strings.Join(append([]string{os.Args[0]}, exectest.HelperArgs("pid", "hang")...), " ")
	for _, d := range tree {
		require.True(t, d.Command == server || strings.HasSuffix(d.Command, "unshare -p -f --mount-proc "+server), d.Command)
	}
	r, err := p.Stop(t.Context(), executor.StepKill, executor.ScopeGroup)
	require.NoError(t, err)
	require.NotEmpty(t, r.Signalled)
	for _, d := range r.Signalled {
		require.True(t, strings.HasSuffix(d.Command, server), d.Command)
	}
}

// hostPID returns the pid of a process that has another one in the namespace of p.
func hostPID(p executor.Process, printed int) int {
	tree, _ := p.Tree(context.Background())
	for _, d := range tree {
		space, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", d.PID))
		if own, _ := os.Readlink("/proc/self/ns/pid"); err != nil || space == own {
			continue
		}
		for pid, status := range exectest.ProcFiles("status") {
			_, pids, _ := strings.Cut(string(status), "\nNSpid:")
			pids, _, _ = strings.Cut(pids, "\n")
			f := strings.Fields(pids)
			if len(f) == 0 || f[len(f)-1] != strconv.Itoa(printed) {
				continue
			}
			if other, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid)); err == nil && other == space {
				return pid
			}
		}
	}
	return 1 << 30 // it has ended
}

// The same over SSH.
func TestConformanceOverSSH(t *testing.T) {
	exectest.NeedRoot(t)
	s := sshtest.OpenSSH(t, sshtest.Options{})
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	for name, c := range map[string]struct {
		adapt func(*exectest.Harness)
		words []string
	}{
		"docker":  {contained(t, e), []string{e.Program("docker"), "exec", "-i", "web"}},
		"chroot":  {nil, []string{"chroot", "/"}},
		"nsenter": {nil, []string{exectest.Need(t, "nsenter"), "-t", strconv.Itoa(os.Getpid()), "-m"}},
		"unshare": {func(h *exectest.Harness) { wrapped(h); h.Local = false }, []string{"unshare", "-p", "-f", "--mount-proc"}},
		"bwrap":   {func(h *exectest.Harness) { wrapped(h); h.Local = false }, []string{exectest.Need(t, "bwrap"), "--dev-bind", "/", "/", "--unshare-pid"}},
		"sudo":    {shellStatus, []string{"sudo", "-nu", "nobody"}},
	} {
		t.Run(name, func(t *testing.T) {
			suite(t, c.adapt, func(t *testing.T, retention time.Duration) executor.Executor {
				return through(t, onHost(t, s, retention), c.words...)
			})
		})
	}
}

func onHost(t testing.TB, s *sshtest.Server, retention time.Duration) executor.Foundation {
	t.Helper()
	dest, err := sshconfig.ParseDestination(s.Alias)
	require.NoError(t, err)
	below, err := sshexec.New(sshexec.Options{Destination: dest, Config: s.Config, StartTimeout: waitLimit, Lease: waitLimit, Retention: retention})
	require.NoError(t, err)
	return below
}
