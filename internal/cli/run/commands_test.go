package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session"
)

func TestRunJSONIsTheRecording(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n\n"+`{"jsonrpc":"2.0","id":"1","method":"nope"}`)
	r := clitest.Run(t, clitest.Against("", "run", "--json", "--era", "legacy", "--record", record, "--in", in)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	data, err := os.ReadFile(record)
	require.NoError(t, err)
	require.Equal(t, string(data), r.Stdout)
	require.Equal(t, "mcpdbg: recorded to "+record+"\n", r.Stderr)
	header, entries := clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, 1, header.Version)
	require.Equal(t, "end", entries[len(entries)-1].K)
	require.Equal(t, []string{"resolve", "watchdog", "spawn", "initialize", "close-stdin"}, clitest.Phases(entries),
		"a server that ends with its input needs nothing more")
	var sent []string
	for _, e := range entries {
		if e.K == "stdin" {
			sent = append(sent, string(e.M))
		}
	}
	require.Equal(t, []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":"1","method":"nope"}`}, sent[2:])
}

func TestRunPrintsOneAlignedLinePerEntry(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, clitest.Against("ansi", "run", "--no-record", "--era", "legacy", "--in",
		clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`))...)
	require.Equal(t, 0, r.Code, r.Stderr)
	for l := range strings.Lines(r.Stderr) {
		require.Regexp(t, `^mcpdbg: (E FRM12 entry \d+: terminal control on stdout: ".*"|\d problems? \(\d errors?\); checked: .*)\n$`, l)
		require.False(t, strings.ContainsFunc(strings.TrimSuffix(l, "\n"), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), "%q", l)
	}
	line := regexp.MustCompile(`^ {0,5}\d+ {1,}\d+\.\d{6} +(\d+|-)  [><~x?|*] [a-z]+ +\S.*$`)
	lines := strings.Split(strings.TrimSuffix(r.Stdout, "\n"), "\n")
	require.Greater(t, len(lines), 15)
	for _, l := range lines {
		require.Regexp(t, line, l)
		require.NotContains(t, l, "\x1b", "escape sequences from the server are sanitized")
		require.False(t, strings.ContainsFunc(l, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), "%q", l)
	}
	require.Contains(t, lines[len(lines)-1], "end")
}

// A message that is cut for printing still shows its id.
func TestRunCutsBigMessages(t *testing.T) {
	t.Parallel()
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"big","arguments":{"bytes":30000}}}`)
	r := clitest.Run(t, clitest.Against("", "run", "--era", "legacy", "--in", in)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	line := regexp.MustCompile(`(?m)< stdout   response       tools/call id="long" \S+ m?s 300\d\dB .* …$`).FindString(r.Stdout)
	require.InDelta(t, 2000, len(line), 200)
}

func TestRunFilter(t *testing.T) {
	t.Parallel()
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	filtered := func(expr string, flags ...string) clitest.Result {
		return clitest.Run(t, clitest.Against("", append([]string{"run", "--no-record", "--era", "legacy", "--in", in, "--filter", expr}, flags...)...)...)
	}
	for expr, want := range map[string]string{
		"tool:echo":                             `^[^\n]*> stdin [^\n]*tools/call id=1 100B echo message="hi"  {[^\n]*\n[^\n]*< stdout [^\n]*tools/call id=1 [^\n]*s 75B echo message="hi"  hi  {[^\n]*\n$`,
		"kind:exited or method:tools/l* dir:in": `^[^\n]*< stdout [^\n]*tools/list id=2[^\n]*\n[^\n]*\* exited [^\n]*\n$`,
		"n:1":                                   `^ +1 [^\n]*\n$`,
	} {
		r := filtered(expr)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Regexp(t, want, r.Stdout, expr)
	}
	r := filtered("tool:echo", "--json")
	require.Equal(t, 3, strings.Count(r.Stdout, "\n"), "the header, the call, and its response")

	r = filtered("kind:x y")
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "--filter: column 6: kind: must be request,")
	require.Equal(t, 2, filtered("err", "--quiet").Code)
}

func TestRunQuiet(t *testing.T) {
	t.Parallel()
	require.Equal(t, clitest.Result{}, clitest.Run(t, "run", "--quiet", "--raw", "--", "echo", "hi"))
}

func TestRunRawSendsBlankLinesAndNoHandshake(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "cat")
	r := clitest.Run(t, "run", "--raw", "--json", "--in", clitest.WriteFile(t, "\nnot json\n  \nlast"), "--", "cat")
	require.Equal(t, 0, r.Code, r.Stderr)
	_, entries := clitest.PrintedEntries(t, r.Stdout)
	var came []string
	for _, e := range entries {
		if e.K == "stdout" {
			came = append(came, e.Raw)
		}
	}
	require.Equal(t, []string{"", "not json", "  ", "last"}, came)
}

func TestRunReadsStandardInput(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("", "run", "--json", "--era", "legacy", "--in", "-")...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}` + "\n")
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `{"jsonrpc":"2.0","id":7,"method":"tools/list"}}`)
}

func TestRunFor(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, clitest.Against("", "run", "--json", "--for", "1ms")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	_, entries := clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, "close-stdin", clitest.Phases(entries)[len(clitest.Phases(entries))-1])
}

// A session whose server has ended does not wait for the end of standard input.
func TestRunEndsWithTheServer(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, "run", "--raw", "--in", "-", "--quiet", "--", "echo", "hi")
	_, err := cmd.StdinPipe() // never written to
	require.NoError(t, err)
	require.Equal(t, clitest.Result{}, clitest.Finish(t, cmd))
}

// A probe that killed the server is not a lost request.
func TestRunContinuesAfterProbe(t *testing.T) {
	t.Parallel()
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r := clitest.Run(t, clitest.Against("dies-on-probe", "run", "--json", "--in", in)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	_, entries := clitest.PrintedEntries(t, r.Stdout)
	starts := 0
	for _, e := range entries {
		if e.K == "start" {
			starts++
		}
	}
	require.Equal(t, 2, starts)
}

func TestCallPrintsTheResult(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, clitest.Against("", "call", "--era", "legacy", "--tool", "add", "a:=19", "b:=23")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
	require.JSONEq(t, `{"content":[{"type":"text","text":"{\"sum\":42}"}],"structuredContent":{"sum":42}}`, r.Stdout)
	require.Equal(t, len(r.Stdout)-1, strings.Index(r.Stdout, "\n"), "one line")

	r = clitest.Run(t, clitest.Against("", "call", "--era", "legacy", "tools/call", "--params", `{"name":"echo","arguments":{"message":"hi"}}`)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, `{"content":[{"type":"text","text":"hi"}]}`, r.Stdout)

	r = clitest.Run(t, clitest.Against("", "call", "resources/read", "uri=demo://readme")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.True(t, json.Valid([]byte(r.Stdout)))
}

func TestCallHints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault string
		args  []string
		says  []string
	}{
		{"", []string{"tools/call", "name=nope"}, []string{"error -32602", "available tools: add, "}},
		{"", []string{"prompts/get", "name=nope"}, []string{"error -32602", "try: NAME:=JSON"}},
		{"", []string{"no/such"}, []string{"error -32601", "try: mcpdbg list tools"}},
		{"", []string{"--timeout", "100ms", "--tool", "slow", "seconds:=60"}, []string{"timed out after 100ms", "try: a longer --timeout"}},
		{"nul", []string{"--timeout", "5s", "--tool", "echo", "message=hi"}, []string{session.ErrTimeout.Error(), "check the recording: stdout has 1 line of non-JSON-RPC output", "recorded to "}},
	} {
		r := clitest.Run(t, clitest.Against(c.fault, append([]string{"call"}, c.args...)...)...)
		require.NotZero(t, r.Code)
		require.Empty(t, r.Stdout)
		for _, text := range c.says {
			require.Contains(t, r.Stderr, text)
		}
	}
}

func TestCallAnswersServerRequests(t *testing.T) {
	t.Parallel()
	answers := clitest.WriteFile(t, `{"roots/list":{"roots":[{"uri":"file:///somewhere"}]}}`)
	for _, era := range []string{"legacy", "modern"} {
		r := clitest.Run(t, clitest.Against("", "call", "--era", era, "--answers", answers, "--tool", "roots")...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Contains(t, r.Stdout, "file:///somewhere")
	}
}

func TestListFetchesAllPages(t *testing.T) {
	t.Parallel()
	for name, some := range map[string][]string{
		"tools":     {"add ", "touch ", "15 tools"},
		"resources": {"demo://clock", "demo://notes/8", "12 resources"},
		"templates": {"demo://notes/{id}", "2 templates"},
		"prompts":   {"greet", "story", "3 prompts"},
	} {
		r := clitest.Run(t, clitest.Against("", "list", name)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		for _, text := range some {
			require.Contains(t, r.Stdout, text)
		}
		r = clitest.Run(t, clitest.Against("", "list", name, "--json")...)
		require.Equal(t, 0, r.Code, r.Stderr)
		var items []map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &items))
		require.True(t, strings.HasPrefix(some[len(some)-1], strconv.Itoa(len(items))+" "), "%d %s", len(items), name)
	}
}

// For invalid lists only an error is printed, with the code of an error response.
func TestListInvalidResult(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	for result, says := range map[string]string{
		`[]`:                            "result: the value is an array, not an object",
		`{}`:                            `no member "tools"`,
		`{"tools":{}}`:                  "result: tools: the value is an object, not an array",
		`{"tools":[1],"nextCursor":{}}`: "nextCursor",
		`{"tools":["x"]}`:               `item "x"`,
	} {
		script := `read -r m; echo '{"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'; ` +
			`read -r m; read -r m; echo '{"jsonrpc":"2.0","id":"mcpdbg-2","result":` + result + `}'; exec cat`
		r := clitest.Run(t, "list", "--era", "legacy", "tools", "--", "sh", "-c", script)
		require.Equal(t, 1, r.Code, "%s: %s", result, r.Stderr)
		require.Contains(t, r.Stderr, "tools/list: ", result)
		require.Contains(t, r.Stderr, says)
		require.Empty(t, r.Stdout)
	}
}

func TestEnvFlags(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, "run", "--raw", "--json", "--env-policy", "none", "-e", "TOKEN=hunter2!", "--env-from", "FROM_HERE", "--",
		clitest.Need(t, "sh"), "-c", "echo $TOKEN $FROM_HERE $HOME; echo hunter2! >&2")
	cmd.Env = append(cmd.Env, "FROM_HERE=there")
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
	header, entries := clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, "echo $TOKEN $FROM_HERE $HOME; echo ${TOKEN} >&2", header.Argv[2], "no value in the header")
	var came []string
	for _, e := range entries {
		if e.K == "stdout" {
			came = append(came, e.Raw)
		}
	}
	require.Equal(t, []string{"hunter2! there"}, came)
}
