package replay_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/demo"
)

// recorded returns a recording of a session that sent the messages in to the demo
// server, which may have a fault.
func recorded(t testing.TB, fault, in string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	r := clitest.Run(t, clitest.Against(fault, "run", "--quiet", "--era", "legacy", "--timeout", "20s", "--record", path, "--in", clitest.WriteFile(t, in))...)
	require.NotEqual(t, console.ExitUsage, r.Code, r.Stderr)
	return path
}

const mockedSession = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"after-6"}}
{"jsonrpc":"2.0","id":"2b","method":"tools/list","params":{"cursor":"after-12"}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fail","arguments":{}}}
`

// mocked returns a command line of flags and, after --, the mock.
func mocked(path string, mock []string, flags ...string) []string {
	args := append(flags[:len(flags):len(flags)], "--no-record", "--", clitest.Binary(), "mock")
	return append(append(args, mock...), path)
}

// The mock returns the same as the real server.
func TestMockAnswersAsRecorded(t *testing.T) {
	t.Parallel()
	path := recorded(t, "", mockedSession)
	for _, flags := range [][]string{
		{"list", "--json", "tools"},
		{"call", "--tool", "echo", "message=hi"},
		{"call", "--tool", "fail"},
	} {
		real := clitest.Run(t, clitest.Against("", append(flags, "--no-record", "--era", "legacy")...)...)
		mock := clitest.Run(t, mocked(path, nil, flags...)...)
		require.Equal(t, real.Stdout, mock.Stdout, flags)
		require.Equal(t, real.Code, mock.Code, flags)
		require.NotEmpty(t, mock.Stdout, flags)
	}
}

// A session replayed against its mock has no differences: in both eras, with
// progress, notifications and server requests.
func TestMockReplaysWithoutDifferences(t *testing.T) {
	t.Parallel()
	in := clitest.WriteFile(t, mockedSession+`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":0.1,"steps":2},"_meta":{"progressToken":"p"}}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ask","arguments":{}}}
{"jsonrpc":"2.0","id":7,"method":"resources/list"}
`)
	answers := clitest.WriteFile(t, string(demo.CannedAnswers()))
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			again := []string{"run", "--quiet", "--era", era, "--answers", answers, "--in", in, "--record"}
			first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
			r := clitest.Run(t, clitest.Against("", append(again[:len(again):len(again)], first)...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			r = clitest.Run(t, append(append(again[:len(again):len(again)], second), "--", clitest.Binary(), "mock", first)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			r = clitest.Run(t, "diff", "--logs", "--envelope", first, second)
			require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
			require.Regexp(t, `\d+ calls compared, \d+ equal`, r.Stdout)

			r = clitest.Run(t, "replay", "--all", "--no-record", first, "--", clitest.Binary(), "mock", first)
			require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
		})
	}
}

func TestMockReportsUnrecordedRequests(t *testing.T) {
	t.Parallel()
	path := recorded(t, "", mockedSession)
	cmd := clitest.Program(t, "mock", path)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"message":"ho\u001b[31m"}}}` + "\n")
	r := clitest.Finish(t, cmd)
	require.Equal(t, console.ExitFailure, r.Code)
	require.Regexp(t, `^mcpdbg: tools/call echo message="[^;]+" was not recorded; recorded: message=.*; the closest recorded request is entry \d+, answered with seq \d+, which differs at /arguments/message\nmcpdbg: requests: 1, not recorded: 1\n$`, r.Stderr)
	var answer struct {
		ID    string
		Error struct {
			Code int
			Data struct{ Closest struct{ Differs []string } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &answer))
	require.Equal(t, "a", answer.ID)
	require.Equal(t, []string{"/arguments/message"}, answer.Error.Data.Closest.Differs)

	r = clitest.Run(t, mocked(path, nil, "call", "--tool", "echo", "message=ho")...)
	require.Equal(t, console.ExitFailure, r.Code)
	require.Contains(t, r.Stderr, "which differs at /arguments/message")

	rules := clitest.WriteFile(t, "ignore tools/call:echo /params/arguments/message\n")
	r = clitest.Run(t, mocked(path, []string{"--rules", rules}, "call", "--tool", "echo", "message=ho")...)
	require.Equal(t, "{\"content\":[{\"text\":\"hi\",\"type\":\"text\"}]}\n", r.Stdout, "ignored differences do not count")
}

// With --passthrough the real server answers, and its session is recorded.
func TestMockPassthrough(t *testing.T) {
	t.Parallel()
	path := recorded(t, "", mockedSession)
	second := filepath.Join(t.TempDir(), "second.jsonl")
	cmd := clitest.Program(t, append([]string{"mock", "--passthrough", "--record", second, path}, clitest.Against("")...)...)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(mockedSession, `"hi"`, `"new"`))
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"text":"new","type":"text"}]}}`)
	require.Contains(t, r.Stderr, "requests: 5, not recorded: 1, answered by the real server: 1")
	require.Contains(t, r.Stderr, "recorded to "+second)

	r = clitest.Run(t, mocked(second, nil, "call", "--tool", "echo", "message=new")...)
	require.Equal(t, 0, r.Code, "the real server's session is recorded: %s", r.Stderr)

	cmd = clitest.Program(t, "mock", "--passthrough", path, "--", filepath.Join(t.TempDir(), "missing"))
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(mockedSession, `"hi"`, `"new"`))
	r = clitest.Finish(t, cmd)
	require.Equal(t, console.ExitStart, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "and failed on the real server")
}

func TestMockUsage(t *testing.T) {
	t.Parallel()
	fixture := clitest.RuleFixtures + "healthy-legacy.jsonl"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"mock"}, "one recording"},
		{[]string{"mock", "a", "b"}, "one recording"},
		{[]string{"mock", fixture, "--", "x"}, "takes no command"},
		{[]string{"mock", "--record", "x", fixture}, "--record requires --passthrough"},
		{[]string{"mock", "--passthrough", fixture}, "the real server's command"},
		{[]string{"mock", fixture + ".missing"}, "file not found"},
		{[]string{"mock", "--repeat", "often", fixture}, "last, cycle or error"},
		{[]string{"mock", "--rules", fixture, fixture}, "--rules: "},
		{[]string{"mock", "--run", "7", fixture}, "no such process in the recording: run 7 of 1"},
		{[]string{"mock", "--run", "-1", fixture}, "must be 1 or more"},
		{[]string{"mock", "--speed", "-1", fixture}, "--speed"},
		{[]string{"mock", "--idle-cap", "1s", fixture}, "--idle-cap requires --speed"},
		{[]string{"mock", "--ask-timeout", "0", fixture}, "--ask-timeout"},
		{[]string{"mock", "--fault", "cut:x", fixture}, `--fault "cut:x"`},
	} {
		r := clitest.InProcess(t, c.args...)
		require.Equal(t, console.ExitUsage, r.Code, c.args)
		require.Contains(t, r.Stderr, c.says)
		require.Empty(t, r.Stdout)
	}
}
