package redact_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/redact"
	"mcpdbg/session"
)

func TestOpen(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"local","argv":["a"]}
{"n":1,"t":1,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"m","params":{"password":"hunter22","token":"hunter23","b":{"password":"x1x1"}}}}
`), 0o600))
	copied, err := redact.Open(t.Context(), path, redact.Default())
	require.NoError(t, err)
	require.Equal(t, 1, copied.Len())
	row, ok := session.RowAt(copied, 0)
	require.True(t, ok)
	e, err := copied.Entry(row, 0)
	require.NoError(t, err)
	require.NotContains(t, string(e.Payload), "hunter2")
	require.Contains(t, string(e.Payload), "[redacted:")
	require.Equal(t, 3, copied.Report.Removed)
	require.Equal(t, []redact.Item{{Rule: "key password", Count: 2}, {Rule: "key token", Count: 1}}, copied.Report.ByRule())
	require.NoError(t, copied.Close())

	_, err = redact.Open(t.Context(), path, redact.Rules{Patterns: []redact.Pattern{{Name: "p", Expr: "("}}})
	var rule *redact.RuleError
	require.ErrorAs(t, err, &rule)
	_, err = redact.Open(t.Context(), path+"x", redact.Default())
	require.ErrorIs(t, err, os.ErrNotExist)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left, "no copy stays")
}
