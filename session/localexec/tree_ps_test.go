//go:build unix && !linux

package localexec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePS(t *testing.T) {
	p, ok := parsePS("  12     1    12   2048 Ss   /sbin/launchd -x\n")
	require.True(t, ok)
	require.Equal(t, proc{
		procID: procID{pid: 12}, ppid: 1, group: 12, rss: 2 << 20, command: "/sbin/launchd -x",
	}, p)
	p, ok = parsePS("13 12 12 0 Z (sh)")
	require.True(t, ok)
	require.True(t, p.zombie)
	_, ok = parsePS("PID PPID PGID RSS STAT COMMAND")
	require.False(t, ok)
}

func FuzzParsePS(f *testing.F) {
	f.Add("12 1 12 2048 Ss /sbin/launchd")
	f.Fuzz(func(t *testing.T, line string) {
		if p, ok := parsePS(line); !ok {
			require.Equal(t, proc{}, p)
		}
	})
}
