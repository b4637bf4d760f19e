package cli

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

func TestManSections(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command, words []string) {
		page := clitest.InProcess(t, append([]string{"man"}, words...)...).Stdout
		at := 0
		for _, section := range []string{"OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"} {
			next := strings.Index(page, "\n.SH "+section+"\n")
			require.Greater(t, next, at, "%s: %s", cmd.CommandPath(), section)
			at = next
		}
	})
	require.Contains(t, clitest.InProcess(t, "man", "smoke").Stdout, "known_hosts")
	require.NotContains(t, clitest.InProcess(t, "man", "diff").Stdout, "known_hosts")
	require.Contains(t, clitest.InProcess(t, "man").Stdout, `mcpdbg\-smoke(1)`)
	require.Contains(t, clitest.InProcess(t, "man", "rec", "cat").Stdout, `mcpdbg\-rec(1), mcpdbg\-rec\-export(1)`)
}

// The page of exit codes lists the codes of the program.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/exit-codes.md")
	require.NoError(t, err)
	for _, e := range exitMeanings {
		require.Contains(t, string(page), "\n| "+strconv.Itoa(e.code)+" | ")
	}
}
