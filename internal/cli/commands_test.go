package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
)

func TestNoSubcommandRunsWithoutTerminal(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, "--env-policy", "client", "--", clitest.Binary(), console.DemoServer, "--misbehave", "exit-7")
	require.Equal(t, 3, r.Code)
	require.Contains(t, r.Stdout, "policy client")
	require.Contains(t, r.Stdout, "exit code 7")
}

func TestDemoWithoutATerminal(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, "demo")
	require.Equal(t, 0, r.Code, r.Stderr)
	for _, text := range []string{"guided session", "notifications/progress", "isError", "elicitation/create", "close-stdin", "end"} {
		require.Contains(t, r.Stdout, text)
	}
	require.Contains(t, r.Stderr, "recorded to ")
}

func TestDemoServerListsItsFaults(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, "demo-server", "--list")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "never-answers")
	require.Contains(t, r.Stdout, "crash-mid-call[:")

	r = clitest.Run(t, "demo-server", "--misbehave", "nope")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "unknown kind; use one of ansi,")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, "version")
	require.Equal(t, 0, r.Code)
	require.Regexp(t, `^mcpdbg \d+\.\d+\.\d+ \w+/\w+ go1\.`, r.Stdout)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := clitest.Run(t, "completion", shell)
		require.Equal(t, 0, r.Code)
		require.Contains(t, r.Stdout, "mcpdbg")
	}
	r := clitest.Run(t, "__complete", "list", "t")
	require.Equal(t, 0, r.Code)
	require.Contains(t, r.Stdout, "tools\ntemplates\n")
}

// Arguments after the first -- are the server's, whatever they look like.
func TestServerCommandIsVerbatim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		argv []string
	}{
		{[]string{"run", "--raw", "--json", "--", "echo", "--", "run", "--json"}, []string{"echo", "--", "run", "--json"}},
		{[]string{"run", "--raw", "--json", "-e", "A=B", "--", "echo", "-e", "C=D"}, []string{"echo", "-e", "C=D"}},
		{[]string{"run", "--raw", "--json", "--", "echo", "", "a b", "$HOME", "*", "\n"}, []string{"echo", "", "a b", "$HOME", "*", "\n"}},
	} {
		r := clitest.Run(t, c.args...)
		require.Equal(t, 0, r.Code, r.Stderr)
		header, _ := clitest.PrintedEntries(t, r.Stdout)
		require.Equal(t, c.argv, header.Argv)
	}
	// A subcommand's name after -- is a program, here a missing one.
	for _, args := range [][]string{{"--", "nosuch-run"}, {"-e", "A=B", "--", "nosuch-run"}} {
		r := clitest.Run(t, args...)
		require.Equal(t, 3, r.Code)
		require.Contains(t, r.Stderr, `program "nosuch-run" not found`)
	}
}

func TestCompletionOfServers(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, `{"mcpServers":{"notes":{"command":"no\u001b[31mtes"},"e\u001b[2Jvil":{"command":"x"}}}`)
	r := clitest.InProcess(t, "__complete", "list", "tools", "--config", file, "--server", "")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "notes\tnotes (Claude Code): no")
	require.NotContains(t, r.Stdout, "vil")
	require.NotContains(t, r.Stdout, "\x1b")
}
