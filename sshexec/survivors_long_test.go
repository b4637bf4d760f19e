//go:build linux && long

package sshexec

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

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
			for _, k := range serverKinds {
				for _, e := range endings {
					t.Run(k.name+"/"+e.name, func(t *testing.T) {
						t.Parallel()
						o := survive(t, h, k, e)
						left, after := untilNobody(0, func() []int { return carrying(o.connection) })
						require.Empty(t, left, describe(left))
						o.ours = o.after + after
						table.put(k.name, e.name, o)
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

// TestLongGuardLease is what TestGuardEndsTheRunAfterItsLease is for one shell.
func TestLongGuardLease(t *testing.T) { underPosixShells(t, guardEndsAfterItsLease) }

// A table of the matrix, for who reads the log.
type survivorTable struct {
	mu    sync.Mutex
	cells map[string]outcome
}

func (m *survivorTable) put(kind, ending string, o outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells == nil {
		m.cells = make(map[string]outcome)
	}
	m.cells[kind+"/"+ending] = o
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
			text := "-"
			if o, ok := m.cells[k.name+"/"+e.name]; ok {
				text = fmt.Sprintf("%d %5d %5d", len(o.survivors), o.after.Milliseconds(), o.ours.Milliseconds())
			}
			fmt.Fprintf(w, "%16s", text)
		}
	}
	fmt.Fprintln(w)
}
