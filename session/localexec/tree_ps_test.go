//go:build unix && !linux

package localexec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParsePS(t *testing.T) {
	p, ok := parsePS("  12     1    12   2048 Ss   Sun Nov  2 10:18:13 2026     /sbin/launchd -x\n")
	require.True(t, ok)
	require.Equal(t, time.Date(2026, 11, 2, 10, 18, 13, 0, time.Local), p.started())
	require.Equal(t, "launchd", p.name())
	require.Equal(t, proc{
		procID: procID{pid: 12, start: p.start}, ppid: 1, group: 12, rss: 2 << 20, command: "/sbin/launchd -x",
	}, p)
	p, ok = parsePS("13 12 12 0 Z Sun Nov 22 10:18:13 2026 (sh)")
	require.True(t, ok)
	require.True(t, p.zombie)
	for _, line := range []string{"PID PPID PGID RSS STAT STARTED COMMAND", "12 1 12 2048 Ss - - - - - /sbin/launchd"} {
		_, ok = parsePS(line)
		require.False(t, ok)
	}
}

func FuzzParsePS(f *testing.F) {
	f.Add("12 1 12 2048 Ss Sun Nov 22 10:18:13 2026 /sbin/launchd")
	f.Fuzz(func(t *testing.T, line string) {
		if p, ok := parsePS(line); !ok {
			require.Equal(t, proc{}, p)
		}
	})
}
