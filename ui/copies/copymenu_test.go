package copies

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// A copyRoom has the menu over a session with a server. Its detail pane shows a value.
type copyRoom struct {
	*uitest.Room
}

type copyTest func(t *testing.T, r *copyRoom, x *uitest.Server)

func inCopyRoom(t *testing.T, w, h int, test copyTest) {
	t.Helper()
	x := &uitest.Server{}
	uitest.Live(t, x, w, h, func(t *testing.T, host *uitest.Host) {
		r := &copyRoom{uitest.NewRoom(host, CopyActions())}
		r.Value = &uitest.Value{JQ: "."}
		r.SelectRow(r.Row("notifications/initialized"))
		test(t, r, x)
	})
}

// copied returns the text that the menu copies for the entry that a query matches.
func (r *copyRoom) copied(query string) string {
	r.Clip = ""
	r.Do(actCopyMenu)
	r.Write(query)
	r.Do(actCopyThis)
	return r.Clip
}

// called calls a tool of the server, and selects the request.
func (r *copyRoom) called() {
	r.Send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}}`)
	r.SelectRow(r.Row("it's"))
}

// inText moves the cursor of the detail pane to the text of the call.
func (r *copyRoom) inText() {
	r.Value = &uitest.Value{Text: `"it's\u001b \\ me"`, Pointer: "/params/arguments/text", JQ: ".params.arguments.text"}
}

func TestCopyActions(t *testing.T) {
	uitest.TestActions(t, CopyActions(), copyTests, func(t *testing.T, test copyTest) { inCopyRoom(t, 120, 36, test) })
}

var copyTests = map[string]copyTest{
	actCopyMenu: func(t *testing.T, r *copyRoom, x *uitest.Server) {
		r.called()
		r.inText()
		r.Do(actCopyMenu)
		for _, form := range []string{"message, byte for byte", "value under the cursor", "path for jq", "path as JSON Pointer", "params", "row as a line", "mcpdbg call", "printf", "configuration"} {
			require.Contains(t, r.Text(), form)
		}
		r.Colours()
		uitest.Golden(t, "copy-menu", r.Frame())
	},
	actCopyThis: func(t *testing.T, r *copyRoom, x *uitest.Server) {
		r.called()
		require.Equal(t, `{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}`, r.copied("params"))
		require.Equal(t, `mcpdbg call --tool echo --params '{"text":"it'\''s\u001b \\ me"}' -- fake-server`, r.copied("call"))
		require.Contains(t, r.copied("configuration"), `"command": "fake-server"`)
		require.Contains(t, r.copied("row as"), `> tools/call {"jsonrpc"`)
		require.Contains(t, r.Said(), " bytes (row as a line of text) to the terminal's clipboard (OSC 52)")
		require.Empty(t, r.Opened)

		require.Equal(t, ".", r.copied("path for jq"))
		r.inText()
		require.Equal(t, ".params.arguments.text", r.copied("path for jq"))
		require.Contains(t, r.Said(), "sent 22 bytes (.params.arguments.text, jq) to the terminal's clipboard (OSC 52)")
		require.Equal(t, "/params/arguments/text", r.copied("json pointer"))
		require.Contains(t, r.Said(), "sent 22 bytes (/params/arguments/text, JSON Pointer) to the terminal's clipboard (OSC 52)")

		x.Latest().Out(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
		r.Pull()
		r.SelectRow(r.Row(`"content":[]`))
		require.Contains(t, r.copied("mcpdbg call"), "mcpdbg call --tool echo ", "of the request, from its response")
	},
	actWriteThis: func(t *testing.T, r *copyRoom, x *uitest.Server) {
		r.called()
		for range 2 {
			r.Do(actCopyMenu)
			r.Write("params")
			r.Do(actWriteThis, "accept")
		}
		require.Contains(t, r.Said(), "file already exists", "a second write fails")
		require.Len(t, r.Saved, 1)
		for name, text := range r.Saved {
			require.Regexp(t, `^mcpdbg-\d+\.json$`, name)
			require.Contains(t, text, `"name":"echo"`)
		}
	},
	"close-copy": func(t *testing.T, r *copyRoom, x *uitest.Server) {
		r.Do(actCopyMenu, "close-copy")
		require.Empty(t, r.Opened)
	},
	ScopeCopy + "-" + kit.Down:     copyMoves(kit.Down, 0, 1),
	ScopeCopy + "-" + kit.Up:       copyMoves(kit.Up, 2, 1),
	ScopeCopy + "-" + kit.PageDown: copyMoves(kit.PageDown, 0, -1),
	ScopeCopy + "-" + kit.PageUp:   copyMoves(kit.PageUp, -1, 0),
	ScopeCopy + "-" + kit.Top:      copyMoves(kit.Top, 2, 0),
	ScopeCopy + "-" + kit.Bottom:   copyMoves(kit.Bottom, 0, -1),
}

// copyMoves returns a test that an action moves the cursor between two places; -1 is the
// last.
func copyMoves(move string, from, to int) copyTest {
	return func(t *testing.T, r *copyRoom, _ *uitest.Server) {
		r.Do(actCopyMenu)
		r.PickerMoves(move, from, to)
	}
}

// TestReproduce checks that a shell turns the command back into the sent
// messages, byte for byte.
func TestReproduce(t *testing.T) {
	inCopyRoom(t, 120, 36, func(t *testing.T, r *copyRoom, x *uitest.Server) {
		r.called()
		line := r.copied("printf")
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

func TestPrintfWord(t *testing.T) {
	for _, line := range []string{"", "plain", `back\slash and \0101`, "tab\tand\x00nul\xff", "it's %d", "é"} {
		out, err := exec.Command("/bin/sh", "-c", "printf '%b' "+printfWord([]byte(line))).Output()
		require.NoError(t, err)
		require.Equal(t, line, string(out))
	}
}

func TestCallLine(t *testing.T) {
	local := session.Header{Argv: []string{"npx", "-y", "a server"}, Cwd: "/srv/a b"}
	remote := session.Header{Argv: []string{"srv", "${KEY}"}, Host: "build-7"}
	inside := session.Header{Argv: []string{"srv"}, Host: "build-7", Via: []string{"docker", "exec", "-i", "web"}, Cwd: "/srv"}
	for _, tc := range []struct {
		h              session.Header
		method, params string
		want           string
	}{
		{inside, "tools/list", "", `mcpdbg call tools/list --ssh build-7 --via 'docker exec -i web' -C /srv -- srv`},
		{local, "tools/list", "", `mcpdbg call tools/list -C '/srv/a b' -- npx -y 'a server'`},
		{local, "tools/call", `{"name":"echo"}`, `mcpdbg call --tool echo -C '/srv/a b' -- npx -y 'a server'`},
		{local, "tools/call", `{"name":7}`, `mcpdbg call tools/call --params '{"name":7}' -C '/srv/a b' -- npx -y 'a server'`},
		{remote, "prompts/get", `{"name":"x"}`, `mcpdbg call prompts/get --params '{"name":"x"}' --ssh build-7 -- srv '${KEY}'`},
	} {
		line, err := CallLine(tc.h, tc.method, []byte(tc.params))
		require.NoError(t, err)
		require.Equal(t, tc.want, line)
	}
}
