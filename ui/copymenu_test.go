package ui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/copying"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// copied returns the text that the menu copies for the entry that a query
// matches.
func (d *driver) copied(query string) string {
	d.t.Helper()
	d.clip = ""
	d.do(actCopyMenu)
	d.write(query)
	d.do(actCopyThis)
	return d.clip
}

// called calls a tool of the server, and selects the request.
func called(d *driver) {
	d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}}`)
	d.visible.rows.Traffic.Select(d.row("it's"))
	d.do(actDetail)
	d.do(actTraffic)
}

// The ids of the actions of the copy menu, and its scope.
const (
	actCopyMenu  = "copy-menu"
	actCopyThis  = "copy-this"
	actWriteThis = "write-this"
	scopeCopy    = copying.ScopeMenu
)

var copyTests = map[string]actionTest{
	actCopyMenu: func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		d.do(actDetail, kit.Bottom, kit.Up, kit.Up, kit.Up, actTraffic, actCopyMenu)
		for _, form := range []string{"message, byte for byte", "value under the cursor", "path for jq", "path as JSON Pointer", "params", "row as a line", "mcpdbg call", "printf", "configuration"} {
			require.Contains(t, d.plain(), form)
		}
		uitest.Golden(t, "copy-menu", d.content())
	},
	actCopyThis: func(t *testing.T, d *driver, x *fakeExecutor) {
		called(d)
		require.Equal(t, `{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}`, d.copied("params"))
		require.Equal(t, `mcpdbg call --tool echo --params '{"text":"it'\''s\u001b \\ me"}' -- fake-server`, d.copied("call"))
		require.Contains(t, d.copied("configuration"), `"command": "fake-server"`)
		require.Contains(t, d.copied("row as"), `> tools/call {"jsonrpc"`)
		require.Contains(t, d.rows()[35], " bytes (row as a line of text) to the terminal's clipboard (OSC 52)")
		require.Nil(t, d.front.top())

		require.Equal(t, ".", d.copied("path for jq"))
		d.do(actDetail, kit.Bottom, kit.Up, kit.Up, kit.Up, actTraffic)
		require.Equal(t, ".params.arguments.text", d.copied("path for jq"))
		require.Contains(t, d.rows()[35], "sent 22 bytes (.params.arguments.text, jq) to the terminal's clipboard (OSC 52)")
		require.Equal(t, "/params/arguments/text", d.copied("json pointer"))
		require.Contains(t, d.rows()[35], "sent 22 bytes (/params/arguments/text, JSON Pointer) to the terminal's clipboard (OSC 52)")

		x.latest().out(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
		synctest.Wait()
		d.pull()
		d.visible.rows.Traffic.Select(d.row(`"content":[]`))
		require.Contains(t, d.copied("mcpdbg call"), "mcpdbg call --tool echo ", "of the request, from its response")
	},
	actWriteThis: func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		t.Chdir(t.TempDir())
		for range 2 {
			d.do(actCopyMenu)
			d.write("params")
			d.do(actWriteThis, actAccept)
		}
		require.Contains(t, d.rows()[35], "file exists", "a second write fails")
		name, err := filepath.Glob("mcpdbg-*.json")
		require.NoError(t, err)
		require.Len(t, name, 1)
		data, err := os.ReadFile(name[0])
		require.NoError(t, err)
		require.Contains(t, string(data), `"name":"echo"`)
	},
	"close-copy": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCopyMenu, "close-copy")
		require.Nil(t, d.front.top())
	},
	scopeCopy + "-" + kit.Down:     pickerMoves(actCopyMenu, kit.Down, 0, 1),
	scopeCopy + "-" + kit.Up:       pickerMoves(actCopyMenu, kit.Up, 2, 1),
	scopeCopy + "-" + kit.PageDown: pickerMoves(actCopyMenu, kit.PageDown, 0, -1),
	scopeCopy + "-" + kit.PageUp:   pickerMoves(actCopyMenu, kit.PageUp, -1, 0),
	scopeCopy + "-" + kit.Top:      pickerMoves(actCopyMenu, kit.Top, 2, 0),
	scopeCopy + "-" + kit.Bottom:   pickerMoves(actCopyMenu, kit.Bottom, 0, -1),
}

// pickerMoves returns a test that an action moves the cursor of a picker
// between two places; -1 is the last. open opens it.
func pickerMoves(open, move string, from, to int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(open)
		_ = d.content() // sets its size
		o := pickerOf(d.front.top())
		last := len(o.Shown) - 1
		require.GreaterOrEqual(t, last, 2, "too short to see anything move")
		place := func(i int) int {
			if i < 0 {
				return last
			}
			return i
		}
		o.At = place(from)
		d.do(d.front.top().Scope() + "-" + move)
		require.Equal(t, place(to), o.At)
	}
}

// TestReproduce checks that a shell turns the command back into the sent
// messages, byte for byte.
func TestReproduce(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		line := d.copied("printf")
		require.True(t, strings.HasSuffix(line, "; sleep 2; } | fake-server"), line)
		printf, _, _ := strings.Cut(strings.TrimPrefix(line, "{ "), "; sleep")
		out, err := exec.Command("/bin/sh", "-c", printf).Output()
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		require.Len(t, lines, 3)
		require.Contains(t, lines[0], `"method":"initialize"`)
		require.Contains(t, lines[1], `"method":"notifications/initialized"`)
		require.Equal(t, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}}`, lines[2])
	})
}

// TestCopyIsSafe checks that no content of a message does or hides anything
// where it is pasted.
func TestCopyIsSafe(t *testing.T) {
	for _, text := range hostile {
		for _, lines := range []bool{false, true} {
			msg := host.Clipboard("x", "", text, "", lines).(host.Result)
			require.NoError(t, msg.Err)
			for _, r := range fmt.Sprint(msg.Then(host.Context{})()) {
				ours := r == '\t' || r == '\n' && lines
				require.False(t, !ours && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)), "%q", r)
			}
		}
	}
}
