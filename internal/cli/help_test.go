package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/ui/widget/termsafe"
)

// everyCommand calls f for each command with its words.
func everyCommand(f func(cmd *cobra.Command, words []string)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		f(cmd, strings.Fields(cmd.CommandPath())[1:])
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(rootCommand(new(console.Env), subcommands()))
}

// Help texts must fit a terminal of helpWidth columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command, words []string) {
		r := clitest.InProcess(t, append(words, "--help")...)
		require.Equal(t, 0, r.Code, r.Stderr)
		for line := range strings.Lines(r.Stdout) {
			require.LessOrEqual(t, termsafe.Width(strings.TrimRight(line, "\n")), helpWidth, "%s: %s", cmd.CommandPath(), line)
		}
	})
}

// A command that is made alone must be the same as among all others.
func TestCommandsMadeAlone(t *testing.T) {
	t.Parallel()
	usage := func(below []subcommand, words ...string) string {
		root := rootCommand(new(console.Env), below)
		root.InitDefaultHelpCmd()
		cmd, rest, err := root.Find(words)
		require.NoError(t, err)
		require.Empty(t, rest)
		return cmd.CommandPath() + "\n" + cmd.UsageString()
	}
	all := subcommands()
	for i, c := range all {
		require.Equal(t, c.name, c.make(new(console.Env)).Name())
		needed, whole := neededBy([]string{c.name, "--help"})
		require.Equal(t, !c.alone, whole)
		if c.alone {
			require.Len(t, needed, 1)
			require.Equal(t, usage(all, c.name), usage(needed, c.name))
			require.False(t, c.make(new(console.Env)).HasSubCommands(), all[i].name)
		}
	}
	for _, args := range [][]string{{"--help"}, {"lst"}, {"help", "list"}, {"completion", "bash"}, {cobra.ShellCompRequestCmd, "li"}, {"--plain", "list"}} {
		_, whole := neededBy(args)
		require.True(t, whole, args)
	}
}
