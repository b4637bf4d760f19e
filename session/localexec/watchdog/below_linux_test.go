package watchdog

import (
	"bufio"
	"cmp"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBelow compares the descendants with those in the list of all processes.
func TestBelow(t *testing.T) {
	cmd := exec.Command("sh", "-c", `sleep 60 & sh -c 'sleep 60 & sleep 60 & echo; wait' & wait`)
	in, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		found, _ := Below(cmd.Process.Pid)
		for _, s := range append(found, Stat{PID: cmd.Process.Pid}) {
			process, err := os.FindProcess(s.PID)
			require.NoError(t, err)
			_ = process.Kill() // it may have ended
		}
		_ = cmd.Wait() // it was killed
	})
	_, err = bufio.NewReader(in).ReadString('\n')
	require.NoError(t, err)

	var found []Stat
	isSleep := func(s Stat) bool { return s.Comm == "sleep" }
	for len(slices.DeleteFunc(slices.Clone(found), isSleep)) != len(found)-3 { // a new process has the name of its parent at first
		var ok bool
		if found, ok = Below(os.Getpid()); !ok { // this process has several threads
			t.Skip("this kernel does not list children (CONFIG_PROC_CHILDREN)")
		}
	}
	all, err := Processes()
	require.NoError(t, err)
	below := map[int]bool{os.Getpid(): true}
	var want []Stat
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if below[s.PPID] && !below[s.PID] {
				below[s.PID], grown = true, true
				want = append(want, s)
			}
		}
	}
	byPID := func(a, b Stat) int { return cmp.Compare(a.PID, b.PID) }
	slices.SortFunc(found, byPID)
	slices.SortFunc(want, byPID)
	require.GreaterOrEqual(t, len(want), 5)
	require.Equal(t, identities(want), identities(found))
	_, ok := Below(1 << 30)
	require.False(t, ok)
}

// identities returns what does not change while processes run.
func identities(all []Stat) []Stat {
	var kept []Stat
	for _, s := range all {
		kept = append(kept, Stat{PID: s.PID, PPID: s.PPID, Group: s.Group, Session: s.Session, Comm: s.Comm, Start: s.Start})
	}
	return kept
}
