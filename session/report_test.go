package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

func TestOutcomeNamesTheStepThatEndedTheServer(t *testing.T) {
	exit := func(by executor.EndedBy, code int) *executor.Exit {
		return &executor.Exit{Kind: executor.ExitCode, Code: code, By: by}
	}
	for want, report := range map[string]session.ShutdownReport{
		"the server had ended": {},
		"the server ended when its stdin was closed: exit code 0": {LastStep: executor.StepCloseStdin, Exit: exit(executor.EndedByShutdown, 0)},
		"the server ended: exit code 0 (shutdown sequence)":       {LastStep: executor.StepKill, Exit: exit(executor.EndedByShutdown, 0)},
		"the server ended after KILL":                             {LastStep: executor.StepKill},
		"the server ended: exit code 3":                           {LastStep: executor.StepKill, Exit: exit(executor.EndedByServer, 3)},
		"the server ended: signal KILL (on request)":              {LastStep: executor.StepKill, Exit: &executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByPerson}},
		"the server was ended by the guard: no contact":           {Exit: &executor.Exit{Kind: executor.ExitSignal, Signal: "TERM", By: executor.EndedByLease, Why: "no contact"}},
	} {
		require.Equal(t, want, report.Outcome())
	}
}

func TestRemainsNamesEachProcess(t *testing.T) {
	report := session.ShutdownReport{
		Leaked:     []executor.Descendant{{PID: 1, Command: "sleep 60"}},
		Unseen:     []executor.Descendant{{PID: 4, Command: "far"}},
		Survivors:  []executor.Descendant{{PID: 2, Command: "stuck"}},
		Spared:     []executor.Descendant{{PID: 3, Command: "adb"}},
		CannotTell: []string{"container state: cannot tell (started through docker)"},
	}
	require.Equal(t, []string{
		"leaked process (killed): pid 1 sleep 60",
		"leaked process (connection lost: cannot tell whether it ended): pid 4 far",
		"leaked process (still alive): pid 2 stuck (kill -9 2)",
		"left running (--leave): pid 3 adb",
		"container state: cannot tell (started through docker)",
	}, report.ProcessLines())
}
