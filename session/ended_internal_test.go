package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

func TestExitIsAttributedToTheLastExplanation(t *testing.T) {
	now := time.Now()
	attemptBy := func(step executor.Step, by executor.EndedBy) *Attempt {
		return &Attempt{step, by, now.Add(-time.Second)}
	}
	longAgo := func(step executor.Step) *Attempt { return &Attempt{step, executor.EndedByPerson, now.Add(-time.Hour)} }
	code := func(n int) executor.Exit { return executor.Exit{Kind: executor.ExitCode, Code: n} }
	signal := func(name string) executor.Exit { return executor.Exit{Kind: executor.ExitSignal, Signal: name} }
	const (
		us, person = executor.EndedByShutdown, executor.EndedByPerson
		server     = executor.EndedByServer
		outside    = executor.EndedBySignal
	)
	eof, term, kill := attemptBy(executor.StepCloseStdin, us), attemptBy(executor.StepTerm, us), attemptBy(executor.StepKill, us)
	for _, tc := range []struct {
		name     string
		exit     executor.Exit
		attempts []*Attempt
		want     executor.EndedBy
	}{
		{"exit code", code(0), nil, server},
		{"failure code", code(3), nil, server},
		{"crash", signal("SEGV"), nil, server},
		{"broken pipe", signal("PIPE"), nil, server},
		{"abort", signal("ABRT"), nil, server},
		{"unknown KILL", signal("KILL"), nil, outside},
		{"unknown TERM", signal("TERM"), nil, outside},
		{"unknown", executor.Exit{}, nil, executor.EndedUnknown},
		{"unknown, after KILL", executor.Exit{}, []*Attempt{kill}, executor.EndedUnknown},
		{"end of stdin", code(0), []*Attempt{eof}, us},
		{"failure at the end of stdin", code(1), []*Attempt{eof}, us},
		{"crash at the end of stdin", signal("SEGV"), []*Attempt{eof}, server},
		{"crash before our TERM came", signal("SEGV"), []*Attempt{eof, term}, server},
		{"KILL while only stdin was closed", signal("KILL"), []*Attempt{eof}, outside},
		{"KILL when TERM was sent", signal("KILL"), []*Attempt{eof, term}, outside},
		{"handles TERM", code(143), []*Attempt{eof, term}, us},
		{"TERM", signal("TERM"), []*Attempt{eof, term}, us},
		{"KILL", signal("KILL"), []*Attempt{eof, term, kill}, us},
		{"a person's KILL", signal("KILL"), []*Attempt{attemptBy(executor.StepKill, person)}, person},
		{"a person's TERM before the shutdown", signal("TERM"), []*Attempt{attemptBy(executor.StepTerm, person), eof}, person},
		{"the last one counts", signal("TERM"), []*Attempt{attemptBy(executor.StepTerm, person), eof, term}, us},
		{"INT of a person, with a code", code(130), []*Attempt{attemptBy(executor.StepInterrupt, person)}, person},
		{"TERM of long ago", signal("TERM"), []*Attempt{longAgo(executor.StepTerm)}, outside},
		{"code long after TERM", code(1), []*Attempt{longAgo(executor.StepTerm)}, server},
		{"code long after the end of stdin", code(0), []*Attempt{longAgo(executor.StepCloseStdin)}, person},
	} {
		require.Equal(t, tc.want, EndedBy(tc.exit, now, tc.attempts), tc.name)
	}
}

func TestDescribeEndNamesTheParty(t *testing.T) {
	for _, tc := range []struct {
		exit executor.Exit
		text string
	}{
		{executor.Exit{Kind: executor.ExitCode, Code: 3, By: executor.EndedByServer}, "exit code 3"},
		{executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV", Core: true, By: executor.EndedByServer}, "signal SEGV, core dumped (crash)"},
		{executor.Exit{Kind: executor.ExitCode, By: executor.EndedByShutdown}, "exit code 0 (shutdown sequence)"},
		{executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByPerson}, "signal KILL (on request)"},
		{executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedBySignal}, "killed by signal KILL that mcpdbg did not send (sender unknown)"},
		{executor.Exit{Kind: executor.ExitSignal, Signal: "TERM", By: executor.EndedByLease, Why: "no contact for 10 s (lease 10 s)"}, "ended by the guard: no contact for 10 s (lease 10 s)"},
		{executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByGuard}, "ended by the guard: its channel closed"},
		{executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByWatchdog}, "ended with the watchdog: killed from outside"},
		{executor.Exit{By: executor.EndedByWatchdog, Why: "watchdog killed from outside"}, "ended with the watchdog: killed from outside"},
		{executor.Exit{}, "exit status unknown"},
		{executor.Exit{Why: "docker ended with 0; how the server ended: cannot tell"}, "docker ended with 0; how the server ended: cannot tell"},
	} {
		require.Equal(t, tc.text, DescribeEnd(tc.exit))
		b := exitedBody(tc.exit)
		require.Equal(t, tc.exit, b.Exit(), "the log holds the same")
	}
}
