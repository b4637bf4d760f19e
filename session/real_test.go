//go:build unix

package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

// newReal is a session over a real process of this machine. It closes the executor.
func newReal(t *testing.T, ex executor.Executor, argv []string, change func(*session.Config)) *harness {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "test"}})
	require.NoError(t, err)
	cfg := session.Config{Executor: ex, Log: log, ClientName: "test", ClientVersion: "0", Command: executor.Command{Argv: argv}}
	if change != nil {
		change(&cfg)
	}
	h := &harness{t: t, log: log, exec: &fakeExecutor{}, Session: session.New(cfg)}
	t.Cleanup(func() {
		_, err := h.Close(context.Background())
		require.NoError(t, err)
		require.NoError(t, ex.Close())
		require.NoError(t, log.Close())
	})
	return h
}

// An executor forgets a process after a while; what the session shows of it
// stays.
func TestStatusOfAForgottenProcess(t *testing.T) {
	ex := localexec.New(localexec.Options{Retention: time.Millisecond})
	h := newReal(t, ex, []string{"sh", "-c", "read line; exit 3"}, nil)
	require.NoError(t, h.Start(t.Context()))
	began := h.Status().Process
	require.NoError(t, h.CloseStdin())
	<-h.Done()
	require.Eventually(t, func() bool {
		return ex.Process(began.ID).Info().State == executor.StateUnknown
	}, time.Minute, time.Millisecond)
	info := h.Status().Process
	require.Equal(t, executor.StateClosed, info.State)
	require.Equal(t, began.PID, info.PID)
	require.Equal(t, 3, info.Exit.Code)
	require.NotEmpty(t, info.Env.Passed)
}

// A process that a server leaves behind can be ended alone.
func TestLeftOverIsKilledAlone(t *testing.T) {
	h := newReal(t, localexec.New(localexec.Options{}), []string{"sh", "-c", "sleep 1000 & exit 0"}, nil)
	require.NoError(t, h.Start(t.Context()))
	<-h.ExitedChan()
	require.Equal(t, session.Exited, h.Status().State, "the streams are held")
	tree, err := h.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 1)
	require.ErrorIs(t, h.KillDescendant(t.Context(), h.Status().Process.PID), executor.ErrNotInTree, "the leader is gone")
	require.NoError(t, h.KillDescendant(t.Context(), tree[0].PID))
	<-h.Done()
	require.Equal(t, session.Closed, h.Status().State)
	require.Len(t, h.entries(session.KindProc), 1)
}
