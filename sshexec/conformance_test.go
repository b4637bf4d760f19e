//go:build unix

package sshexec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// at returns an executor for a server. Its guards wait as long as the test does: a
// machine that is busy for the usual lease is not what ends a server.
func at(t testing.TB, s *sshtest.Server, change ...func(*Options)) *Executor {
	t.Helper()
	dest, err := sshconfig.ParseDestination(s.Alias)
	require.NoError(t, err)
	o := Options{Destination: dest, Config: s.Config, StartTimeout: waitLimit, Lease: waitLimit}
	for _, f := range change {
		f(&o)
	}
	e, err := New(o)
	require.NoError(t, err)
	return e
}

// conform runs the suite, or some groups of it, against one server for all
// tests: each process has its own connection. A suite that differs from another
// one only in the host runs the groups that depend on the host.
func conform(t *testing.T, s *sshtest.Server, adapt func(*exectest.Harness), groups ...exectest.Group) {
	t.Helper()
	program := sshtest.CopyBinary(t) // the server may run as another user
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		e := &tracked{Executor: at(t, s)}
		h := exectest.Harness{
			Executor:     e,
			Program:      program,
			Alive:        exectest.Alive,
			Zombie:       func(int) bool { return false }, // children of another program
			FindsOrphans: runtime.GOOS == "linux",         // by their stamp
			Spares:       true,
			NewWithRetention: func(t *testing.T, retention time.Duration) executor.Executor {
				return at(t, s, func(o *Options) { o.Retention = retention })
			},
			Lose: e.lose,
		}
		if adapt != nil {
			adapt(&h)
		}
		return h
	}, groups...)
}

// A started process is one whose insides a test uses.
type started struct {
	executor.Process
	own *process
}

func startOwn(ctx context.Context, e *Executor, cmd executor.Command) (started, error) {
	var own *process
	p, err := e.table.Start(ctx, cmd, func(b *executor.Base) executor.Backend {
		own = newProcess(e, b)
		return own
	})
	return started{p, own}, err
}

// tracked is an executor that can lose its processes.
type tracked struct {
	*Executor
	all sync.Map // of *process by id
}

func (e *tracked) Start(ctx context.Context, cmd executor.Command) (executor.Process, error) {
	p, err := startOwn(ctx, e.Executor, cmd)
	if err != nil {
		return nil, err
	}
	e.all.Store(p.ID(), p.own)
	return p.Process, nil
}

func (e *tracked) lose(p executor.Process) {
	own, _ := e.all.Load(p.ID())
	lose(own.(*process))
}

// lose breaks the connection of p.
func lose(p *process) {
	p.conn.Abort(&executor.LostError{Code: executor.LostReset, Hop: p.conn.Hop(), Err: errors.New("cut by the test")})
}

// With CI=true there is a real server for the whole suite. Its order of the
// last messages, of output, end and status, is its own.
func TestConformanceInProcess(t *testing.T) {
	t.Parallel()
	var groups []exectest.Group
	if os.Getenv("CI") == "true" {
		groups = append(groups, exectest.Sequence)
	}
	conform(t, sshtest.Fake(t, sshtest.FakeOptions{}), nil, groups...)
}

// The connection is a ProxyCommand. As root it may start processes of other
// users.
func TestConformanceInetd(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Inetd(t, sshtest.Options{}), nil, exectest.Sequence, exectest.Daemons)
}

func TestConformanceOpenSSH(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.OrdinaryOpenSSH(t, sshtest.Options{}), nil)
}

// If the limit is in use already there is no stamp: earlier scans, and the
// environment, must be enough to find a daemon.
func TestConformanceWithoutStamp(t *testing.T) {
	t.Parallel()
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	s := sshtest.OpenSSH(t, sshtest.Options{User: account.Name})
	require.NoError(t, os.WriteFile(filepath.Join(account.Home, ".bashrc"), []byte("ulimit -S -x 1000\n"), 0o644))
	conform(t, s, func(h *exectest.Harness) { h.FindsOrphans = false }, exectest.Endings, exectest.Daemons)
}

func TestConformanceDropbear(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Dropbear(t, sshtest.Options{}), streamsEnd)
}

// The same server on a host where all programs are those of busybox.
func TestConformanceBusybox(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Busybox(t, sshtest.Options{}), streamsEnd, exectest.Starts, exectest.Endings, exectest.Daemons)
}

// Without a stamp the environment must be searched, which busybox's grep cannot
// do.
func TestConformanceBusyboxWithoutStamp(t *testing.T) {
	t.Parallel()
	conform(t, sshtest.Busybox(t, sshtest.Options{Setup: "ulimit -S -w 1000"}), func(h *exectest.Harness) {
		h.StreamsEnd, h.FindsOrphans = true, false
	}, exectest.Endings, exectest.Daemons)
}

// streamsEnd is set for dropbear.
func streamsEnd(h *exectest.Harness) { h.StreamsEnd = true }
