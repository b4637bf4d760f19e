package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpdbg/ui/host"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/tui"
	"mcpdbg/session/mcp"
)

// atHomeOf returns the program without arguments, with this home directory, in a
// project below it.
func atHomeOf(t *testing.T, home string) *exec.Cmd {
	t.Helper()
	cmd := clitest.Program(t)
	cmd.Dir = filepath.Join(home, "project")
	require.NoError(t, os.MkdirAll(cmd.Dir, 0o700))
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_STATE_HOME="+filepath.Join(home, "state"),
		"CODEX_HOME=", "CLAUDE_CONFIG_DIR=")
	return cmd
}

// TestFirstStart: without servers and recordings, three lines say how to begin.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	r := clitest.Finish(t, atHomeOf(t, t.TempDir()))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, tui.FirstStart, r.Stdout)
	require.Equal(t, 3, strings.Count(r.Stdout, "\n"))
	require.Contains(t, r.Stdout, "mcpdbg demo")
	for line := range strings.Lines(r.Stdout) {
		require.LessOrEqual(t, len(line), 100)
	}
}

// homeFiles are config files with servers of all kinds.
var homeFiles = map[string]string{
	"project/.mcp.json": `{"mcpServers":{
		"demo":{"command":"DEMO","args":["demo-server","${UNSET_ONE}"],"env":{"KEY":"s3cret"}},
		"far":{"command":"touch","args":["trace"],"ssh":"build-7"},
		"evil\u001b[31m\u202e":{"command":"evil\u001b]0;x\u0007"},
		"http":{"url":"https://example.com/mcp"}}}`,
	"project/.vscode/mcp.json": `{"inputs":[{"type":"promptString","id":"key","description":"API key","password":true,"default":"s3cret"},
		{"type":"pickString","id":"mode","options":["a","b"]}],
		"servers":{"asks":{"command":"DEMO","args":["demo-server","--name=${input:key}"],"env":{"M":"${input:mode}"}}}}`,
	".cursor/mcp.json": `{"mcpServers": oops}`,
	".claude.json":     `{"projects":{"/elsewhere":{"mcpServers":{"there":{"command":"./there"}}}}}`,
}

func TestHomeList(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	clitest.Fill(t, home, homeFiles)
	folder := filepath.Join("state", "mcpdbg", "recordings")
	for i := range 12 {
		begin := `{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"ssh","host":"build-7","argv":["/bin/server-%d"]}` + "\n"
		text := fmt.Sprintf(begin, i)
		if i != 11 {
			text += `{"n":1,"t":0,"k":"end","entries":1}` + "\n"
		}
		clitest.Fill(t, home, map[string]string{filepath.Join(folder, fmt.Sprintf("20261121-1000%02d-server-%d-abcdef.jsonl", i, i)): text})
	}
	clitest.Fill(t, home, map[string]string{filepath.Join(folder, "notes.txt"): "no recording"})

	r := clitest.Finish(t, atHomeOf(t, home))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
	for _, text := range []string{
		".mcp.json  Claude Code, project\n",
		"  demo                  local         " + clitest.Binary() + " demo-server ${UNSET_ONE}\n",
		"note: ${UNSET_ONE} is not expanded: the variable UNSET_ONE is not set\n",
		"  far                   build-7       touch trace\n",
		"  http                  can't run     HTTP servers are not supported yet: mcpdbg speaks stdio (try: -- npx -y mcp-remote https://",
		".vscode/mcp.json  VS Code, project\n",
		"demo-server --name=${input:key}\n",
		"needs --input key=... (API key)\n",
		"needs --input mode=... (one of a, b)\n",
		"~/.cursor/mcp.json\n  line 1, column 16: not valid JSON: invalid word, number or string\n",
		"in /elsewhere\n",
		"recordings in ~/state/mcpdbg/recordings, the newest 10 of 12\n",
		"  -               not finished  20261121-100011-server-11-abcdef.jsonl        build-7: server-11\n",
		"  -               done          20261121-100010-server-10-abcdef.jsonl        build-7: server-10\n",
		"mcpdbg --config FILE --server NAME\n", "mcpdbg demo\n",
	} {
		require.Contains(t, r.Stdout, text)
	}
	require.Less(t, strings.Index(r.Stdout, ".mcp.json"), strings.Index(r.Stdout, ".cursor"), "the project comes first")
	require.NotContains(t, r.Stdout, "server-1-", "only the newest")
	require.NotContains(t, r.Stdout, "s3cret")
	for _, bad := range []string{"\x1b", "\x07", "\u202e"} {
		require.NotContains(t, r.Stdout, bad)
	}
	require.NoFileExists(t, filepath.Join(home, "project", "trace"))
}

// TestLauncher opens a server with inputs, a recording and the demo.
func TestLauncher(t *testing.T) {
	home := t.TempDir()
	clitest.Fill(t, home, homeFiles)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Chdir(filepath.Join(home, "project"))
	var stderr strings.Builder
	l := &tui.Launcher{Env: &console.Env{Stderr: &stderr, Self: []string{clitest.Binary()}, Urgent: t.Context()}}

	items := func() map[string]host.Item {
		found, err := l.Home(t.Context())
		require.NoError(t, err)
		require.Len(t, found.Notes, 1)
		require.Contains(t, found.Notes[0], ".cursor/mcp.json:1:16: not valid JSON")
		byName := map[string]host.Item{}
		keys := map[string]bool{}
		for _, item := range found.Items {
			byName[item.Name] = item
			require.NotContains(t, item.Command, "s3cret")
			require.False(t, keys[item.Key], "keys are unique")
			keys[item.Key] = true
		}
		return byName
	}
	ctx := context.Background()
	found := items()
	require.Equal(t, "build-7", found["far"].Where)
	require.Equal(t, "Claude Code, .mcp.json:2", found["demo"].From)
	require.Len(t, found["demo"].Notes, 1)
	require.Contains(t, found["http"].Blocked, "HTTP servers are not supported yet")
	require.Equal(t, []host.Input{
		{ID: "key", Description: "API key", Default: "s3cret", Secret: true},
		{ID: "mode", Options: []string{"a", "b"}},
	}, found["asks"].Inputs)

	_, err := l.Open(ctx, found["http"], nil)
	require.ErrorContains(t, err, "HTTP servers are not supported yet")
	_, err = l.Open(ctx, found["asks"], nil)
	require.ErrorContains(t, err, "needs a value for mode")
	_, err = l.Open(ctx, host.Item{Key: "server"}, nil)
	require.Error(t, err)

	far, err := l.Open(ctx, found["far"], nil)
	require.NoError(t, err)
	require.Equal(t, "far (build-7)", far.Title)
	require.Equal(t, "ssh", far.Source.Header().Placement)
	require.NoError(t, far.Close(ctx), "a session that was never started")

	opened, err := l.Open(ctx, found["demo server"], nil)
	require.NoError(t, err)
	require.Equal(t, "demo server (local)", opened.Title)
	require.NoError(t, opened.Start(ctx))
	require.Equal(t, "ready", string(opened.Session.Status().State))
	require.NoError(t, opened.Close(ctx))
	require.NoError(t, opened.Close(ctx))

	clitest.Fill(t, home, map[string]string{"project/.vscode/mcp.json": `{"inputs":[{"type":"promptString","id":"key","password":true}],
		"servers":{"asks":{"command":"DEMO","args":["demo-server"],"env":{"K":"${input:key}"}}}}`})
	opened, err = l.Open(ctx, found["asks"], map[string]string{"key": "hunter2"})
	require.NoError(t, err, "the file is read again")
	require.NoError(t, opened.Start(ctx))
	require.Contains(t, opened.Session.Status().Process.Env.Named, "K")

	recording := items()[filepath.Base(clitest.Binary())] // of the demo
	require.Equal(t, host.RecordingItem, recording.Kind)
	shown, err := l.Open(ctx, recording, nil)
	require.NoError(t, err)
	require.Nil(t, shown.Session)
	require.Positive(t, shown.Source.Len())

	looked := l.Look(ctx, recording, false)
	require.Equal(t, filepath.Base(clitest.Binary())+" demo-server", looked.Name, "without its folder")
	require.Equal(t, recording.Key, looked.Key)
	require.Equal(t, []string{clitest.Binary(), "demo-server"}, looked.Words)
	require.Empty(t, looked.Verdict, "not as a whole yet")
	looked = l.Look(ctx, recording, true)
	require.True(t, looked.Live || looked.Verdict == host.VerdictOK, looked.Verdict)
	require.True(t, looked.Counted)
	require.Positive(t, looked.Sent+looked.Received)

	typed, err := l.Open(ctx, host.Item{Kind: host.CommandItem, Words: []string{"--era", "legacy", clitest.Binary(), "demo-server"}}, nil)
	require.NoError(t, err)
	require.NoError(t, typed.Start(ctx))
	require.Equal(t, mcp.Legacy, typed.Session.Status().Server.Era)
	require.Len(t, items(), len(found)+1, "another recording")
	_, err = l.Open(ctx, host.Item{Kind: host.CommandItem, Words: []string{"--erra", "x"}}, nil)
	require.ErrorContains(t, err, "did you mean --era?")

	require.NoError(t, l.End(ctx, nil), "closes what is still open")
	require.Equal(t, "closed", string(opened.Session.Status().State))
	require.NoError(t, opened.Close(ctx))
	require.NoError(t, shown.Close(ctx))
	require.Contains(t, stderr.String(), "recorded to ")
}

// TestHomeOnScreen opens a server from the list, and leaves.
func TestHomeOnScreen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	clitest.Fill(t, home, map[string]string{"project/.mcp.json": `{"mcpServers":{"good":{"command":"DEMO","args":["demo-server"]},"http":{"url":"u"}}}`})
	s := clitest.InTerminal(t, 100, 30, "env", "-C", filepath.Join(home, "project"), "HOME="+home, "XDG_CONFIG_HOME="+home, clitest.Binary())
	s.Until("good", "HTTP servers are not supported yet", "demo server")
	s.Keys("good", "Enter")
	s.Until("good (local)", "ready")
	s.Quit()
}
