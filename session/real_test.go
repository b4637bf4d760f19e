//go:build unix

package session_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/session/mcp"
)

// newReal returns a session with a real process of this machine. It closes the
// executor.
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

// An executor forgets a process after a while; the session's status of it
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
	}, waitLimit, time.Millisecond)
	info := h.Status().Process
	require.Equal(t, executor.StateClosed, info.State)
	require.Equal(t, began.PID, info.PID)
	require.Equal(t, 3, info.Exit.Code)
	require.NotEmpty(t, info.Env.Passed)
}

// A single leaked process can be killed.
func TestKillSingleLeakedProcess(t *testing.T) {
	h := newReal(t, localexec.New(localexec.Options{}), []string{"sh", "-c", "sleep 1000 & exit 0"}, nil)
	require.NoError(t, h.Start(t.Context()))
	<-h.ExitedChan()
	require.Eventually(t, func() bool { return h.Status().State == session.Exited }, waitLimit, time.Millisecond, "a descendant holds the streams")
	tree, err := h.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 1)
	require.ErrorIs(t, h.KillDescendant(t.Context(), h.Status().Process.PID), executor.ErrNotInTree, "the leader has exited")
	require.NoError(t, h.KillDescendant(t.Context(), tree[0].PID))
	<-h.Done()
	require.Equal(t, session.Closed, h.Status().State)
	require.Len(t, h.entries(session.KindProc), 1)
}

// The reference server sends all three requests, that for the roots as soon as
// it can.
func TestEverythingIsAnswered(t *testing.T) {
	npx, err := exec.LookPath("npx")
	if err != nil {
		if os.Getenv("CI") == "true" {
			require.NoError(t, err)
		}
		t.Skip("npx is not on PATH")
	}
	h := newReal(t, localexec.New(localexec.Options{}), []string{npx, "-y", "@modelcontextprotocol/server-everything@2026.8.31", "stdio"}, func(c *session.Config) {
		c.StartupTimeout = waitLimit
		c.Era = mcp.Legacy
		person(c)
	})
	if err := h.Open(t.Context()); err != nil && os.Getenv("CI") != "true" {
		t.Skip("npx could not fetch the server: ", err)
	} else {
		require.NoError(t, err)
	}
	require.NoError(t, h.Answer(h.next(mcp.MethodRoots).ID, json.RawMessage(`{"roots":[{"uri":"file:///srv/data","name":"data"}]}`)))

	require.Contains(t, h.answering("trigger-elicitation-request", `{}`, mcp.MethodElicit,
		`{"action":"accept","content":{"name":"Ada","check":true,"email":"ada@example.com"}}`), "Ada")
	require.Contains(t, h.answering("trigger-elicitation-request", `{}`, mcp.MethodElicit, `{"action":"decline"}`), "declined")
	require.Contains(t, h.answering("trigger-sampling-request", `{"prompt":"hello","maxTokens":5}`, mcp.MethodSample,
		`{"role":"assistant","content":{"type":"text","text":"from a person"},"model":"m","stopReason":"endTurn"}`), "from a person")

	resp, err := h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"get-roots-list","arguments":{}}`), session.CallOptions{})
	require.NoError(t, err)
	require.Contains(t, string(resp.Result), "file:///srv/data")

	require.NoError(t, h.SetPolicy(mcp.MethodRoots, session.Policy{Mode: session.PolicyCanned, Answer: json.RawMessage(`{"roots":[{"uri":"file:///srv/other"}]}`)}))
	require.NoError(t, h.Notify(t.Context(), "notifications/roots/list_changed", nil))
	require.Eventually(t, func() bool {
		resp, err = h.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"get-roots-list","arguments":{}}`), session.CallOptions{})
		require.NoError(t, err)
		return strings.Contains(string(resp.Result), "file:///srv/other")
	}, waitLimit, 50*time.Millisecond)
	require.Empty(t, h.ServerRequests())
	require.Zero(t, h.log.Stats().PendingIn)
}

// A server that ignores TERM is gone as quickly as a person escalates.
func TestEscalateOnAStubbornServer(t *testing.T) {
	h := newReal(t, localexec.New(localexec.Options{}), []string{"sh", "-c", `trap "" TERM; sleep 1000 & echo on; wait`}, nil)
	require.NoError(t, h.Start(t.Context()))
	for { // until the trap is set, and the sleep is forked
		changed := h.log.Changed()
		if h.log.Stats().Stray > 0 {
			break
		}
		<-changed
	}
	done := make(chan session.ShutdownReport, 1)
	go func() {
		report, _, err := h.Escalate(t.Context())
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	for _, step := range []executor.Step{executor.StepCloseStdin, executor.StepTerm} {
		require.Eventually(t, func() bool { return h.Status().ShutdownStep.Step == step }, waitLimit, time.Millisecond)
		_, began, err := h.Escalate(t.Context())
		require.NoError(t, err)
		require.False(t, began)
	}
	report := <-done
	require.Equal(t, executor.StepKill, report.LastStep)
	require.Equal(t, "KILL", report.Exit.Signal)
	require.Empty(t, report.Survivors)
	require.Equal(t, []string{"close-stdin", "TERM", "KILL"}, h.phases())
	phases := strings.Join(h.entries(session.KindPhase), "\n")
	require.Regexp(t, `TERM sent to \d+, \d+; still running after`, phases)
	require.Contains(t, phases, "KILL 2 killed")
}
