package tap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli"
	"mcpdbg/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: cli.Main, Execute: cli.Execute}, clitest.Role{Variable: viewerOf, Run: beViewer})
}

func TestTapTellsItsPurpose(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "tap")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "tap is for the configuration of an MCP client")
	require.Contains(t, r.Stderr, "put the server command after --")
	require.Empty(t, r.Stdout)
}

func TestBadFilter(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{"colour:red": "unknown key", "": "--hold requires a filter", "/(/": "--hold"} {
		r := clitest.InProcess(t, "tap", "--hold", filter, "--", "true")
		require.Equal(t, 2, r.Code)
		require.Contains(t, r.Stderr, want)
	}
}

func TestTapOfTheDemo(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	const messages = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}
`
	server := []string{clitest.Binary(), "demo-server"}
	direct := clitest.Command(t, server[0], server[1:]...)
	direct.Stdin = strings.NewReader(messages)
	want := clitest.Finish(t, direct)
	tapped := clitest.Program(t, append([]string{"tap", "--record", record, "--"}, server...)...)
	tapped.Stdin = strings.NewReader(messages)
	require.Equal(t, want, clitest.Finish(t, tapped))
	clitest.RequireWhole(t, record)
	r := clitest.Run(t, "rec", "info", record)
	require.Regexp(t, `(?m)^client  add `, r.Stdout)
}

// TestRecordingIsFound: a client that passes few variables to its server, and the
// terminal of a person with another state folder, meet in the home folder.
func TestRecordingIsFound(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	tap := clitest.Program(t, "tap", "--name", "notes", "--", "true")
	tap.Env = append(tap.Env[:0:0], "HOME="+home, "PATH="+os.Getenv("PATH"), "LOGNAME=x", "USER=x", "SHELL=/bin/sh", "TERM=xterm")
	require.Zero(t, clitest.Finish(t, tap).Code)
	for _, args := range [][]string{{"rec", "ls"}, {"rec", "info", "notes"}} {
		person := clitest.Program(t, args...)
		person.Env = append(person.Env, "HOME="+home)
		r := clitest.Finish(t, person)
		require.Zero(t, r.Code, r.Stderr)
		require.Contains(t, r.Stdout, "notes", args)
	}
}

func TestTapForwardsWithoutARecording(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	cmd := clitest.Program(t, "tap", "--record", filepath.Join(blocked, "r.jsonl"), "--", "cat")
	cmd.Stdin = strings.NewReader("through\n")
	r := clitest.Finish(t, cmd)
	require.Equal(t, "through\n", r.Stdout)
	require.Zero(t, r.Code)
	require.Regexp(t, `^mcpdbg tap: not recorded: .*\n$`, r.Stderr)
}
