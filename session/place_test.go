package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// there returns a place over SSH.
var there = executor.Info{
	Placement: "build-7",
	Env:       executor.EnvReport{Policy: executor.EnvNone, Named: []string{"TOKEN"}, Added: []string{"PATH"}},
	Link: &executor.LinkInfo{
		State: executor.LinkUp, Hops: []string{"me@bastion:22", "me@build-7:22"}, Transport: "native", RTT: 2 * time.Millisecond,
		Server: "SSH-2.0-OpenSSH_9.2", Kex: "curve25519-sha256", HostKey: "ssh-ed25519", Cipher: "aes128-gcm@openssh.com",
	},
	Notices: []executor.Notice{{Code: "run.noise", Text: "12 bytes of login noise", Said: "Welcome!\x1b[2J", Hint: "mend .bashrc"}},
}

// lost returns the loss of the connection to it.
func lost() *executor.LostError {
	return &executor.LostError{Code: executor.LostKeepalive, Hop: "me@build-7:22", After: 3 * time.Second, Err: errors.New("no answer for 15s")}
}

// openThere opens a session with a server on a host.
func openThere(t *testing.T, serve func(p *fakeProcess) int) *harness {
	t.Helper()
	h := newHarness(t, serve, nil)
	h.exec.place = there
	require.NoError(t, h.Open(t.Context()))
	return h
}

func TestStartOnAHostIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, legacy(nil))
		require.Equal(t, []string{
			"start mcp-stdio-1 pid 4121 ssh build-7",
			"env policy none: 0 passed, 0 omitted, set: TOKEN, added: PATH",
			"link up, round trip 2 ms me@bastion:22 > me@build-7:22 native SSH-2.0-OpenSSH_9.2 curve25519-sha256 ssh-ed25519 aes128-gcm@openssh.com",
			"note 12 bytes of login noise (said: Welcome!\x1b[2J) - mend .bashrc",
		}, h.entries(session.KindStart, session.KindEnv, session.KindLink, session.KindNote))
		e, err := h.log.Entry(h.rowOf(session.KindNote), 0)
		require.NoError(t, err)
		var note session.NoteBody
		require.NoError(t, e.DecodeBody(&note))
		require.Equal(t, "run.noise", note.Code)
	})
}

// An exec server of Codex does not report which variables a process inherits.
func TestUnknownVariablesAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		h.exec.place = executor.Info{Placement: "codex", Env: executor.EnvReport{Policy: executor.EnvInherit, Named: []string{"TOKEN"}, Unknown: true}}
		require.NoError(t, h.Open(t.Context()))
		require.Equal(t, []string{"env policy inherit: which were inherited: cannot tell, set: TOKEN"}, h.entries(session.KindEnv))
	})
}

// A notice that comes after the start is logged once, even if it comes before
// the session subscribes.
func TestLaterNoticesAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, func(p *fakeProcess) int {
			p.notice(executor.Notice{Code: "run.leftover", Text: "early"})
			return legacy(nil)(p)
		})
		h.exec.started[0].notice(executor.Notice{Code: "guard.replaced", Text: "late"})
		synctest.Wait()
		require.Equal(t, []string{
			"note 12 bytes of login noise (said: Welcome!\x1b[2J) - mend .bashrc", "note early", "note late",
		}, h.entries(session.KindNote))
	})
}

// Steps are reported while the start is running.
func TestPhasesOfAStartAreLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		began := time.Now()
		h.exec.reach = func(_ context.Context, cmd executor.Command) error {
			p := executor.Phase{Name: "connect", Detail: "bastion", Begin: time.Now()}
			cmd.OnBegin(p)
			<-time.After(time.Second)
			p.End, p.Detail = time.Now(), "bastion 10.0.0.1"
			cmd.OnPhase(p)
			<-time.After(time.Second)
			cmd.OnBegin(executor.Phase{Name: "login", Begin: time.Now()})
			<-time.After(time.Second)
			return nil
		}
		require.Zero(t, h.Status().Phase)
		opened := make(chan error, 1)
		go func() { opened <- h.Start(t.Context()) }()

		<-time.After(500 * time.Millisecond)
		require.Equal(t, session.Starting, h.Status().State)
		require.Equal(t, executor.Phase{Name: "connect", Detail: "bastion", Begin: began}, h.Status().Phase)
		changed := h.log.Changed()
		<-changed
		require.Equal(t, time.Second, time.Since(began), "Changed reports its end")
		require.Equal(t, []string{"phase connect bastion 10.0.0.1 1.0 s"}, h.entries(session.KindPhase), "and logged at once")
		<-time.After(500 * time.Millisecond)
		require.Zero(t, h.Status().Phase)
		<-time.After(time.Second)
		require.Equal(t, "login", h.Status().Phase.Name)
		require.NoError(t, <-opened)
		require.Zero(t, h.Status().Phase)
	})
}

func TestPhasesOfTheHandshakeAreLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(p *fakeProcess) int {
			return p.each(func(m message) {
				<-time.After(time.Second)
				if m.Method == "initialize" {
					p.result(m, initResult)
				} else if m.ID != nil {
					p.fail(m, -32601, "")
				}
			})
		}, nil)
		opened := make(chan error, 1)
		go func() { opened <- h.Open(t.Context()) }()
		began := time.Now()
		<-time.After(500 * time.Millisecond)
		require.Equal(t, session.Handshaking, h.Status().State)
		require.Equal(t, executor.Phase{Name: "server/discover", Begin: began}, h.Status().Phase)
		<-time.After(time.Second)
		require.Equal(t, "initialize", h.Status().Phase.Name)
		require.NoError(t, <-opened)
		require.Zero(t, h.Status().Phase)
	})
}

// The time of prompts does not count.
func TestStartupTimeoutExcludesPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), func(c *session.Config) { c.StartupTimeout = 2 * time.Second })
		h.exec.reach = func(ctx context.Context, _ executor.Command) error {
			resume := executor.Pause(ctx)
			<-time.After(time.Hour)
			resume()
			<-time.After(time.Second)
			return ctx.Err()
		}
		require.NoError(t, h.Open(t.Context()))
	})
}

func TestStartTimeout(t *testing.T) {
	for name, open := range map[string]func(h *harness) error{
		"with a handshake": func(h *harness) error { return h.Open(h.t.Context()) },
		"without":          func(h *harness) error { return h.Start(h.t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, legacy(nil), func(c *session.Config) { c.StartupTimeout = 2 * time.Second })
				h.exec.reach = func(ctx context.Context, _ executor.Command) error {
					<-ctx.Done()
					return &executor.StartError{Code: executor.StartCancelled, Hop: "me@build-7:22", Phase: "connect", Err: context.Cause(ctx)}
				}
				begin := time.Now()
				var failure *session.OpenError
				require.ErrorAs(t, open(h), &failure)
				require.Equal(t, 2*time.Second, time.Since(begin))
				require.Equal(t, session.ReasonTimeout, failure.Reason)
				require.ErrorIs(t, failure, session.ErrTimeout)
				require.Equal(t, "raise --startup-timeout", failure.Hint)
			})
		})
	}
}

func TestStartThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		h.exec.reach = func(_ context.Context, cmd executor.Command) error {
			cmd.OnBegin(executor.Phase{Name: "connect", Begin: time.Now()})
			return &executor.StartError{
				Code: executor.NetRefused, Hop: "me@build-7:22", Phase: "connect", Said: "go away", Hint: "is sshd running?", Err: errors.New("refused"),
			}
		}
		var failure *session.OpenError
		require.ErrorAs(t, h.Open(t.Context()), &failure)
		require.Equal(t, session.ReasonStart, failure.Reason)
		require.Equal(t, executor.NetRefused, failure.Code)
		require.Equal(t, "go away", failure.Said)
		require.Equal(t, "is sshd running?", failure.Hint)
		require.Equal(t, "start on me@build-7:22: refused", failure.Error())
		require.Contains(t, h.entries(session.KindState), "state failed start on me@build-7:22: refused (said: go away) - is sshd running?")
		require.Equal(t, session.Failed, h.Status().State)
		require.Zero(t, h.Status().Phase, "a step without an end is over too")
	})
}

// A lost connection fails all pending calls, with the root cause.
func TestLostConnectionFailsPendingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, legacy(nil))
		p := h.exec.started[0]
		failed := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := h.Request(t.Context(), "wait", nil, session.CallOptions{})
				failed <- err
			}()
		}
		synctest.Wait()
		p.Journal.Emit(executor.Event{Kind: executor.Link, Link: &executor.LinkInfo{State: executor.LinkStalled, RTT: time.Second, Kex: "never twice"}})
		synctest.Wait()
		before := h.log.Len()
		p.out(`{"jsonrpc":"2.0","method":"last"}` + "\n" + `{"half`)
		cause := lost()
		begin := time.Now()
		p.lose(cause)
		for range 2 {
			err := <-failed
			var first *executor.LostError
			require.ErrorAs(t, err, &first)
			require.Same(t, cause, first)
			require.NotErrorIs(t, err, session.ErrEnded, "whether the server ended is unknown")
		}
		require.Less(t, time.Since(begin), 100*time.Millisecond)
		synctest.Wait()
		require.Equal(t, session.Failed, h.Status().State)
		require.Same(t, cause, h.Status().Process.Failure)

		const text = "connection to me@build-7:22 lost after 3s: no answer for 15s"
		const hint = " - the guard on the host ends the server there within its lease; restart to reconnect and start it again"
		require.Equal(t, []string{
			`stdout {"jsonrpc":"2.0","method":"last"}`, `stdout {"half`, "link lost " + text, "failed " + text + hint, "state failed " + text,
		}, h.entries()[before:])
		require.Equal(t, "link stalled", h.entries(session.KindLink)[1])
		e, err := h.log.Entry(h.rowOf(session.KindFailed), 0)
		require.NoError(t, err)
		var body session.FailedBody
		require.NoError(t, e.DecodeBody(&body))
		require.Equal(t, "lost.keepalive", body.Code)
		require.Equal(t, "me@build-7:22", body.Hop)

		_, err = h.Request(t.Context(), "more", nil, session.CallOptions{})
		require.ErrorAs(t, err, new(*executor.LostError), "a new call fails at once with the cause")
	})
}

// A loss that the executor reports itself is not logged twice.
func TestLostLinkIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, legacy(nil))
		p := h.exec.started[0]
		p.Journal.Emit(executor.Event{Kind: executor.Link, Link: &executor.LinkInfo{State: executor.LinkLost, Err: lost()}})
		synctest.Wait()
		p.lose(lost())
		<-h.Done()
		require.Len(t, h.entries(session.KindLink), 2)
	})
}

// A write at the moment of the loss fails with the loss, not with a closed
// pipe.
func TestWriteIntoALostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, func(p *fakeProcess) int {
			legacy(func(p *fakeProcess, _ message) { <-p.killed })(p) // it stops reading
			return 0
		})
		p := h.exec.started[0]
		_, err := h.Send(t.Context(), []byte(`{}`))
		require.NoError(t, err)
		failed := make(chan error, 1)
		go func() {
			for {
				if _, err := h.Send(t.Context(), make([]byte, 4<<20)); err != nil {
					failed <- err
					return
				}
			}
		}()
		synctest.Wait() // the queue is full
		p.lose(lost())
		require.ErrorAs(t, <-failed, new(*executor.LostError))
		<-h.Done()
		close(p.killed)
	})
}

// So does a call whose pipe is closed before the loss is reported.
func TestCallJustBeforeALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, func(p *fakeProcess) int {
			legacy(func(p *fakeProcess, _ message) { <-p.killed })(p) // it stops reading
			return 0
		})
		p := h.exec.started[0]
		_, err := h.Send(t.Context(), []byte(`{}`))
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, p.In.Close())
		_, _ = h.Send(t.Context(), []byte(`{}`)) // notices it, now or later
		synctest.Wait()
		failed := make(chan error, 1)
		go func() {
			_, err := h.Request(t.Context(), "wait", nil, session.CallOptions{})
			failed <- err
		}()
		synctest.Wait()
		require.Empty(t, failed, "it waits for the reason")
		p.lose(lost())
		err = <-failed
		require.ErrorAs(t, err, new(*session.WriteError))
		require.ErrorAs(t, err, new(*executor.LostError))
		<-h.Done()
		close(p.killed)
	})
}

func TestRestartAfterALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, legacy(nil))
		h.exec.started[0].lose(lost())
		<-h.Done()
		begin := time.Now()
		require.NoError(t, h.Restart(t.Context()))
		require.Zero(t, time.Since(begin), "it does not wait")
		require.Equal(t, "mcp-stdio-2", h.Status().Process.ID, "an id of its own")
		require.Equal(t, session.Ready, h.Status().State)
		require.Zero(t, h.exec.started[0].ends.Load(), "unreachable processes are not terminated")
		require.Empty(t, h.phases())
	})
}

func TestLossDuringShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openThere(t, func(p *fakeProcess) int {
			legacy(nil)(p)
			p.lose(lost())
			return 0
		})
		report, err := h.Shutdown(t.Context())
		require.NoError(t, err)
		require.Equal(t, executor.LostKeepalive, report.Lost.Code)
		require.Nil(t, report.Exit, "never exit code 0")
	})
}

// A command is never started a second time without a request.
func TestLossDuringTheHandshake(t *testing.T) {
	for _, method := range []string{"server/discover", "initialize"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, func(p *fakeProcess) int {
					return p.each(func(m message) {
						if m.Method == method {
							p.lose(fmt.Errorf("outer: %w", lost()))
						} else {
							p.fail(m, -32601, "")
						}
					})
				}, nil)
				h.exec.place = there
				var failure *session.OpenError
				require.ErrorAs(t, h.Open(t.Context()), &failure)
				require.Equal(t, session.ReasonLost, failure.Reason)
				require.Equal(t, executor.LostKeepalive, failure.Code)
				require.Equal(t, "handshake with fake: connection to me@build-7:22 lost after 3s: no answer for 15s", failure.Error())
				require.Contains(t, failure.Hint, "within its lease")
				require.Len(t, h.exec.started, 1)
				require.Equal(t, session.Failed, h.Status().State)
			})
		})
	}
}

// A process that is lost without a connection, as might happen on this machine,
// is ended like any other.
func TestLossWithoutAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		h.exec.started[0].lose(io.ErrUnexpectedEOF)
		<-h.Done()
		require.Empty(t, h.entries(session.KindLink))
		_, err := h.Request(t.Context(), "x", nil, session.CallOptions{})
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		_, err = h.Shutdown(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1, h.exec.started[0].ends.Load())
	})
}

func TestHintsOnAHost(t *testing.T) {
	for _, tc := range []struct {
		exit    int
		stderr  string
		contain string
	}{
		{127, "node: not found", "--path-from login"},
		{126, "", "--path-from login"},
		{1, "API_TOKEN is not set", "add -e API_TOKEN=VALUE, or --env-from API_TOKEN"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t, func(p *fakeProcess) int {
				p.err(tc.stderr + "\n")
				return tc.exit
			}, nil)
			h.exec.place = there
			var failure *session.OpenError
			require.ErrorAs(t, h.Open(t.Context()), &failure)
			require.Contains(t, failure.Hint, tc.contain)
		})
	}
}

// Of two similar timeouts, one is about the host and one about the server.
func TestStartTimeoutNamesThePhase(t *testing.T) {
	for _, tc := range []struct {
		hop, phase, text string
		reach            bool
	}{
		{"me@build-7:22", "login", "timed out reaching me@build-7:22 (login) after 2s", true},
		{"me@build-7:22", "start", "timed out starting npx (start) after 2s", false},
		{"", "spawn", "timed out starting npx (spawn) after 2s", false},
	} {
		e := &session.OpenError{Reason: session.ReasonTimeout, Code: executor.StartCancelled, Program: "npx", Elapsed: 2 * time.Second,
			Err: &executor.StartError{Code: executor.StartCancelled, Hop: tc.hop, Phase: tc.phase, Err: session.ErrTimeout}}
		require.Equal(t, tc.text, e.Error())
		require.Equal(t, tc.reach, e.Unreachable())
	}
}
