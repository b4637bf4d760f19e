package cli

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// However the program is killed, no process is leaked.
func TestKillProgram(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"", "daemon", "ignores-eof-term", "holds-stdout", "never-answers", "flood:1000000x205"} {
		w := clitest.Watch(t, clitest.Program(t, clitest.Against(fault, "run", "--era", "legacy", "--json")...))
		if fault == "never-answers" {
			w.Until("speaking")
		} else {
			w.Until(`"state":"ready"`)
		}
		require.NotEmpty(t, clitest.Left(w.Cmd), "%q: this test cannot find any process", fault)
		require.NoError(t, w.Cmd.Process.Kill())
		require.Error(t, w.Cmd.Wait())
		require.Eventually(t, func() bool { return len(clitest.Left(w.Cmd)) == 0 }, clitest.WaitLimit, 10*time.Millisecond, fault)
	}
}

// The process group is killed too, as when a terminal is closed.
func TestKillProcessGroup(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("daemon", "run", "--json")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w := clitest.Watch(t, cmd)
	w.Until(`"state":"ready"`)
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return len(clitest.Left(cmd)) == 0 }, clitest.WaitLimit, 10*time.Millisecond)
}

// Twenty rounds here, two hundred with -tags long.
func TestRoundsOfStartAndKill(t *testing.T) {
	t.Parallel()
	killRounds(t, 20)
}

// killRounds starts servers with faults, and kills the program a little later
// each time: during the start, the handshake, the session.
func killRounds(t *testing.T, rounds int) {
	faults := []string{"", "daemon", "ignores-eof-term", "holds-stdout", "never-answers", "flood", "stderr-flood", "crash-mid-call", "late-output", "not-reading-stdin"}
	for round := range rounds {
		cmd := clitest.Program(t, clitest.Against(faults[round%len(faults)], "run", "--json")...)
		w := clitest.Watch(t, cmd)
		for range 1 + round%13 { // the header, then entries
			if _, err := w.Out.ReadString('\n'); err != nil {
				break
			}
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed, or over
		require.Eventually(t, func() bool { return len(clitest.Left(cmd)) == 0 }, clitest.WaitLimit, 5*time.Millisecond,
			"round %d: %q", round, faults[round%len(faults)])
	}
}
