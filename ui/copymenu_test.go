package ui

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// copied is what the menu copies for the choice that a query leads to.
func (d *driver) copied(query string) string {
	d.t.Helper()
	d.clip = ""
	d.do(actCopyMenu)
	d.write(query)
	d.do(actCopyThis)
	return d.clip
}

// called has the server asked for a tool, and the request selected.
func called(d *driver) {
	d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}}`)
	d.traffic.Select(d.row("it's"))
	d.do(actDetail)
	d.do(actTraffic)
}

var copyTests = map[string]actionTest{
	actCopyMenu: func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		d.do(actCopyMenu)
		for _, form := range []string{"message, byte for byte", "value under the cursor", "path of the value", "params", "row as a line", "mcpdbg call", "printf", "configuration"} {
			require.Contains(t, d.plain(), form)
		}
		golden(t, "copy-menu", d.screen())
	},
	actCopyThis: func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		require.Equal(t, `{"name":"echo","arguments":{"text":"it's\u001b \\ me"}}`, d.copied("params"))
		require.Equal(t, `mcpdbg call --tool echo --params '{"text":"it'\''s\u001b \\ me"}' -- fake-server`, d.copied("call"))
		require.Contains(t, d.copied("configuration"), `"command": "fake-server"`)
		require.Contains(t, d.copied("row as"), `> tools/call {"jsonrpc"`)
		require.Contains(t, d.rows()[35], "row as a line of text: ")
		require.Nil(t, d.top())
	},
	actWriteThis: func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		t.Chdir(t.TempDir())
		for range 2 {
			d.do(actCopyMenu)
			d.write("params")
			d.do(actWriteThis, actAccept)
		}
		require.Contains(t, d.rows()[35], "file exists", "the second time")
		name, err := filepath.Glob("mcpdbg-*.json")
		require.NoError(t, err)
		require.Len(t, name, 1)
		data, err := os.ReadFile(name[0])
		require.NoError(t, err)
		require.Contains(t, string(data), `"name":"echo"`)
	},
	actCloseCopy: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCopyMenu, actCloseCopy)
		require.Nil(t, d.top())
	},
	scopeCopy + "-" + actDown:     pickerMoves(actCopyMenu, actDown, 0, 1),
	scopeCopy + "-" + actUp:       pickerMoves(actCopyMenu, actUp, 2, 1),
	scopeCopy + "-" + actPageDown: pickerMoves(actCopyMenu, actPageDown, 0, -1),
	scopeCopy + "-" + actPageUp:   pickerMoves(actCopyMenu, actPageUp, -1, 0),
	scopeCopy + "-" + actTop:      pickerMoves(actCopyMenu, actTop, 2, 0),
	scopeCopy + "-" + actBottom:   pickerMoves(actCopyMenu, actBottom, 0, -1),
}

// pickerMoves returns a test that an action moves the cursor of a picker between
// two places; -1 is the last. open opens it.
func pickerMoves(open, move string, from, to int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(open)
		_ = d.screen() // which gives it a size
		o := d.top().(picking)
		last := len(o.picks().shown) - 1
		require.GreaterOrEqual(t, last, 2, "too short to see anything move")
		place := func(i int) int {
			if i < 0 {
				return last
			}
			return i
		}
		o.picks().at = place(from)
		d.do(o.scope() + "-" + move)
		require.Equal(t, place(to), o.picks().at)
	}
}

// TestReproduce: a shell makes of the line what was sent, byte for byte.
func TestReproduce(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		called(d)
		row, ok := d.rowReader().at(d.row("it's"))
		require.True(t, ok)
		line, err := reproduce(d.source, row)
		require.NoError(t, err)
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

func (d *driver) rowReader() *rowReader { return &rowReader{source: d.source} }

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
	for _, tc := range []struct {
		h              session.Header
		method, params string
		want           string
	}{
		{local, "tools/list", "", `mcpdbg call tools/list -C '/srv/a b' -- npx -y 'a server'`},
		{local, "tools/call", `{"name":"echo"}`, `mcpdbg call --tool echo -C '/srv/a b' -- npx -y 'a server'`},
		{local, "tools/call", `{"name":7}`, `mcpdbg call tools/call --params '{"name":7}' -C '/srv/a b' -- npx -y 'a server'`},
		{remote, "prompts/get", `{"name":"x"}`, `mcpdbg call prompts/get --params '{"name":"x"}' --ssh build-7 -- srv '${KEY}'`},
	} {
		line, err := callLine(tc.h, tc.method, []byte(tc.params))
		require.NoError(t, err)
		require.Equal(t, tc.want, line)
	}
}

// TestCopyIsSafe: whatever a message holds, nothing of it does or hides anything
// where it is pasted.
func TestCopyIsSafe(t *testing.T) {
	for _, text := range hostile {
		for _, lines := range []bool{false, true} {
			msg := toClipboard("x", text, lines).(result)
			require.NoError(t, msg.err)
			for _, r := range fmt.Sprint(msg.then(nil)()) {
				ours := r == '\t' || r == '\n' && lines
				require.False(t, !ours && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)), "%q", r)
			}
		}
	}
}
