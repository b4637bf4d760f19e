package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/run"
)

func TestCallFollowsTask(t *testing.T) {
	t.Parallel()
	answers := filepath.Join(t.TempDir(), "answers.json")
	require.NoError(t, os.WriteFile(answers, []byte(`{"elicitation/create":{"action":"accept","content":{"speed":"slowly"}}}`), 0o600))
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			r := clitest.Run(t, clitest.Against("", "call", "--json", "--era", era, "--answers", answers, "--tool", "job", "seconds:=0", "ask:=true")...)
			require.Zero(t, r.Code, r.Stderr)
			var doc run.CallDocument
			require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc))
			require.Contains(t, string(doc.Result), `\"speed\":\"slowly\"`)
			require.Equal(t, "completed", doc.Task.Status)
			require.Contains(t, r.Stderr, "mcpdbg: task "+doc.Task.ID+" input required")
			require.Contains(t, r.Stderr, "mcpdbg: task "+doc.Task.ID+" completed")

			r = clitest.Run(t, clitest.Against("", "call", "--era", era, "--timeout", "300ms", "--tool", "job", "seconds:=60")...)
			require.Equal(t, 4, r.Code, r.Stderr)
			require.Regexp(t, `task [0-9a-f]+ is still working: tools/call: timed out after 300ms\n.*live only as long as the server`, r.Stderr)

			r = clitest.Run(t, clitest.Against("", "call", "--era", era, "--tool", "job", "seconds:=60", "keep:=0.1")...)
			require.Equal(t, 1, r.Code, r.Stderr)
			require.Contains(t, r.Stderr, "expired after 100ms")
		})
	}
}

func TestCallTaskFlags(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		flags []string
		code  int
		says  string
	}{
		"optional":     {[]string{"--era", "legacy", "--task", "--ttl", "1m", "--tool", "slow", "seconds:=0"}, 0, "completed"},
		"plain":        {[]string{"--era", "legacy", "--tool", "slow", "seconds:=0"}, 0, ""},
		"forbidden":    {[]string{"--era", "legacy", "--task", "--tool", "echo", "message=x"}, 1, "cannot run as a task"},
		"no tasks":     {[]string{"--protocol", "2025-06-18", "--task", "--tool", "slow"}, 2, "does not run calls of tools as tasks"},
		"ttl, modern":  {[]string{"--era", "modern", "--task", "--ttl", "1m", "--tool", "slow"}, 2, "the server decides how long"},
		"ttl alone":    {[]string{"--ttl", "1m", "--tool", "slow"}, 2, "--ttl requires --task"},
		"not a call":   {[]string{"--task", "ping"}, 2, "only calls of tools can be tasks"},
		"without wait": {[]string{"--no-wait", "--task", "--tool", "slow"}, 2, "--no-wait: call ends the server, and its tasks with it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := clitest.Run(t, clitest.Against("", append([]string{"call"}, tc.flags...)...)...)
			require.Equal(t, tc.code, r.Code, r.Stderr)
			require.Contains(t, r.Stderr, tc.says)
		})
	}
}

// TestRealTask follows a task of the reference server, which asks in the middle of
// it.
func TestRealTask(t *testing.T) {
	t.Parallel()
	answers := filepath.Join(t.TempDir(), "answers.json")
	require.NoError(t, os.WriteFile(answers, []byte(`{"elicitation/create":{"action":"accept","content":{"interpretation":"technical"}}}`), 0o600))
	s := clitest.RealServer{Program: "npx"}
	r := clitest.Run(t, s.Command(t, "call", "--answers", answers, "--tool", "simulate-research-query", "topic=pipes", "ambiguous:=true")...)
	require.Zero(t, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "pipes (technical)")
	require.Contains(t, r.Stderr, "input required")
}
