package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// sharedSecret is in the recording of the tests.
const sharedSecret = "ghp_aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1"

// opensExport shows a recording with secrets and the dialog to export it. It returns the
// folder of the recording.
func (d *driver) opensExport() string {
	d.t.Helper()
	folder := d.t.TempDir()
	path := filepath.Join(folder, "20261121-100000-notes-abcdef.jsonl")
	require.NoError(d.t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"local","argv":["notes"]}
{"n":1,"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter22"}}}}
{"n":2,"t":3000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+sharedSecret+`"}]}}}
`), 0o600))
	r, err := recordings.Open(path)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = r.Close() })
	d.add(workspace.Opened{Source: r, File: path, Title: filepath.Base(path)})
	d.do("export")
	require.Contains(d.t, d.plain(), "Export 20261121-100000-notes-abcdef.jsonl")
	return folder
}

// exportsTo names the file to write.
func (d *driver) exportsTo(path string) {
	d.do("export-down", "export-down", "export-clear")
	d.write(path)
}

var exportTests = map[string]actionTest{
	"export": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		require.Contains(t, d.plain(), "2 secrets in 2 entries will be removed")
		require.Contains(t, d.plain(), "1  github")
		require.Contains(t, d.plain(), "1  key password")
		d.do("export-close")
		d.do("export") // the same again
		require.Contains(t, d.plain(), "20261121-100000-notes-abcdef.html")
	},
	"export-write": func(t *testing.T, d *driver, _ *fakeExecutor) {
		folder := d.opensExport()
		out := filepath.Join(folder, "out.html")
		d.exportsTo(out)
		d.do("export-write")
		require.Nil(t, d.front.top())
		require.Contains(t, d.rows()[35], "2 secrets removed")
		page, err := os.ReadFile(out)
		require.NoError(t, err)
		require.NotContains(t, string(page), sharedSecret)
		require.NotContains(t, string(page), "hunter22")
		require.Contains(t, string(page), "[redacted:")

		d.do("export", "export-down", "export-toggle")
		require.Contains(t, d.plain(), "kept: the file contains everything")
		d.do("export-down", "export-clear")
		d.write(out)
		d.do("export-write")
		require.Contains(t, d.plain(), "Replace the file?")
		require.NotContains(t, readText(t, out), sharedSecret, "not before it is confirmed")
		d.do(actYes)
		require.Contains(t, readText(t, out), sharedSecret, "as it was asked for")

		d.do("export")
		d.exportsTo(filepath.Join(folder, "20261121-100000-notes-abcdef.jsonl"))
		d.do("export-write")
		require.Contains(t, d.plain(), "x that is the recording itself")
		for path, why := range map[string]string{"": "enter a file name", folder: "is a folder", filepath.Join(folder, "no", "such.md"): "no such file"} {
			d.do("export-clear")
			d.write(path)
			d.do("export-write")
			require.Contains(t, d.plain(), why)
		}
	},
	"export-toggle": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		d.do("export-toggle")
		require.Regexp(t, `format +md  a report`, d.plain())
		require.Contains(t, d.plain(), "notes-abcdef.md")
		d.do("export-down", "export-down", "export-toggle")
		d.write("x")
		require.Contains(t, d.plain(), "notes-abcdef.md x", "a space in the name")
	},
	"export-next": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		d.do("export-next", "export-next")
		require.Contains(t, d.plain(), "notes-abcdef-messages.jsonl", "not the recording itself")
		d.do("export-down", "export-next")
		require.Contains(t, d.plain(), "2 secrets in 2 entries stay in the file")
	},
	"export-previous": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		d.exportsTo("mine.txt")
		d.do("export-up", "export-up", "export-previous")
		require.Regexp(t, `format +txtar`, d.plain())
		require.Contains(t, d.plain(), "mine.txt", "a name that was typed stays")
	},
	"export-clear": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		d.do("export-clear")
		require.NotContains(t, d.plain(), "abcdef.html")
	},
	"export-down": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		d.do("export-down", "export-down", "export-down")
		require.Contains(t, d.plain(), "> file")
	},
	"export-up": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opensExport()
		d.do("export-down", "export-up", "export-up")
		require.Contains(t, d.plain(), "> format")
	},
	"export-close": func(t *testing.T, d *driver, _ *fakeExecutor) {
		folder := d.opensExport()
		out := filepath.Join(folder, "out.md")
		d.exportsTo(out)
		writing := d.visible.Do("export-write")
		d.do("export-close")
		require.NotNil(t, d.front.top(), "only cancelled")
		d.take(d.visible.tagged(writing)())
		require.Contains(t, d.plain(), "x cancelled; no file was written")
		require.NoFileExists(t, out)
		d.do("export-close")
		require.Nil(t, d.front.top())
	},
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// TestExportFrames shows the dialog for a recording, and for a session that is not
// recorded.
func TestExportFrames(t *testing.T) {
	for name, open := range map[string]func(d *driver){
		"recording":    func(d *driver) { d.opensExport() },
		"not-recorded": func(d *driver) { d.do("export", "export-write") },
	} {
		inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
			open(d)
			for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				requireExact(t, d.content(), size[0], size[1])
				if size[0] > 40 {
					uitest.Golden(t, fmt.Sprintf("export-%s-%dx%d", name, size[0], size[1]), d.plain())
				}
			}
		})
	}
}
