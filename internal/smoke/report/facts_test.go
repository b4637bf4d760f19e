package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
)

func TestAbout(t *testing.T) {
	r := full().Targets[8]
	facts := map[string]Fact{}
	for _, f := range About(&r) {
		facts[f.Label] = f
	}
	require.Equal(t, Fact{"try", "try it", false}, facts["try"])
	require.Equal(t, "notes-server 1.4.2", facts["server"].Text)
	require.Equal(t, "legacy 2025-11-25", facts["protocol"].Text)
	require.Equal(t, "12 tools, 2 templates, 1 prompt", facts["offers"].Text)
	require.Contains(t, facts["times"].Text, "connect 10ms, auth 33ms, start 80ms")
	require.True(t, facts["steps"].Bad)
	require.True(t, facts["leaked"].Bad)
	require.Equal(t, "info x entry 1: t: d\nand 1 more", facts["problems"].Text)
	require.Empty(t, About(new(smoke.Result)))

	r.Problems, r.ProblemsMore = slices.Repeat(r.Problems, 100), 50
	r.Said = slices.Repeat(r.Said, 30)
	for _, f := range About(&r) {
		switch lines := strings.Split(f.Text, "\n"); f.Label {
		case "findings":
			require.Len(t, lines, maxEvidence+1)
			require.Equal(t, "and 130 more", lines[maxEvidence])
		case "said":
			require.Equal(t, "and 10 more", lines[maxEvidence])
		}
	}
}
