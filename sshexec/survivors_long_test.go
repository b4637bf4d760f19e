//go:build linux && long

package sshexec

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
			leavesNobody(t, h.Server)
			for _, k := range serverKinds {
				for _, e := range endings {
					t.Run(k.name+"/"+e.name, func(t *testing.T) {
						t.Parallel()
						o := survive(t, h, k, e)
						after := time.Duration(0)
						if o.connection != "" {
							var left []int
							left, after = untilNobody(0, func() []int { return carrying(o.connection) })
							require.Empty(t, left, describe(left))
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

// What tests of the guard do with one shell, with each.
func TestLongGuardLease(t *testing.T)  { underPosixShells(t, guardEndsAfterItsLease) }
func TestLongGuardClocks(t *testing.T) { underPosixShells(t, guardLeavesNoClock) }

// A survivorTable is the matrix for who reads the log.
type survivorTable struct {
	mu    sync.Mutex
	cells map[string]string
}

// put notes a cell; ours is when our own processes were gone.
func (m *survivorTable) put(kind, ending string, o outcome, ours time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells == nil {
		m.cells = make(map[string]string)
	}
	m.cells[kind+"/"+ending] = fmt.Sprintf("%d %5d %5d", len(o.survivors), o.after.Milliseconds(), ours.Milliseconds())
}

// write prints survivors, and the milliseconds until the server's processes and
// until our own were gone.
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
