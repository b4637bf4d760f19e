package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session/diagnosis/rule"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "explain")
	require.Equal(t, 0, r.Code)
	require.Equal(t, len(rule.All()), strings.Count(r.Stdout, "\n"))
	require.Contains(t, r.Stdout, "FRM01   error    server   stdout noise\n")
	for _, one := range rule.All() {
		r := clitest.InProcess(t, "explain", strings.ToLower(one.ID))
		require.Equal(t, 0, r.Code, r.Stderr)
		for _, word := range []string{one.ID, one.Title, "severity", "side", "revisions", "reference", "impact"} {
			require.Contains(t, r.Stdout, word)
		}
		for line := range strings.Lines(r.Stdout) {
			require.LessOrEqual(t, len([]rune(line)), 80, line)
		}
	}
	r = clitest.InProcess(t, "explain", "FRM1")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "unknown rule \"FRM1\"\n  try: mcpdbg explain FRM01")
	r = clitest.InProcess(t, "explain", "nothing")
	require.Contains(t, r.Stderr, "try: mcpdbg explain to list all rules")
	r = clitest.InProcess(t, "__complete", "explain", "prc0")
	require.Contains(t, r.Stdout, "PRC05\t")
}
