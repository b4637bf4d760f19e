package localexec

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/localexec/watchdog"
)

// parseStat reads the text of /proc/PID/stat.
func parseStat(text string) (proc, bool) {
	s, ok := watchdog.ParseStat(text)
	if !ok {
		return proc{}, false
	}
	return procOf(s), true
}

func TestParseStat(t *testing.T) {
	const tail = " S 7 8 9 0 -1 4194560 1 2 3 4 10 11 7 8 20 0 1 0 4711 1000 25 18446744073709551615 1"
	page := int64(os.Getpagesize())
	for _, c := range []struct {
		name, stat string
		want       proc
		ok         bool
	}{
		{"plain", "12 (sh)" + tail, proc{
			procID: procID{12, 4711}, ppid: 7, group: 8, session: 9, rss: 25 * page, cpu: 210 * time.Millisecond, command: "[sh]",
		}, true},
		{"a name that looks like fields", "12 (a) Z 1 (b)" + tail, proc{
			procID: procID{12, 4711}, ppid: 7, group: 8, session: 9, rss: 25 * page, cpu: 210 * time.Millisecond, command: "[a) Z 1 (b]",
		}, true},
		{"empty", "", proc{}, false},
		{"cut", "12 (sh) S 7 8 9", proc{}, false},
		{"no numbers", "12 (sh) S a b c d e f g h i j k l m n o p q r s t u v", proc{}, false},
		{"brackets the wrong way", ")12(" + tail, proc{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := parseStat(c.stat)
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, got)
		})
	}
	dead, ok := parseStat("12 (sh) Z" + tail[2:])
	require.True(t, ok)
	require.True(t, dead.zombie)
}

func FuzzParseStat(f *testing.F) {
	f.Add("12 (sh) S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 25 0 1")
	f.Add(") (")
	f.Fuzz(func(t *testing.T, stat string) {
		p, ok := parseStat(stat)
		if !ok {
			require.Equal(t, proc{}, p)
		}
	})
}

func TestScanFindsThisProcess(t *testing.T) {
	all, err := scan()
	require.NoError(t, err)
	for _, p := range all {
		if p.pid == os.Getpid() {
			require.Equal(t, os.Getppid(), p.ppid)
			require.Positive(t, p.rss)
			require.Contains(t, describe(p), os.Args[0])
			require.WithinDuration(t, time.Now(), p.started(), time.Hour, "this test did not begin long ago")
			return
		}
	}
	require.Fail(t, "not found")
}
