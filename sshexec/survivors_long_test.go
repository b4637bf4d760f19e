//go:build linux && long

package sshexec

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
)

// TestLongSurvivors is the whole survivor matrix; with -v it prints it:
//
//	go test -tags long -run TestLongSurvivors -v ./sshexec
func TestLongSurvivors(t *testing.T) {
	for server, newHost := range map[string]func(*testing.T) host{"openssh": openSSHHost, "dropbear": dropbearHost} {
		t.Run(server, func(t *testing.T) {
			var table survivorTable
			t.Cleanup(func() {
				var text strings.Builder
				table.write(&text, server)
				t.Logf("survivors, ms until the processes of the server were gone, ms until our own were:\n%s", text.String())
			})
			h := newHost(t)
			leavesNoProcess(t, h.Server)
			for _, k := range serverKinds {
				for _, e := range endings {
					t.Run(k.name+"/"+e.name, func(t *testing.T) {
						t.Parallel()
						o := survive(t, h, k, e)
						after := time.Duration(0)
						if o.connection != "" {
							var left []int
							left, after = exectest.UntilNone(0, func() []int { return carrying(o.connection) })
							require.Empty(t, left, exectest.Describe(left))
						}
						table.put(k.name, e.name, o, o.after+after)
					})
				}
			}
		})
	}
}

// TestLongDisconnects breaks 240 connections.
func TestLongDisconnects(t *testing.T) {
	t.Run("openssh", func(t *testing.T) { disconnect(t, openSSHHost(t), 60, 60) })
	t.Run("dropbear", func(t *testing.T) { disconnect(t, dropbearHost(t), 60, 60) })
}

// hidingDaemons are daemons that cannot be found by environment, group, session
// or parent.
var hidingDaemons = serverKind{name: "hiding daemons", pids: 5, steps: []string{
	"spawn", "clean", "ignore", "TERM", "pid", "hang", "end",
	"spawn", "daemon", "overwrite", "pid", "hang", "end",
	"spawn", "stray", "ignore", "TERM", "pid", "hang", "end",
	"spawn", "stray", "pid", "closeout", "spawn", "stray", "hang", "end", "hang", "end", "pid", "hang"}}

// TestLongKilledClients kills 50 clients whose servers have daemons that hide;
// it prints the processes that were left:
//
//	go test -tags long -run TestLongKilledClients -v ./sshexec
func TestLongKilledClients(t *testing.T) {
	const rounds = 50
	for server, newHost := range map[string]func(*testing.T) host{"openssh": openSSHHost, "dropbear": dropbearHost} {
		t.Run(server, func(t *testing.T) {
			h := newHost(t)
			survivors, processes := 0, 0
			var last time.Duration
			for range rounds {
				before := startedBy(h.Server)
				o := survive(t, h, hidingDaemons, endingNamed("killed"))
				survivors, processes, last = survivors+len(o.survivors), processes+len(o.pids), max(last, o.after)
				left, _ := exectest.UntilNone(0, func() []int {
					return slices.DeleteFunc(helpers(h.program), func(pid int) bool { return slices.Contains(before, pid) })
				})
				survivors += len(left)
				require.Empty(t, left, exectest.Describe(left))
			}
			t.Logf("%s: %d clients killed, %d daemons and servers known by pid, %d survivors, the last ended after %v",
				server, rounds, processes, survivors, last.Round(time.Millisecond))
		})
	}
}

// helpers returns the processes that run program as the helper, regardless of
// their environment.
func helpers(program string) []int {
	var pids []int
	for pid, cmdline := range exectest.ProcFiles("cmdline") {
		if strings.HasPrefix(string(cmdline), program+"\x00"+exectest.HelperArgs()[0]+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// A survivorTable formats the matrix for the log.
type survivorTable struct {
	mu    sync.Mutex
	cells map[string]string
}

// put sets a cell; ours is when our own processes had ended.
func (m *survivorTable) put(kind, ending string, o outcome, ours time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells == nil {
		m.cells = make(map[string]string)
	}
	m.cells[kind+"/"+ending] = fmt.Sprintf("%d %5d %5d", len(o.survivors), o.after.Milliseconds(), ours.Milliseconds())
}

// write prints survivors, and the milliseconds until the server's processes and
// until our own had ended.
func (m *survivorTable) write(w io.Writer, server string) {
	fmt.Fprintf(w, "%-14s", server)
	for _, e := range endings {
		fmt.Fprintf(w, "%16s", e.name)
	}
	for _, k := range serverKinds {
		fmt.Fprintf(w, "\n%-14s", k.name)
		for _, e := range endings {
			fmt.Fprintf(w, "%16s", m.cells[k.name+"/"+e.name])
		}
	}
	fmt.Fprintln(w)
}
