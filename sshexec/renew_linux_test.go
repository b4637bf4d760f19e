package sshexec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// renewing is a daemon without an environment that starts itself again in a session of
// its own, until the file $1 exists. Each of its lives writes a byte to $1.lives, and
// takes $2 seconds, or without a sleep a few milliseconds.
const renewing = `[ -e "$1" ] && exit
printf x >>"$1.lives"
[ "$2" = 0 ] || sleep $2
( env -i setsid sh "$0" "$1" $2 >/dev/null 2>&1 </dev/null & )
`

// TestRenewingDaemonsAreNotMissedInSilence checks that a daemon that keeps starting
// itself again is ended, or that the result says that it cannot tell.
func TestRenewingDaemonsAreNotMissedInSilence(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	leavesNoProcess(t, s)
	for _, life := range []string{"0", "0.005", "0.02", "0.1", "0.5"} {
		for _, leader := range []string{"echo started; exec cat", "echo started"} {
			t.Run(life+" "+leader, func(t *testing.T) {
				dir := t.TempDir()
				script, stop := filepath.Join(dir, "renew.sh"), filepath.Join(dir, "stop")
				require.NoError(t, os.WriteFile(script, []byte(renewing), 0o600))
				t.Cleanup(func() { // before the folder is removed
					_ = os.WriteFile(stop, nil, 0o600)
					left, _ := exectest.UntilNone(0, func() []int { return running(script) })
					require.Empty(t, left, exectest.Describe(left))
				})
				e := at(t, s)
				t.Cleanup(func() { require.NoError(t, e.Close()) })
				p, err := e.Start(t.Context(), executor.Command{Argv: []string{"sh", "-c", `sh "$0" "$1" $2; ` + leader, script, stop, life}})
				require.NoError(t, err)
				_, err = p.Read(t.Context(), 0, 0, bound)
				require.NoError(t, err)
				require.Eventually(t, func() bool { return lives(stop) >= 3 }, bound, time.Millisecond)
				report, err := p.Terminate(t.Context())
				require.NoError(t, err)
				told := strings.Contains(strings.Join(report.CannotTell, "\n"), "keeps starting itself again") || len(report.Survivors) > 0
				for before, end := lives(stop), time.Now().Add(2*time.Second); !told && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					require.LessOrEqual(t, lives(stop), before+1, "it lives, and nothing says so") // one may be about to write
				}
			})
		}
	}
}

// running returns the processes that run a script.
func running(script string) []int {
	var pids []int
	for pid, line := range exectest.ProcFiles("cmdline") {
		if strings.Contains(string(line), script) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lives returns how many lives a daemon has had.
func lives(stop string) int64 {
	info, err := os.Stat(stop + ".lives")
	if err != nil {
		return 0
	}
	return info.Size()
}
