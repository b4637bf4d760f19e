package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
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

// longTool is a tool whose schema has a bit of everything.
const longTool = `{"name":"plan","description":"Plans a trip.","inputSchema":{"type":"object","required":["city","days"],"properties":{
	"city":{"type":"string","minLength":2,"description":"Where to."},"days":{"type":"integer","minimum":1,"maximum":14},"budget":{"type":"number"},
	"class":{"type":"string","enum":["first","second"]},"direct":{"type":"boolean","default":true},"stops":{"type":"array","items":{"type":"string"}},
	"who":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}}}}`

// planning opens the form of such a tool.
func planning(t *testing.T, w, h int, noColor bool, test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	serve := func(p *fakeProcess, m message) {
		if m.Method == "tools/list" {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(longTool))
		}
	}
	offering(t, w, h, noColor, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("catalog")
		d.do("catalog-open")
		test(t, d, x)
	})
}

func formKey(key rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: key} }

var ctrlS = tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}
