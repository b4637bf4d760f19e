//go:build long && linux

package localexec

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// withToken lists the live processes with token in an argument.
func withToken(t *testing.T, token string) (pids []int) {
	t.Helper()
	all, err := scan()
	require.NoError(t, err)
	for _, p := range all {
		line, err := readSome(p.pid, "cmdline", maxCommand)
		if err == nil && strings.Contains(string(line), token) && !p.zombie && p.pid != os.Getpid() {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// The program is killed at all moments: while its server starts daemons that
// hide in every way, and while all run.
func TestLongKilledProgramLeaksNothing(t *testing.T) {
	const rounds, family = 200, 9
	started, survivors := 0, 0
	for round := range rounds {
		token := fmt.Sprintf("%s/round-%d", t.TempDir(), round)
		require.NoError(t, unix.Mkfifo(token, 0o600))
		var steps []string
		for _, step := range slices.Concat(daemonSteps, familySteps) {
			if step == "hang" {
				steps = append(steps, "cue", token)
			} else {
				steps = append(steps, step)
			}
		}
		d := startDriver(t, driverArg, round%(family+1), steps...)
		started += len(withToken(t, token))
		require.NoError(t, d.cmd.Process.Kill())
		require.Error(t, d.cmd.Wait())
		deadline := time.Now().Add(waitLimit)
		left := withToken(t, token)
		for len(left) > 0 && time.Now().Before(deadline) {
			left = withToken(t, token)
		}
		survivors += len(left)
		gone(t, d.watchdog)
		for _, pid := range left {
			require.NoError(t, unix.Kill(pid, unix.SIGKILL))
		}
	}
	t.Logf("%d rounds of SIGKILL, %d processes ran when it came: %d survivors", rounds, started, survivors)
	require.Zero(t, survivors)
}

// TestLongMemoryOfWatchdogs reports the memory of 200 watchdogs.
func TestLongMemoryOfWatchdogs(t *testing.T) {
	const servers = 200
	e := newExecutor(t, Options{})
	var rss, pss, private int
	for range servers {
		p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs("line")...)})
		require.NoError(t, err)
		defer p.CloseStdin()
	}
	all, err := scan()
	require.NoError(t, err)
	watchdogs := 0
	for _, p := range all {
		if p.ppid != os.Getpid() || p.name() != commName {
			continue
		}
		watchdogs++
		text, err := readSome(p.pid, "smaps_rollup", 4<<10)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			for name, sum := range map[string]*int{"Rss:": &rss, "Pss:": &pss, "Private_Dirty:": &private} {
				var kib int
				if rest, ok := strings.CutPrefix(line, name); ok {
					_, err := fmt.Sscanf(rest, "%d kB", &kib)
					require.NoError(t, err)
					*sum += kib
				}
			}
		}
	}
	require.Equal(t, servers, watchdogs)
	t.Logf("%d watchdogs: each %d KiB resident, %d KiB proportional, %d KiB of its own",
		servers, rss/servers, pss/servers, private/servers)
	require.Less(t, pss/servers, 4<<10)
}
