package ui

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/ui/workspace"
)

// opensExport shows a recording with secrets and the dialog to export it.
func (d *driver) opensExport() {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), "20261121-100000-notes-abcdef.jsonl")
	require.NoError(d.t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"local","argv":["notes"]}
{"n":1,"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter22"}}}}
{"n":2,"t":3000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ghp_aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1"}]}}}
`), 0o600))
	r, err := recordings.Open(path)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = r.Close() })
	d.add(workspace.Opened{Source: r, File: path, Title: filepath.Base(path)})
	d.do("export")
	require.Contains(d.t, d.plain(), "Export 20261121-100000-notes-abcdef.jsonl")
}
