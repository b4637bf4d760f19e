package copies

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/ui/uitest"
)

// sharedSecret is in the recording of the tests.
const sharedSecret = "ghp_aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1"

// openedExport opens the dialog for a recording with secrets. It returns the folder of the
// recording.
func openedExport(t *testing.T) (r *uitest.Room, folder string) {
	t.Helper()
	folder = t.TempDir()
	path := filepath.Join(folder, "20261121-100000-notes-abcdef.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"local","argv":["notes"]}
{"n":1,"t":1000,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter22"}}}}
{"n":2,"t":3000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+sharedSecret+`"}]}}}
`), 0o600))
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	ws := uitest.NewWorkspace(t, rec)
	ws.Path, ws.Title = path, filepath.Base(path)
	r = uitest.NewRoom(uitest.NewHost(t, ws, 120, 36), ExportActions())
	r.Do("export")
	require.Contains(t, r.Text(), "Export 20261121-100000-notes-abcdef.jsonl")
	return r, folder
}

// exportsTo names the file to write.
func exportsTo(r *uitest.Room, path string) {
	r.Do("export-down", "export-down", "export-clear")
	r.Write(path)
}

func TestExport(t *testing.T) {
	uitest.TestActions(t, ExportActions(), exportTests, func(t *testing.T, test func(*testing.T, *uitest.Room, string)) {
		r, folder := openedExport(t)
		test(t, r, folder)
	})
}

var exportTests = map[string]func(t *testing.T, r *uitest.Room, folder string){
	"export": func(t *testing.T, r *uitest.Room, folder string) {
		require.Contains(t, r.Text(), "2 secrets in 2 entries will be removed")
		require.Contains(t, r.Text(), "1  github")
		require.Contains(t, r.Text(), "1  key password")
		r.Do("export-close")
		r.Do("export") // the same again
		require.Contains(t, r.Text(), "20261121-100000-notes-abcdef.html")
	},
	"export-write": func(t *testing.T, r *uitest.Room, folder string) {
		out := filepath.Join(folder, "out.html")
		exportsTo(r, out)
		r.Do("export-write")
		require.Empty(t, r.Opened)
		require.Contains(t, r.Said(), "2 secrets removed")
		page, err := os.ReadFile(out)
		require.NoError(t, err)
		require.NotContains(t, string(page), sharedSecret)
		require.NotContains(t, string(page), "hunter22")
		require.Contains(t, string(page), "[redacted:")

		r.Do("export", "export-down", "export-toggle")
		require.Contains(t, r.Text(), "kept: the file contains everything")
		r.Do("export-down", "export-clear")
		r.Write(out)
		r.Do("export-write")
		require.Contains(t, r.Asked(), "Replace the file?")
		require.NotContains(t, readText(t, out), sharedSecret, "not before it is confirmed")
		r.Do("yes")
		require.Contains(t, readText(t, out), sharedSecret, "as it was asked for")

		r.Do("export")
		exportsTo(r, filepath.Join(folder, "20261121-100000-notes-abcdef.jsonl"))
		r.Do("export-write")
		require.Contains(t, r.Text(), "x that is the recording itself")
		for path, why := range map[string]string{"": "enter a file name", folder: "is a folder", filepath.Join(folder, "no", "such.md"): "no such file"} {
			r.Do("export-clear")
			r.Write(path)
			r.Do("export-write")
			require.Contains(t, r.Text(), why)
		}
	},
	"export-toggle": func(t *testing.T, r *uitest.Room, folder string) {
		r.Do("export-toggle")
		require.Regexp(t, `format +md  a report`, r.Text())
		require.Contains(t, r.Text(), "notes-abcdef.md")
		r.Do("export-down", "export-down", "export-toggle")
		r.Write("x")
		require.Contains(t, r.Text(), "notes-abcdef.md x", "a space in the name")
	},
	"export-next": func(t *testing.T, r *uitest.Room, folder string) {
		r.Do("export-next", "export-next")
		require.Contains(t, r.Text(), "notes-abcdef-messages.jsonl", "not the recording itself")
		r.Do("export-down", "export-next")
		require.Contains(t, r.Text(), "2 secrets in 2 entries stay in the file")
	},
	"export-previous": func(t *testing.T, r *uitest.Room, folder string) {
		exportsTo(r, "mine.txt")
		r.Do("export-up", "export-up", "export-previous")
		require.Regexp(t, `format +txtar`, r.Text())
		require.Contains(t, r.Text(), "mine.txt", "a name that was typed stays")
	},
	"export-clear": func(t *testing.T, r *uitest.Room, folder string) {
		r.Do("export-clear")
		require.NotContains(t, r.Text(), "abcdef.html")
	},
	"export-down": func(t *testing.T, r *uitest.Room, folder string) {
		r.Do("export-down", "export-down", "export-down")
		require.Contains(t, r.Text(), "> file")
	},
	"export-up": func(t *testing.T, r *uitest.Room, folder string) {
		r.Do("export-down", "export-up", "export-up")
		require.Contains(t, r.Text(), "> format")
	},
	"export-close": func(t *testing.T, r *uitest.Room, folder string) {
		out := filepath.Join(folder, "out.md")
		exportsTo(r, out)
		writing := r.Opened[0].(*exportView).write(r.Context(), false)
		r.Do("export-close")
		require.NotEmpty(t, r.Opened, "only cancelled")
		r.Run(writing)
		require.Contains(t, r.Text(), "x cancelled; no file was written")
		require.NoFileExists(t, out)
		r.Do("export-close")
		require.Empty(t, r.Opened)
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
	frames := func(t *testing.T, name string, r *uitest.Room) {
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
			r.Resize(size[0], size[1])
			uitest.RequireExact(t, r.Frame(), size[0], size[1])
			if size[0] > 40 {
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), r.Text())
			}
		}
	}
	recording, _ := openedExport(t)
	frames(t, "export-recording", recording)
	uitest.Live(t, &uitest.Server{Serve: uitest.Echo}, 120, 36, func(t *testing.T, h *uitest.Host) {
		r := uitest.NewRoom(h, ExportActions())
		r.Do("export", "export-write")
		frames(t, "export-not-recorded", r)
	})
}
