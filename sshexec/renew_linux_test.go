package sshexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
					left, _ := untilNone(0, func() []int { return running(script) })
					require.Empty(t, left, describe(left))
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

// TestScansInARow checks when slay and confirm stop, and what they say, by what the
// scans find (F), chase finds (H) and what gets away (A).
func TestScansInARow(t *testing.T) {
	t.Parallel()
	functions, _, _ := strings.Cut(guardScript("mark", longLease, nil), "command -v sleep")
	functions += `
SCANS= REST=$PLAN
look() { FOUND=' ' SCANS=$SCANS+; case $REST in F*) FOUND=' 99999999 ' REST=${REST#F} ;; esac; }
chase() {
	HIT=' ' AWAY=
	case $REST in H*) HIT=' 99999999 ' ;; A*) AWAY=1 ;; esac
	REST=${REST#?}
}
tell() { :; }
pause() { :; }
strike() { :; }
RUN_IT
echo "$SCANS"
`
	underPosixShells(t, func(t *testing.T, shell []string) {
		for _, c := range []struct{ run, plan, want string }{
			{"slay tell", "", "+++"},
			{"slay tell", "AAA", "U 1 +++"},
			{"slay tell", "AA-", "+++"},
			{"slay tell", "F---", "++++"},
			{"slay tell", "AAFAAA", "U 1 ++++++"},
			{"slay tell", "-H---", "+++++"},
			{"slay tell", strings.Repeat("H", 60), "U 1 " + strings.Repeat("+", 40)},
			{"slay tell; REST=---; slay tell", "AAA", "U 1 U 0 ++++++"},
			{"slay", "AAA", "+++"},
			{"look; confirm", "", "+++"},
			{"look; confirm", "-F", "++"},
			{"look; confirm", "AAA", "U 1 +++"},
			{"look; confirm", "A-A", "+++"},
			{"look; confirm", "-H", "U 1 ++"},
		} {
			text := "PLAN=" + c.plan + "\n" + strings.Replace(functions, "RUN_IT", c.run, 1)
			out, err := exec.Command(shell[0], append(shell[1:], "-c", text)...).Output()
			require.NoError(t, err)
			require.Equal(t, c.want, strings.Join(strings.Fields(string(out)), " "), "%s of %q", c.run, c.plan)
		}
	})
}

// TestChaseExaminesNewProcesses checks that chase finds a process with the stamp among
// the newest ones, under each shell, and no other.
func TestChaseExaminesNewProcesses(t *testing.T) {
	t.Parallel()
	functions, _, _ := strings.Cut(guardScript("mark", longLease, nil), "command -v sleep")
	underPosixShells(t, func(t *testing.T, shell []string) {
		for stamp, want := range map[string]string{"Max cpu time": "found", "4711-no-such-limit": "none"} {
			text := functions + `
STAMP=` + "'" + stamp + `'
FOUND=none
for TRY in 1 2 3 4 5; do
	sleep 100 &
	NEW=$!
	chase 0
	case $HIT in *" $NEW "*) FOUND=found ;; esac
	kill -KILL $NEW
	wait $NEW
	[ $FOUND = none ] || break
done
echo $FOUND
`
			out, err := exec.Command(shell[0], append(shell[1:], "-c", text)...).Output()
			require.NoError(t, err)
			require.Equal(t, want, strings.TrimSpace(string(out)), stamp)
		}
	})
}

// running returns the processes that run a script.
func running(script string) []int {
	var pids []int
	for pid, line := range sshtest.ProcFiles("cmdline") {
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
