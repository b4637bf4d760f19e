package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Markdown(&b, sample()))
	golden(t, "sample.md", []byte(b.String()))
	require.NotContains(t, b.String(), "\x1b")
}

func TestSARIF(t *testing.T) {
	var b strings.Builder
	require.NoError(t, SARIF(&b, sample(), "1", ".mcp.json"))
	golden(t, "sample.sarif", []byte(b.String()))
	var doc struct {
		Runs []struct {
			Results []struct{ RuleID string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &doc))
	rules := map[string]bool{}
	for _, r := range doc.Runs[0].Results {
		rules[r.RuleID] = true
	}
	for _, id := range []string{"FRM01", "smoke/connect", "smoke/orphan"} {
		require.True(t, rules[id], id)
	}
	require.False(t, rules["smoke/protocol"], "its problems are results")
}
