package via

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/via/enginetest"
)

const (
	driverArg   = "driver-of-via"
	driverLease = 2 * time.Second
	// driverStart limits the start. A script inside that is left waiting ends scriptSlack
	// after it.
	driverStart = 10 * time.Second
)

// drive is a program that starts a stubborn server through the prefix words, and lives on.
func drive(words []string) {
	e, err := New(Options{Words: words, Below: below(), Lease: driverLease, StartTimeout: driverStart})
	if err == nil {
		_, err = e.Start(context.Background(), executor.Command{
			Argv: append([]string{os.Args[0]}, exectest.HelperArgs("ignore", "TERM", "spawn", "daemon", "ignore", "TERM", "hang", "end", "hang")...),
		})
	}
	fmt.Println("started", err)
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

// Programs that are killed at any moment of a start and of a session leave no server, also
// where the end of a client ends nothing.
func TestKilledProgramsLeaveNoServer(t *testing.T) {
	t.Parallel()
	killedProgramsLeaveNoServer(t, 12)
}

func killedProgramsLeaveNoServer(t *testing.T, rounds int) {
	engine, all := furnished(t)
	var prefixes [][]string
	for name, words := range all {
		if !strings.HasSuffix(name, "run") { // its container has no guard
			prefixes = append(prefixes, words)
		}
	}
	if os.Geteuid() == 0 {
		prefixes = append(prefixes, []string{exectest.Need(t, "unshare"), "-p", "-f", "--mount-proc"})
	}
	nonce := "KILLED_BY_TEST=" + executor.NewMark()
	for n := range rounds {
		cmd := exec.Command(os.Args[0], append([]string{driverArg}, prefixes[n%len(prefixes)]...)...)
		cmd.Env = append(os.Environ(), nonce)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		// Any moment will do: there is no event to wait for.
		time.Sleep(rand.N(400 * time.Millisecond))
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
		_ = in.Close()
	}
	left, after := exectest.UntilNone(driverLease, func() []int {
		pids := engine.Processes(t) // also the scripts
		for pid, environ := range exectest.ProcFiles("environ") {
			if strings.Contains(string(environ), nonce) && strings.Contains(exectest.Cmdline(pid), exectest.HelperArgs()[0]) {
				pids = append(pids, pid)
			}
		}
		return pids
	})
	require.Empty(t, left, exectest.Describe(left))
	t.Logf("%d programs killed; the last process ended after %v", rounds, after.Round(time.Millisecond))
}

// A script that waits for GO ends by itself if the program is killed before the guard has the
// run, and the end of the input does not come.
func TestKilledBeforeGo(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t, enginetest.Options{})
	engine.Container(t, "web", enginetest.ContainerOptions{})
	const holder = "77001" // keeps the input open
	// The guard's execution does not get its script.
	words := []string{engine.Program("docker"), "exec", "-i", "web", "/bin/sh", "-c", fmt.Sprintf(`IFS= read -r first
case $first in trap*) ;; *) exec sleep %[1]s ;; esac
{ printf '%%s\n' "$first"; cat; exec sleep %[1]s; } | "$@"`, holder), "enter"}
	cmd := exec.Command(os.Args[0], append([]string{driverArg}, words...)...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer in.Close()
	ours := func() []int {
		return slices.DeleteFunc(engine.Processes(t), func(pid int) bool {
			line := exectest.Cmdline(pid)
			return strings.Contains(line, holder) || line == "cat\x00" // which becomes the holder when its input ends
		})
	}
	marked := func() []int {
		return slices.DeleteFunc(ours(), func(pid int) bool {
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // it may have ended
			return !strings.Contains(string(environ), "_mw=")
		})
	}
	require.Eventually(t, func() bool { return len(marked()) > 0 }, waitLimit, time.Millisecond, "the run waits for GO")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	require.NotEmpty(t, ours(), "it waits on")
	left, after := exectest.UntilNone(0, ours)
	require.Empty(t, left, exectest.Describe(left))
	t.Logf("the last process inside ended after %v", after.Round(time.Millisecond))
}
