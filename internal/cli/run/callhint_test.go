package run_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/run"
	"mcpdbg/session"
)

// strictServer is the variable that makes the test binary a server of the
// legacy era that declares only tools. With "refuses" it rejects requests for
// other lists, with "answers" it answers them.
const strictServer = "MCPDBG_TEST_STRICT_SERVER"

// serveStrictly is that server. Like many SDKs, it returns an error result for an
// unknown tool.
func serveStrictly(others string) int {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch {
		case m.Method == "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"strict","version":"1"}}`
		case m.Method == "tools/list":
			answer = `"result":{"tools":[{"name":"sum","inputSchema":{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{}}}},` +
				`{"name":"odd","inputSchema":7}]}`
		case m.Method == "tools/call":
			answer = `"result":{"isError":true,"content":[{"type":"text","text":"it failed"}]}`
		case m.Method == "prompts/list" && others == "answers":
			answer = `"result":{"prompts":[]}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
	}
	return 0
}

// againstStrict returns a command line against the strict server.
func againstStrict(t *testing.T, others string, flags ...string) []string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return append(flags, "--era", "legacy", "-e", strictServer+"="+others, "--", self)
}

func TestFailedCallListsTools(t *testing.T) {
	t.Parallel()
	const all = "add, ask, big, book, echo, env, fail, flood, job, log, media, roots, sample, slow, touch"
	for _, c := range []struct {
		args   []string
		stdout string   // a part of it
		says   []string // lines of stderr, in their order
	}{
		{clitest.Against("", "call", "--tool", "ech", "message=hi"), "", []string{
			`mcpdbg: tools/call: error -32602: no tool "ech"`, "  available tools: echo, " + strings.Replace(all, "echo, ", "", 1), "  try: --tool echo",
		}},
		{clitest.Against("", "call", "--tool", "frobnicate"), "", []string{
			`mcpdbg: tools/call: error -32602: no tool "frobnicate"`, "  available tools: " + all,
		}},
		{clitest.Against("", "call", "tools/call", "--params", `{"name":"ecko"}`), "", []string{
			`mcpdbg: tools/call: error -32602: no tool "ecko"`, "  available tools: echo, " + strings.Replace(all, "echo, ", "", 1), "  try: --tool echo",
		}},
		{clitest.Against("", "call", "--tool", "add", "a=1", "b=2.5"), `"isError":true`, []string{
			"mcpdbg: the tool returned an error", "  try: a must be a number: write a:=1", "  try: b must be a number: write b:=2.5",
		}},
		{clitest.Against("", "call", "--tool", "add", "a=one", "b:=2"), `"isError":true`, []string{
			"mcpdbg: the tool returned an error", `  try: a must be a number, not "one"`,
		}},
		{clitest.Against("", "call", "tools/call", "--params", `{"name":"add","arguments":{"a":"1","b":2}}`), `"isError":true`, []string{
			"mcpdbg: the tool returned an error", `  try: a must be a number: write 1, not "1"`,
		}},
		{againstStrict(t, "refuses", "call", "--tool", "smu"), "it failed", []string{
			"mcpdbg: the tool returned an error", "  available tools: sum, odd", "  try: --tool sum",
		}},
		{againstStrict(t, "refuses", "call", "--tool", "sum", "a=5", "b=text"), "it failed", []string{
			"mcpdbg: the tool returned an error", "  try: a must be an integer or null: write a:=5",
		}},
		{againstStrict(t, "refuses", "call", "--tool", "odd", "a=5"), "it failed", nil},
	} {
		r := clitest.Run(t, append([]string{c.args[0], "--no-record"}, c.args[1:]...)...)
		require.Equal(t, 1, r.Code, "%q\n%s", c.args, r.Stderr)
		require.Contains(t, r.Stdout, c.stdout)
		require.Equal(t, strings.Join(c.says, "\n"), strings.TrimSuffix(r.Stderr, "\n"), "%q", c.args)
	}
}

func TestCallPrintsAnObjectWithJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		ok   bool
		want string // member result or error
	}{
		{[]string{"--tool", "echo", "message=<hi>"}, 0, true, `{"content":[{"type":"text","text":"<hi>"}]}`},
		{[]string{"--tool", "fail", "kind=error"}, 1, false, ""},
		{[]string{"--tool", "fail", "kind=isError"}, 1, false, ""},
		{[]string{"no/such"}, 1, false, `{"code":-32601,"message":"no method \"no/such\""}`},
	} {
		args := append([]string{"call", "--json", "--era", "legacy"}, c.args...)
		r := clitest.Run(t, clitest.Against("", args...)...)
		require.Equal(t, c.code, r.Code, r.Stderr)
		var doc run.CallDocument
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc), r.Stdout)
		require.Equal(t, 1, strings.Count(r.Stdout, "\n"), "one line")
		require.Equal(t, c.ok, doc.OK)
		require.NotEqual(t, doc.Result == nil, doc.Error == nil)
		require.Equal(t, "mcpdbg-demo "+console.Version, doc.Server)
		require.Equal(t, "legacy", doc.Era)
		require.FileExists(t, doc.Recording)
		require.NotZero(t, doc.N)
		switch {
		case c.want == "":
		case doc.Error == nil:
			require.JSONEq(t, c.want, string(doc.Result))
			require.Contains(t, r.Stdout, "<hi>", "no unnecessary escapes")
		default:
			failure, err := json.Marshal(doc.Error)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(failure))
			require.Contains(t, r.Stderr, (&session.RPCError{Code: -32601, Message: `no method "no/such"`}).Error())
		}
	}
}

// TestListUndeclared: the result is printed, with a note that the server did not
// declare the list.
func TestListUndeclared(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, againstStrict(t, "answers", "list", "--no-record", "--json", "prompts")...)
	require.Equal(t, clitest.Result{Code: 0, Stdout: "[]\n", Stderr: "mcpdbg: note: the server does not declare prompts in its capabilities\n"}, r)
	r = clitest.Run(t, againstStrict(t, "refuses", "list", "--no-record", "templates")...)
	require.Equal(t, clitest.Result{Code: 1, Stdout: "", Stderr: "mcpdbg: the server does not declare templates in its capabilities; the request was sent anyway: " +
		"resources/templates/list: error -32601: Method not found\n"}, r)
	r = clitest.Run(t, againstStrict(t, "refuses", "list", "--no-record", "tools")...)
	require.Equal(t, 0, r.Code)
	require.Empty(t, r.Stderr)
}
