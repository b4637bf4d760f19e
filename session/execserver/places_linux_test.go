package execserver

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/execserver/dial"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// onHost returns an executor over SSH. It is closed when the test ends.
func onHost(t testing.TB, s *sshtest.Server) executor.Executor {
	t.Helper()
	dest, err := sshconfig.ParseDestination(s.Alias)
	require.NoError(t, err)
	e, err := sshexec.New(sshexec.Options{Destination: dest, Config: s.Config, StartTimeout: waitLimit, Lease: waitLimit})
	require.NoError(t, err)
	closed(t, e)
	return e
}

// here returns an executor of this machine. It is closed when the test ends.
func here(t testing.TB) executor.Executor {
	t.Helper()
	e := localexec.New(localexec.Options{Watchdog: append(console.Self(), console.WatchdogCommand)})
	closed(t, e)
	return e
}

func closed(t testing.TB, e executor.Executor) {
	t.Cleanup(func() {
		err := e.Close()
		var lost *executor.LostError // a process that the test has cut off
		require.True(t, err == nil || errors.As(err, &lost), "%v", err)
	})
}

// command returns a connection to an exec server that run starts.
func command(t testing.TB, run executor.Executor, text string) func(context.Context) (wire.Conn, error) {
	t.Helper()
	target, err := dial.Parse(text)
	require.NoError(t, err)
	return dial.Dialer{Target: target, Run: run}.Dial
}

// TestConformanceOwnStdio: the server is another process, on standard streams.
func TestConformanceOwnStdio(t *testing.T) {
	program := sshtest.CopyBinary(t)
	conformOwn(t, true, func(t *testing.T) Options { return Options{Dial: command(t, here(t), "mcpdbg@"+program)} })
}

// TestConformanceOwnRelay runs the part that depends on how a connection ends; the long tests
// have the whole suite.
func TestConformanceOwnRelay(t *testing.T) { conformRelay(t, exectest.Sequence) }

// conformRelay: the server runs in the background on a host, and each connection is a relay over
// SSH.
func conformRelay(t *testing.T, groups ...exectest.Group) {
	t.Helper()
	program, s := sshtest.CopyBinary(t), sshtest.OpenSSH(t, sshtest.Options{})
	conformOwn(t, false, func(t *testing.T) Options {
		const keep = 10 * time.Minute
		kept := &dial.Kept{Run: onHost(t, s), Program: program, Keep: keep}
		return Options{Dial: kept.Dial, Resumable: true, Keep: keep}
	}, groups...)
}
