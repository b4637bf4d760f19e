//go:build unix

package sshexec

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// at is an executor on a server.
func at(t testing.TB, s *sshtest.Server, change ...func(*Options)) *Executor {
	t.Helper()
	dest, err := sshconfig.ParseDestination(s.Alias)
	require.NoError(t, err)
	o := Options{Destination: dest, Config: s.Config}
	for _, f := range change {
		f(&o)
	}
	e, err := New(o)
	require.NoError(t, err)
	return e
}

// conform runs the suite against servers that start makes, one for all tests:
// each process has a connection of its own.
func conform(t *testing.T, s *sshtest.Server, adapt func(*exectest.Harness), change ...func(*Options)) {
	t.Helper()
	program := sshtest.CopyBinary(t) // the server may be another user's
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		e := at(t, s, change...)
		h := exectest.Harness{
			Executor: e,
			Program:  program,
			Alive:    alive,
			Zombie:   func(int) bool { return false }, // children of another program
			Orphans:  runtime.GOOS == "linux",         // by their stamp
			Spares:   true,
			Forgetful: func(t *testing.T, retention time.Duration) executor.Executor {
				return at(t, s, append(change, func(o *Options) { o.Retention = retention })...)
			},
			Lose: func(p executor.Process) { lose(e, p) },
		}
		if adapt != nil {
			adapt(&h)
		}
		return h
	})
}

// lose breaks the connection of p under it.
func lose(e *Executor, p executor.Process) {
	for _, entry := range e.table.Close() {
		if entry.id == p.ID() {
			entry.conn.Abort(&executor.LostError{Code: executor.LostReset, Hop: entry.conn.Hop(), Err: errors.New("cut by the test")})
		}
	}
}

// alive tells whether a process of that pid runs on this machine, where all
// servers of the tests are.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	state := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0]
	return state != "Z" && state != "X"
}

func TestConformanceInProcess(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Fake(t, sshtest.FakeOptions{}), nil)
}

func TestConformanceInetd(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Inetd(t, sshtest.Options{}), nil)
}

func TestConformanceOpenSSH(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.OrdinaryOpenSSH(t, sshtest.Options{}), nil)
}

// Where the limit is in use already there is no stamp: what a daemon was seen to
// be, and its environment, have to do.
func TestConformanceWithoutStamp(t *testing.T) {
	t.Parallel()
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	s := sshtest.OpenSSH(t, sshtest.Options{User: account.Name})
	require.NoError(t, os.WriteFile(filepath.Join(account.Home, ".bashrc"), []byte("ulimit -S -x 1000\n"), 0o644))
	conform(t, s, func(h *exectest.Harness) { h.Orphans = false })
}

func TestConformanceDropbear(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Dropbear(t, sshtest.Options{}), streamsEnd)
}

func TestConformanceBusybox(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Busybox(t, sshtest.Options{}), streamsEnd)
}

// Without a stamp the environment has to be searched, which busybox's grep can't.
func TestConformanceBusyboxWithoutStamp(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Busybox(t, sshtest.Options{Before: "ulimit -S -w 1000"}), func(h *exectest.Harness) {
		h.StreamsEnd, h.Orphans = true, false
	})
}

// streamsEnd is true of dropbear.
func streamsEnd(h *exectest.Harness) { h.StreamsEnd = true }
