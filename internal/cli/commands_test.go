package cli

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

	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
)

// printedEntry has the parts of a run --json line that tests check.
type printedEntry struct {
	N                                           uint64
	K, Phase, State, Detail, Era, Raw, Protocol string
	M                                           json.RawMessage
	Times                                       int
}

func printedEntries(t testing.TB, stdout string) (session.Header, []printedEntry) {
	t.Helper()
	first, rest, _ := strings.Cut(stdout, "\n")
	var header session.Header
	require.NoError(t, json.Unmarshal([]byte(first), &header), first)
	var entries []printedEntry
	for line := range strings.Lines(rest) {
		var e printedEntry
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		entries = append(entries, e)
	}
	return header, entries
}

// phases returns the steps in entries, in order.
func phases(entries []printedEntry) []string {
	var names []string
	for _, e := range entries {
		if e.K == "phase" {
			names = append(names, e.Phase)
		}
	}
	return names
}

func writeFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestRunJSONIsTheRecording(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	in := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n\n"+`{"jsonrpc":"2.0","id":"1","method":"nope"}`)
	r := run(t, against("", "run", "--json", "--era", "legacy", "--record", record, "--in", in)...)
	require.Equal(t, 0, r.code, r.stderr)
	data, err := os.ReadFile(record)
	require.NoError(t, err)
	require.Equal(t, string(data), r.stdout)
	require.Equal(t, "mcpdbg: recorded to "+record+"\n", r.stderr)
	header, entries := printedEntries(t, r.stdout)
	require.Equal(t, 1, header.Version)
	require.Equal(t, "end", entries[len(entries)-1].K)
	require.Equal(t, []string{"resolve", "watchdog", "spawn", "initialize", "close-stdin"}, phases(entries),
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
	r := run(t, against("ansi", "run", "--no-record", "--era", "legacy", "--in",
		writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`))...)
	require.Equal(t, 0, r.code, r.stderr)
	for l := range strings.Lines(r.stderr) {
		require.Regexp(t, `^mcpdbg: (E FRM12 entry \d+: terminal control on stdout: ".*"|\d problems? \(\d errors?\); checked: .*)\n$`, l)
		require.False(t, strings.ContainsFunc(strings.TrimSuffix(l, "\n"), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), "%q", l)
	}
	line := regexp.MustCompile(`^ {0,5}\d+ {1,}\d+\.\d{6} +(\d+|-)  [><~x?|*] [a-z]+ +\S.*$`)
	lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
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
	in := writeFile(t, `{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"big","arguments":{"bytes":30000}}}`)
	r := run(t, against("", "run", "--era", "legacy", "--in", in)...)
	require.Equal(t, 0, r.code, r.stderr)
	line := regexp.MustCompile(`(?m)< stdout   response       tools/call id="long" \S+ 300\d\dB .* …$`).FindString(r.stdout)
	require.InDelta(t, 2000, len(line), 200)
}

func TestRunFilter(t *testing.T) {
	t.Parallel()
	in := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	filtered := func(expr string, flags ...string) result {
		return run(t, against("", append([]string{"run", "--no-record", "--era", "legacy", "--in", in, "--filter", expr}, flags...)...)...)
	}
	for expr, want := range map[string]string{
		"tool:echo":                             `^[^\n]*> stdin [^\n]*tools/call id=1 100B echo message="hi"  {[^\n]*\n[^\n]*< stdout [^\n]*tools/call id=1 [^\n]*s 75B "hi"  {[^\n]*\n$`,
		"kind:exited or method:tools/l* dir:in": `^[^\n]*< stdout [^\n]*tools/list id=2[^\n]*\n[^\n]*\* exited [^\n]*\n$`,
		"n:1":                                   `^ +1 [^\n]*\n$`,
	} {
		r := filtered(expr)
		require.Equal(t, 0, r.code, r.stderr)
		require.Regexp(t, want, r.stdout, expr)
	}
	r := filtered("tool:echo", "--json")
	require.Equal(t, 3, strings.Count(r.stdout, "\n"), "the header, the call, and its response")

	r = filtered("kind:x y")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "--filter: column 6: kind: must be request,")
	require.Equal(t, 2, filtered("err", "--quiet").code)
}

func TestRunQuiet(t *testing.T) {
	t.Parallel()
	require.Equal(t, result{}, run(t, "run", "--quiet", "--raw", "--", "echo", "hi"))
}

func TestRunRawSendsBlankLinesAndNoHandshake(t *testing.T) {
	t.Parallel()
	need(t, "cat")
	r := run(t, "run", "--raw", "--json", "--in", writeFile(t, "\nnot json\n  \nlast"), "--", "cat")
	require.Equal(t, 0, r.code, r.stderr)
	_, entries := printedEntries(t, r.stdout)
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
	cmd := program(t, against("", "run", "--json", "--era", "legacy", "--in", "-")...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}` + "\n")
	r := finish(t, cmd)
	require.Equal(t, 0, r.code, r.stderr)
	require.Contains(t, r.stdout, `{"jsonrpc":"2.0","id":7,"method":"tools/list"}}`)
}

func TestRunFor(t *testing.T) {
	t.Parallel()
	r := run(t, against("", "run", "--json", "--for", "1ms")...)
	require.Equal(t, 0, r.code, r.stderr)
	_, entries := printedEntries(t, r.stdout)
	require.Equal(t, "close-stdin", phases(entries)[len(phases(entries))-1])
}

// A session whose server has ended does not wait for the end of standard input.
func TestRunEndsWithTheServer(t *testing.T) {
	t.Parallel()
	cmd := program(t, "run", "--raw", "--in", "-", "--quiet", "--", "echo", "hi")
	_, err := cmd.StdinPipe() // never written to
	require.NoError(t, err)
	require.Equal(t, result{}, finish(t, cmd))
}

// A probe that killed the server is not a lost request.
func TestRunContinuesAfterProbe(t *testing.T) {
	t.Parallel()
	in := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r := run(t, against("dies-on-probe", "run", "--json", "--in", in)...)
	require.Equal(t, 0, r.code, r.stderr)
	_, entries := printedEntries(t, r.stdout)
	starts := 0
	for _, e := range entries {
		if e.K == "start" {
			starts++
		}
	}
	require.Equal(t, 2, starts)
}

func TestNoSubcommandRunsWithoutTerminal(t *testing.T) {
	t.Parallel()
	r := run(t, "--env-policy", "client", "--", binary, console.DemoServer, "--misbehave", "exit-7")
	require.Equal(t, 3, r.code)
	require.Contains(t, r.stdout, "policy client")
	require.Contains(t, r.stdout, "exit code 7")
}

func TestCallPrintsTheResult(t *testing.T) {
	t.Parallel()
	r := run(t, against("", "call", "--era", "legacy", "--tool", "add", "a:=19", "b:=23")...)
	require.Equal(t, 0, r.code, r.stderr)
	require.Empty(t, r.stderr)
	require.JSONEq(t, `{"content":[{"type":"text","text":"{\"sum\":42}"}],"structuredContent":{"sum":42}}`, r.stdout)
	require.Equal(t, len(r.stdout)-1, strings.Index(r.stdout, "\n"), "one line")

	r = run(t, against("", "call", "--era", "legacy", "tools/call", "--params", `{"name":"echo","arguments":{"message":"hi"}}`)...)
	require.Equal(t, 0, r.code, r.stderr)
	require.JSONEq(t, `{"content":[{"type":"text","text":"hi"}]}`, r.stdout)

	r = run(t, against("", "call", "resources/read", "uri=demo://readme")...)
	require.Equal(t, 0, r.code, r.stderr)
	require.True(t, json.Valid([]byte(r.stdout)))
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
		r := run(t, against(c.fault, append([]string{"call"}, c.args...)...)...)
		require.NotZero(t, r.code)
		require.Empty(t, r.stdout)
		for _, text := range c.says {
			require.Contains(t, r.stderr, text)
		}
	}
}

func TestCallAnswersServerRequests(t *testing.T) {
	t.Parallel()
	answers := writeFile(t, `{"roots/list":{"roots":[{"uri":"file:///somewhere"}]}}`)
	for _, era := range []string{"legacy", "modern"} {
		r := run(t, against("", "call", "--era", era, "--answers", answers, "--tool", "roots")...)
		require.Equal(t, 0, r.code, r.stderr)
		require.Contains(t, r.stdout, "file:///somewhere")
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
		r := run(t, against("", "list", name)...)
		require.Equal(t, 0, r.code, r.stderr)
		for _, text := range some {
			require.Contains(t, r.stdout, text)
		}
		r = run(t, against("", "list", name, "--json")...)
		require.Equal(t, 0, r.code, r.stderr)
		var items []map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &items))
		require.True(t, strings.HasPrefix(some[len(some)-1], strconv.Itoa(len(items))+" "), "%d %s", len(items), name)
	}
}

// For invalid lists only an error is printed, with the code of an error response.
func TestListInvalidResult(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	for result, says := range map[string]string{
		`[]`:                            "result: the value is an array, not an object",
		`{}`:                            `no member "tools"`,
		`{"tools":{}}`:                  "result: tools: the value is an object, not an array",
		`{"tools":[1],"nextCursor":{}}`: "nextCursor",
		`{"tools":["x"]}`:               `item "x"`,
	} {
		script := `read -r m; echo '{"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'; ` +
			`read -r m; read -r m; echo '{"jsonrpc":"2.0","id":"mcpdbg-2","result":` + result + `}'; exec cat`
		r := run(t, "list", "--era", "legacy", "tools", "--", "sh", "-c", script)
		require.Equal(t, 1, r.code, "%s: %s", result, r.stderr)
		require.Contains(t, r.stderr, "tools/list: ", result)
		require.Contains(t, r.stderr, says)
		require.Empty(t, r.stdout)
	}
}

func TestDemoWithoutATerminal(t *testing.T) {
	t.Parallel()
	r := run(t, "demo")
	require.Equal(t, 0, r.code, r.stderr)
	for _, text := range []string{"guided session", "notifications/progress", "isError", "elicitation/create", "close-stdin", "end"} {
		require.Contains(t, r.stdout, text)
	}
	require.Contains(t, r.stderr, "recorded to ")
}

func TestDemoServerListsItsFaults(t *testing.T) {
	t.Parallel()
	r := run(t, "demo-server", "--list")
	require.Equal(t, 0, r.code, r.stderr)
	require.Contains(t, r.stdout, "never-answers")
	require.Contains(t, r.stdout, "crash-mid-call[:")

	r = run(t, "demo-server", "--misbehave", "nope")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.stderr, "unknown kind; use one of ansi,")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	r := run(t, "version")
	require.Equal(t, 0, r.code)
	require.Regexp(t, `^mcpdbg \d+\.\d+\.\d+ \w+/\w+ go1\.`, r.stdout)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := run(t, "completion", shell)
		require.Equal(t, 0, r.code)
		require.Contains(t, r.stdout, "mcpdbg")
	}
	r := run(t, "__complete", "list", "t")
	require.Equal(t, 0, r.code)
	require.Contains(t, r.stdout, "tools\ntemplates\n")
}

// Arguments after the first -- are the server's, whatever they look like.
func TestServerCommandIsVerbatim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		argv []string
	}{
		{[]string{"run", "--raw", "--json", "--", "echo", "--", "run", "--json"}, []string{"echo", "--", "run", "--json"}},
		{[]string{"run", "--raw", "--json", "-e", "A=B", "--", "echo", "-e", "C=D"}, []string{"echo", "-e", "C=D"}},
		{[]string{"run", "--raw", "--json", "--", "echo", "", "a b", "$HOME", "*", "\n"}, []string{"echo", "", "a b", "$HOME", "*", "\n"}},
	} {
		r := run(t, c.args...)
		require.Equal(t, 0, r.code, r.stderr)
		header, _ := printedEntries(t, r.stdout)
		require.Equal(t, c.argv, header.Argv)
	}
	// A subcommand's name after -- is a program, here a missing one.
	for _, args := range [][]string{{"--", "nosuch-run"}, {"-e", "A=B", "--", "nosuch-run"}} {
		r := run(t, args...)
		require.Equal(t, 3, r.code)
		require.Contains(t, r.stderr, `program "nosuch-run" not found`)
	}
}

func TestEnvFlags(t *testing.T) {
	t.Parallel()
	cmd := program(t, "run", "--raw", "--json", "--env-policy", "none", "-e", "TOKEN=hunter2!", "--env-from", "FROM_HERE", "--",
		need(t, "sh"), "-c", "echo $TOKEN $FROM_HERE $HOME; echo hunter2! >&2")
	cmd.Env = append(cmd.Env, "FROM_HERE=there")
	r := finish(t, cmd)
	require.Equal(t, 0, r.code, r.stderr)
	header, entries := printedEntries(t, r.stdout)
	require.Equal(t, "echo $TOKEN $FROM_HERE $HOME; echo ${TOKEN} >&2", header.Argv[2], "no value in the header")
	var came []string
	for _, e := range entries {
		if e.K == "stdout" {
			came = append(came, e.Raw)
		}
	}
	require.Equal(t, []string{"hunter2! there"}, came)
}

func TestCompletionOfServers(t *testing.T) {
	t.Parallel()
	file := writeFile(t, `{"mcpServers":{"notes":{"command":"no\u001b[31mtes"},"e\u001b[2Jvil":{"command":"x"}}}`)
	r := inProcess(t, "__complete", "list", "tools", "--config", file, "--server", "")
	require.Equal(t, 0, r.code, r.stderr)
	require.Contains(t, r.stdout, "notes\tnotes (Claude Code): no")
	require.NotContains(t, r.stdout, "vil")
	require.NotContains(t, r.stdout, "\x1b")
}
