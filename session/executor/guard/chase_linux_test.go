package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
)

// TestScansInARow checks when slay and confirm stop, and what they say, by what the
// scans find (F), whether one that finds none is exact (E), and what chase finds (H) and
// what gets away (A).
func TestScansInARow(t *testing.T) {
	t.Parallel()
	functions, _, _ := strings.Cut(Script("mark", Orders{Lease: longLease}), "command -v sleep")
	functions += `
SCANS= REST=$PLAN
look() {
	FOUND=' ' EXACT= SCANS=$SCANS+
	case $REST in F*) FOUND=' 99999999 ' ;; E*) EXACT=1 ;; *) return ;; esac
	REST=${REST#?}
}
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
			{"slay tell", strings.Repeat("F", 60), strings.Repeat("+", 16)}, // it cannot be killed
			{"slay tell", "E", "+"},
			{"slay tell", "FE", "++"},
			{"slay tell", "AAE", "+++"},
			{"slay tell; REST=E; slay tell", "AAA", "U 1 U 0 ++++"},
			{"slay", "AAA", "+++"},
			{"look; confirm", "", "+++"},
			{"look; confirm", "-F", "++"},
			{"look; confirm", "AAA", "U 1 +++"},
			{"look; confirm", "A-A", "+++"},
			{"look; confirm", "-H", "U 1 ++"},
			{"look; confirm", "E", "+"},
			{"look; confirm", "AE", "++"},
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
	functions, _, _ := strings.Cut(Script("mark", Orders{Lease: longLease}), "command -v sleep")
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

// TestExactScans checks, where no other process is, that a scan is exact unless another
// process has begun during it.
func TestExactScans(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	unshare := exectest.Need(t, "unshare")
	functions, _, _ := strings.Cut(Script("mark", Orders{Lease: longLease}), "command -v sleep")
	busy := t.TempDir()
	grep := exectest.Need(t, "grep")
	require.NoError(t, os.WriteFile(filepath.Join(busy, "grep"), []byte("#!/bin/sh\n(:) &\nexec "+grep+" \"$@\"\n"), 0o755))
	underPosixShells(t, func(t *testing.T, shell []string) {
		for path, want := range map[string]string{"": "exact", busy + ":": "not exact"} {
			text := functions + "PATH='" + path + `'$PATH
STAMP='Max cpu time'
for TRY in 1 2 3 4 5; do
	marked
	[ -n "$EXACT" ] && echo exact || echo not exact
done
`
			out, err := exec.Command(unshare, append([]string{"-p", "-f", "--mount-proc"}, append(shell, "-c", text)...)...).Output()
			require.NoError(t, err)
			require.Equal(t, strings.Repeat(want+"\n", 5), string(out))
		}
	})
}
