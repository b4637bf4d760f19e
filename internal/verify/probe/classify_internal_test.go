package probe

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// TestClasses lists the classification of every kind of failure.
func TestClasses(t *testing.T) {
	start := func(code executor.StartCode, phase string) error {
		err := &executor.StartError{Code: code, Hop: "h", Phase: phase, Err: errors.New("no"), Hint: "try", Said: "one\r\n\ntwo\n"}
		return &session.OpenError{Reason: session.ReasonStart, Code: code, Hint: "try", Said: err.Said, Err: err}
	}
	late := func(phase string) error {
		return &session.OpenError{Reason: session.ReasonTimeout, Code: executor.StartCancelled,
			Err: &executor.StartError{Code: executor.StartCancelled, Hop: "h", Phase: phase, Err: session.ErrTimeout}}
	}
	exited := func(code int, stray ...string) error {
		return &session.OpenError{Reason: session.ReasonExited, Exit: &executor.Exit{Kind: executor.ExitCode, Code: code},
			Stray: stray, Stderr: []string{"sh: x: not found"}, Err: session.ErrEnded}
	}
	open := func(reason session.Reason) error {
		return &session.OpenError{Reason: reason, Err: errors.New("no")}
	}
	lost := &executor.LostError{Code: executor.LostKeepalive, Hop: "h", Err: errors.New("gone"), Said: "bye"}
	lists := func(err error) error { return fmt.Errorf("tools/list: %w", err) }
	for _, tt := range []struct {
		err   error
		phase verify.Phase
		cause verify.Cause
		code  string
		exit  int
	}{
		{start(executor.ResolveConfig, "resolve"), verify.PhaseResolve, verify.CauseResolve, "resolve.config", 5},
		{start(executor.ResolveDNS, "connect"), verify.PhaseResolve, verify.CauseResolve, "resolve.dns", 5},
		{start(executor.NetRefused, "connect"), verify.PhaseConnect, verify.CauseConnect, "net.refused", 5},
		{start(executor.NetTimeout, "connect"), verify.PhaseConnect, verify.CauseConnect, "net.timeout", 5},
		{start(executor.NetTimeout, "host-key"), verify.PhaseConnect, verify.CauseConnect, "net.timeout", 5},
		{start(executor.NetUnreachable, "connect"), verify.PhaseConnect, verify.CauseConnect, "net.unreachable", 5},
		{start(executor.NetNotSSH, "host-key"), verify.PhaseConnect, verify.CauseConnect, "net.notssh", 5},
		{start(executor.NetDroppedEarly, "host-key"), verify.PhaseConnect, verify.CauseConnect, "net.dropped_early", 5},
		{start(executor.NetProxy, "connect"), verify.PhaseConnect, verify.CauseConnect, "net.proxy", 5},
		{start(executor.NetLost, "login"), verify.PhaseConnect, verify.CauseConnect, "net.lost", 5},
		{start(executor.KexNoCommon, "host-key"), verify.PhaseConnect, verify.CauseConnect, "kex.nocommon", 5},
		{start(executor.HostKeyUnknown, "host-key"), verify.PhaseHostKey, verify.CauseHostKey, "hostkey.unknown", 5},
		{start(executor.HostKeyChanged, "host-key"), verify.PhaseHostKey, verify.CauseHostKey, "hostkey.changed", 5},
		{start(executor.HostKeyRevoked, "host-key"), verify.PhaseHostKey, verify.CauseHostKey, "hostkey.revoked", 5},
		{start(executor.AuthDenied, "login"), verify.PhaseAuth, verify.CauseAuth, "auth.denied", 5},
		{start(executor.AuthTooMany, "login"), verify.PhaseAuth, verify.CauseAuth, "auth.toomany", 5},
		{start(executor.AuthPassphrase, "login"), verify.PhaseAuth, verify.CauseAuth, "auth.passphrase", 5},
		{start(executor.AuthPrompt, "login"), verify.PhaseAuth, verify.CauseAuth, "auth.prompt_needed", 5},
		{start(executor.AuthTimeout, "login"), verify.PhaseAuth, verify.CauseAuth, "auth.timeout", 5},
		{start(executor.LostReset, "host-key"), verify.PhaseConnect, verify.CauseConnect, "lost.reset", 5},
		{start(executor.LostClosed, "login"), verify.PhaseAuth, verify.CauseConnect, "lost.closed", 5},
		{start(executor.LostReset, "start"), verify.PhaseStart, verify.CauseLinkLost, "lost.reset", 5},
		{start(executor.LostKeepalive, "open"), verify.PhaseStart, verify.CauseLinkLost, "lost.keepalive", 5},
		{start(executor.ChanLimit, "start"), verify.PhaseStart, verify.CauseExec, "chan.limit", 3},
		{start(executor.ExecRefused, "start"), verify.PhaseStart, verify.CauseExec, "exec.refused", 3},
		{start(executor.StartNotFound, "start"), verify.PhaseStart, verify.CauseExec, "start.notfound", 3},
		{start(executor.StartNoExec, "start"), verify.PhaseStart, verify.CauseExec, "start.noexec", 3},
		{start(executor.StartNoDir, "start"), verify.PhaseStart, verify.CauseExec, "start.nodir", 3},
		{start(executor.StartNoMarker, "start"), verify.PhaseStart, verify.CauseExec, "start.nomarker", 3},
		{start(executor.StartNoShell, "start"), verify.PhaseStart, verify.CauseExec, "start.noshell", 3},
		{start(executor.ViaNoContainer, "start"), verify.PhaseStart, verify.CauseConnect, "via.nocontainer", 5},
		{start(executor.StartTimeout, "start"), verify.PhaseStart, verify.CauseTimeout, "start.timeout", 4},
		{start(executor.StartFailed, "start"), verify.PhaseStart, verify.CauseStart, "start.failed", 3},
		{start(executor.StartInvalid, "resolve"), verify.PhaseStart, verify.CauseStart, "start.invalid", 3},
		{start(executor.StartDuplicate, "resolve"), verify.PhaseStart, verify.CauseStart, "start.duplicate", 3},
		{late("wait"), verify.PhaseConnect, verify.CauseConnect, "timeout", 5},
		{late("resolve"), verify.PhaseResolve, verify.CauseConnect, "timeout", 5},
		{late("connect"), verify.PhaseConnect, verify.CauseConnect, "timeout", 5},
		{late("login"), verify.PhaseAuth, verify.CauseAuth, "timeout", 5},
		{late("start"), verify.PhaseStart, verify.CauseTimeout, "timeout", 4},

		{exited(127), verify.PhaseStart, verify.CauseExec, "exit.127", 3},
		{exited(126), verify.PhaseStart, verify.CauseExec, "exit.126", 3},
		{exited(127, "banner"), verify.PhaseHandshake, verify.CauseHandshake, "exited", 1},
		{exited(1), verify.PhaseHandshake, verify.CauseHandshake, "exited", 1},
		{exited(0), verify.PhaseHandshake, verify.CauseHandshake, "exited", 1},
		{open(session.ReasonExited), verify.PhaseHandshake, verify.CauseHandshake, "exited", 1},
		{open(session.ReasonTimeout), verify.PhaseHandshake, verify.CauseTimeout, "timeout", 4},
		{open(session.ReasonRefused), verify.PhaseHandshake, verify.CauseHandshake, "refused", 1},
		{open(session.ReasonVersion), verify.PhaseHandshake, verify.CauseHandshake, "version", 1},
		{open(session.ReasonOther), verify.PhaseHandshake, verify.CauseHandshake, "other", 1},
		{&session.OpenError{Reason: session.ReasonLost, Code: executor.LostKeepalive, Said: "bye", Err: lost}, verify.PhaseHandshake, verify.CauseLinkLost, "lost.keepalive", 5},

		{lists(&session.RPCError{Code: -32603, Message: "no"}), verify.PhaseList, verify.CauseProtocol, "-32603", 1},
		{lists(session.ErrTimeout), verify.PhaseList, verify.CauseTimeout, "timeout", 4},
		{lists(fmt.Errorf("%w: exit code 1", session.ErrEnded)), verify.PhaseList, verify.CauseProtocol, "exited", 1},
		{lists(&session.WriteError{Status: executor.StdinClosed}), verify.PhaseList, verify.CauseProtocol, "exited", 1},
		{lists(lost), verify.PhaseList, verify.CauseLinkLost, "lost.keepalive", 5},
		{lists(errors.New("result has no member tools")), verify.PhaseList, verify.CauseProtocol, "answer", 1},
	} {
		t.Run(fmt.Sprintf("%s %s %v", tt.phase, tt.code, tt.err), func(t *testing.T) {
			c := &target{phase: verify.PhaseList, made: &verify.Made{Session: session.New(session.Config{})}, result: verify.Result{Host: "far"}}
			f := c.classify(t.Context(), tt.err)
			require.Equal(t, []any{tt.phase, tt.cause, tt.code}, []any{f.phase, f.cause, f.code})
			r := &verify.Report{Targets: []verify.Result{{Cause: f.cause}}}
			r.Settle()
			require.Equal(t, tt.exit, r.Exit)
			require.NotEmpty(t, f.message)
			require.NotContains(t, f.message, "\n")
			var open *session.OpenError
			if !errors.As(tt.err, &open) {
				return
			}
			require.Equal(t, open.Error(), f.message)
			require.Equal(t, open.Hint, f.hint)
			switch {
			case len(open.Stderr) > 0:
				require.Equal(t, open.Stderr, f.said)
			case open.Code == executor.LostKeepalive && open.Reason == session.ReasonLost:
				require.Equal(t, []string{"bye"}, f.said)
			case open.Said != "":
				require.Equal(t, []string{"one", "two"}, f.said)
			}
			if open.Exit != nil {
				require.Equal(t, open.Exit, f.exit)
			}
		})
	}
}

// TestFailureWhileRunEnds checks that a failure with another
// reason keeps it, even if the run is ending at the time.
func TestFailureWhileRunEnds(t *testing.T) {
	why := errors.New("ended by signal: interrupt")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	late, cancelLate := context.WithCancelCause(t.Context())
	cancelLate(errTargetLate)
	cancelledStart := &executor.StartError{Code: executor.StartCancelled, Phase: "connect", Err: context.Canceled}
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		err   error
		cause verify.Cause
	}{
		{"by its cause", ctx, fmt.Errorf("tools/list: %w", why), verify.CauseCancelled},
		{"by its type", ctx, &session.OpenError{Reason: session.ReasonCancel, Err: context.Canceled}, verify.CauseCancelled},
		{"a start", ctx, &session.OpenError{Reason: session.ReasonStart, Code: executor.StartCancelled, Err: cancelledStart}, verify.CauseCancelled},
		{"start error from Make", ctx, cancelledStart, verify.CauseCancelled},
		{"another reason", ctx, &session.OpenError{Reason: session.ReasonRefused, Err: errors.New("no")}, verify.CauseHandshake},
		{"another start", ctx, &executor.StartError{Code: executor.AuthDenied, Err: context.Canceled}, verify.CauseAuth},
		{"error response", ctx, &session.RPCError{Code: -1}, verify.CauseProtocol},
		{"target timeout", late, errTargetLate, verify.CauseTimeout},
		{"target timeout during start", late, cancelledStart, verify.CauseTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &target{phase: verify.PhaseList, result: verify.Result{Host: "far"}, made: &verify.Made{Session: session.New(session.Config{})}}
			require.Equal(t, tt.cause, c.classify(tt.ctx, tt.err).cause)
		})
	}
}

func TestOrderTakesOneOfEachHost(t *testing.T) {
	targets := []verify.Target{{Host: "a", Server: "1"}, {Host: "a", Server: "2"}, {Host: "a", Server: "3"}, {Host: "b", Server: "1"}, {Host: "b", Server: "2"}, {Host: "c", Server: "1"}}
	require.Equal(t, []int{0, 3, 5, 1, 4, 2}, order(targets, func(int) bool { return false }))
	require.Equal(t, []int{3, 4, 0, 5, 1, 2}, order(targets, func(i int) bool { return targets[i].Host == "b" }), "the first ones")
	require.Empty(t, order(nil, nil))
}

func TestEnded(t *testing.T) {
	exit := func(kind executor.ExitKind, code int, signal string) *executor.Exit {
		return &executor.Exit{Kind: kind, Code: code, Signal: signal}
	}
	for _, tt := range []struct {
		name    string
		report  session.ShutdownReport
		err     error
		orphans []verify.Orphan
		cause   verify.Cause
		code    string
		says    string
	}{
		{"clean", session.ShutdownReport{LastStep: executor.StepCloseStdin, Exit: exit(executor.ExitCode, 0, "")}, nil, nil, "", "", ""},
		{"took TERM", session.ShutdownReport{LastStep: executor.StepTerm, Exit: exit(executor.ExitSignal, 0, "TERM")}, nil, nil, "", "", ""},
		{"took KILL", session.ShutdownReport{LastStep: executor.StepKill, Exit: exit(executor.ExitSignal, 0, "KILL")}, nil, nil, verify.CauseShutdown, "shutdown.kill", "killed with SIGKILL"},
		{"killed, exit unknown", session.ShutdownReport{LastStep: executor.StepKill}, nil, nil, verify.CauseShutdown, "shutdown.kill", "killed with SIGKILL"},
		{"killed at a restart", session.ShutdownReport{LastStep: executor.StepCloseStdin, Exit: exit(executor.ExitCode, 0, ""), Killed: true}, nil, nil,
			verify.CauseShutdown, "shutdown.kill", "killed with SIGKILL (at a restart)"},
		{"leaked one", session.ShutdownReport{LastStep: executor.StepCloseStdin, Exit: exit(executor.ExitCode, 0, "")}, nil,
			[]verify.Orphan{{PID: 7, Command: "daemon", Alive: false}}, verify.CauseOrphan, "shutdown.orphan", "leaked child process (killed): 7 daemon"},
		{"leaked two, one still alive", session.ShutdownReport{LastStep: executor.StepCloseStdin, Exit: exit(executor.ExitCode, 0, "")}, nil,
			[]verify.Orphan{{PID: 7, Command: "daemon", Alive: false}, {PID: 8, Command: "ghost", Alive: true}}, verify.CauseOrphan, "shutdown.orphan", "could not be killed: 8 ghost (and 1 more)"},
		{"lease", session.ShutdownReport{Exit: &executor.Exit{Kind: executor.ExitSignal, Signal: "TERM", By: executor.EndedByLease, Why: "no contact for 10 s (lease 10 s)"}}, nil, nil, verify.CauseLinkLost, "ended.lease", "the server was ended by the guard: no contact for 10 s"},
		{"watchdog", session.ShutdownReport{Exit: &executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByWatchdog}}, nil, nil, verify.CauseWatchdog, "ended.watchdog", "ended with the watchdog"},
		{"lost", session.ShutdownReport{Lost: &executor.LostError{Code: executor.LostReset, Hop: "h", Err: errors.New("x")}}, nil, nil, verify.CauseLinkLost, "lost.reset", "connection to h lost"},
		{"cannot be ended", session.ShutdownReport{LastStep: executor.StepTerm}, errors.New("its streams did not end"), nil, verify.CauseShutdown, "shutdown.failed", "did not end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := ended(tt.report, tt.err, tt.orphans)
			if tt.cause == "" {
				require.Nil(t, f)
				return
			}
			require.Equal(t, []any{verify.PhaseShutdown, tt.cause, tt.code}, []any{f.phase, f.cause, f.code})
			require.Contains(t, f.message, tt.says)
		})
	}
}

func TestExit(t *testing.T) {
	for _, tt := range []struct {
		causes []verify.Cause
		exit   int
	}{
		{nil, 0},
		{[]verify.Cause{"", ""}, 0},
		{[]verify.Cause{"", verify.CauseAuth, verify.CauseResolve, verify.CauseHostKey, verify.CauseConnect, verify.CauseLinkLost}, 5},
		{[]verify.Cause{verify.CauseTimeout, ""}, 4},
		{[]verify.Cause{verify.CauseExec, verify.CauseStart}, 3},
		{[]verify.Cause{verify.CauseExec, verify.CauseAuth}, 1},
		{[]verify.Cause{verify.CauseHandshake}, 1},
		{[]verify.Cause{verify.CauseOrphan, verify.CauseShutdown, verify.CauseDrift, verify.CauseProtocol, verify.CauseScenario}, 1},
		{[]verify.Cause{verify.CauseAuth, verify.CauseCancelled}, 5},
		{[]verify.Cause{verify.CauseCancelled}, 1},
	} {
		r := new(verify.Report)
		for _, cause := range tt.causes {
			r.Targets = append(r.Targets, verify.Result{OK: cause == "", Cause: cause})
		}
		r.Settle()
		require.Equal(t, tt.exit, r.Exit, "%v", tt.causes)
	}
}

// TestKilledIsSaidOfWhatWasSeenToEnd checks that a server whose streams another
// process held is not said to have leaked one that was killed.
func TestKilledIsSaidOfWhatWasSeenToEnd(t *testing.T) {
	exit := &executor.Exit{Kind: executor.ExitCode, By: executor.EndedByShutdown}
	require.Nil(t, ended(session.ShutdownReport{LastStep: executor.StepKill, Exit: exit, CannotTell: []string{"held"}}, nil, nil))
	f := ended(session.ShutdownReport{LastStep: executor.StepKill, Exit: exit}, nil, []verify.Orphan{{PID: 7, Command: "sleep"}})
	require.Equal(t, "leaked child process (killed): 7 sleep", f.message)
	f = ended(session.ShutdownReport{LastStep: executor.StepKill, Exit: exit}, nil, []verify.Orphan{{PID: 7, Command: "sleep", Alive: true}})
	require.Equal(t, "leaked process could not be killed: 7 sleep", f.message)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	p := &Plan{}
	for _, host := range []string{"web-1", verify.Local, "web-2"} {
		for i, server := range []string{"notes", "files"} {
			require.NoError(t, p.Add(verify.Target{Host: host, Server: server}, i))
		}
	}
	require.Equal(t, "files@web-2", p.Targets[5].ID)
	require.Equal(t, "3 hosts x 2 servers: 6 targets", p.String())
	require.Equal(t, []int{0, 1, 2, 3}, p.Samples())
	require.True(t, p.Remote())
	require.Equal(t, 1, p.Server(5))
	require.Equal(t, "files-web-2", p.Label(5))
	require.Equal(t, "notes", p.Label(2))

	p.Keep(func(id string) bool { return id == "notes@local" || id == "files@web-1" })
	require.Equal(t, "2 targets", p.String(), "not every server is on every host")
	require.Equal(t, 1, p.Server(0))
	p.Keep(func(id string) bool { return id == "notes@local" })
	require.Equal(t, "1 target", p.String())
	require.False(t, p.Remote())

	for len(p.Targets) < maxTargets {
		require.NoError(t, p.Add(verify.Target{}, 0))
	}
	require.ErrorContains(t, p.Add(verify.Target{}, 0), "too many targets")
}
