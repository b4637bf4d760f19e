package run_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli"
	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings/digest"
)

// detached is a call that cannot ask on the terminal of who runs the tests.
func detached(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	cmd := clitest.Program(t, args...)
	withoutTerminal(cmd)
	return clitest.Finish(t, cmd)
}

// A call asks in both eras, and the answers declare what they answer.
func TestCallAnswers(t *testing.T) {
	t.Parallel()
	answers := clitest.WriteFile(t, `{
		"elicitation/create": [
			{"result": {"action": "accept", "content": {"name": "Grace"}}, "defaults": true},
			{"mode": "url", "result": {"action": "accept"}}
		],
		"sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "canned"},
		"roots/list": {"roots": [{"uri": "file:///a"}]}
	}`)
	for _, era := range []string{"legacy", "modern"} {
		for _, c := range []struct {
			args []string
			says string
		}{
			{[]string{"ask"}, `{\"name\":\"Grace\",\"cups\":2,`},
			{[]string{"ask", "mode=url"}, "the person chose accept"},
			{[]string{"sample"}, "canned said"},
			{[]string{"roots"}, "1 roots: [{file:///a}]"},
		} {
			r := detached(t, clitest.Against("", append([]string{"call", "--no-record", "--era", era, "--answers", answers, "--tool"}, c.args...)...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, c.says)
			rounds := strings.Contains(r.Stderr, "mcpdbg: note: the call took 2 rounds: the requests of entries ")
			require.Equal(t, era == "modern", rounds, r.Stderr)
		}
	}
}

// TestCallTimesWithoutThePerson checks that JSON has the time in which the server waited for
// answers, of all that the call took.
func TestCallTimesWithoutThePerson(t *testing.T) {
	t.Parallel()
	type times struct {
		Duration int64  `json:"duration_us"`
		Person   *int64 `json:"person_us"`
	}
	answers := clitest.WriteFile(t, `{"elicitation/create": {"result": {"action": "decline"}}}`)
	call := func(flags ...string) (took times) {
		r := detached(t, clitest.Against("", append([]string{"call", "--json", "--answers", answers}, flags...)...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &took), r.Stdout)
		return took
	}
	for _, era := range []string{"legacy", "modern"} {
		require.Nil(t, call("--no-record", "--era", era, "--tool", "echo", "message=hi").Person)
		record := filepath.Join(t.TempDir(), "r.jsonl")
		took := call("--record", record, "--era", era, "--tool", "ask")
		require.NotNil(t, took.Person)
		require.Positive(t, *took.Person)
		require.Less(t, *took.Person, took.Duration)
		if era == "modern" {
			continue // the pause is in none of the requests
		}
		var info rec.Info
		require.NoError(t, json.Unmarshal([]byte(clitest.Run(t, "rec", "info", "--json", record).Stdout), &info))
		i := slices.IndexFunc(info.Methods, func(m digest.Line) bool { return m.Method == "tools/call" })
		require.Equal(t, *took.Person, info.Methods[i].Person)
	}
}

// TestCallThatGivesUpFails checks that a result that still asks for input is a failure.
func TestCallThatGivesUpFails(t *testing.T) {
	t.Parallel()
	args := clitest.Against("", "call", "--no-record", "--era", "modern", "--capabilities", `{"elicitation": {}}`, "--tool", "ask")
	r := detached(t, args...)
	require.Equal(t, 1, r.Code, r.Stderr)
	require.Equal(t, "mcpdbg: note: declared, but not answered: elicitation.form (see --answers)\n"+
		"mcpdbg: tools/call: gave up after 1 round: the server still asks for elicitation/create (key \"answer\")\n"+
		"  try: --answers FILE with answers to server requests\n", r.Stderr)
	require.Contains(t, r.Stdout, "input_required")
}

// --capabilities declares exactly the given object, in both eras.
func TestCapabilitiesAreDeclared(t *testing.T) {
	t.Parallel()
	const declared = `{"roots":{},"extensions":{"org.example/x":{"a":[1]}}}`
	for _, era := range []string{"legacy", "modern"} {
		r := clitest.Run(t, clitest.Against("", "run", "--json", "--no-record", "--for", "1ms", "--era", era, "--capabilities", declared)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Contains(t, r.Stderr, "mcpdbg: note: declared, but not answered: roots (see --answers)\n")
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		require.Contains(t, sentMessages(entries)[0], declared)
	}
}

// Without a terminal the answers decide about the URLs of the error -32042.
func TestCallRequiresURLs(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	call := func(answers string, flags ...string) clitest.Result {
		flags = append([]string{"call", "--era", "legacy", "--answers", clitest.WriteFile(t, answers), "--tool", "ask", "mode=required"}, flags...)
		return detached(t, clitest.Against("", flags...)...)
	}
	const list = "mcpdbg: tools/call requires a visit to 1 URL (error -32042):\n" +
		"  https://example.com/required?request=1\n" +
		"    the server says: Please log in on this page\n" +
		"    mcpdbg does not open or fetch this URL. Its host is example.com\n"

	r := call(`{"elicitation/create": [{"mode": "url", "result": {"action": "accept"}}]}`, "--record", record, "--json")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.True(t, strings.HasPrefix(r.Stderr, list+"mcpdbg: retrying: accepted by --answers; the server reports completion\n"+
		"mcpdbg: note: the call took 2 rounds: the requests of entries "), r.Stderr)
	var doc struct {
		N      uint64
		Rounds []uint64
		Result json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc))
	require.Len(t, doc.Rounds, 2)
	require.Greater(t, doc.N, doc.Rounds[1])
	require.Contains(t, string(doc.Result), "thank you for the visit")
	r = clitest.Run(t, "rec", "cat", record, "--filter", "tool:ask kind:request")
	require.Equal(t, 1, strings.Count(r.Stdout, "round 2 of entry "), r.Stdout)

	r = call(`{"elicitation/create": [{"mode": "url", "result": {"action": "decline"}}]}`, "--no-record")
	require.Equal(t, 1, r.Code)
	require.Equal(t, list+"mcpdbg: tools/call: error -32042: visit a page first\n"+
		"  try: the answer of --answers to elicitation/create of mode url does not accept\n", r.Stderr)

	r = call(`{}`, "--no-record", "--capabilities", `{"elicitation":{"url":{}}}`)
	require.Equal(t, 1, r.Code)
	require.Contains(t, r.Stderr, list+"mcpdbg: tools/call: error -32042: visit a page first\n  try: run it in a terminal, or accept with --answers FILE: ")
}

// Progress is requested and shown on stderr, unless that is quiet.
func TestCallShowsProgress(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		args := []string{"call", "--no-record", "--era", era, "--tool", "slow", "seconds:=0.01", "steps:=1"}
		r := clitest.Run(t, clitest.Against("", args...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Equal(t, "mcpdbg: progress 1 of 1 (100%): step 1 of 1\n", r.Stderr)
		r = clitest.Run(t, clitest.Against("", append(args, "--quiet")...)...)
		require.Equal(t, 0, r.Code)
		require.Empty(t, r.Stderr)
	}
}

func TestCallMeta(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	r := clitest.Run(t, clitest.Against("", "call", "--record", record, "tools/list", "--meta", "org.example/trace=[1, 2]", "--meta", `progressToken="mine"`,
		"--meta", `io.modelcontextprotocol/clientInfo={"name":"x","version":"1"}`)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, "mcpdbg: note: --meta io.modelcontextprotocol/clientInfo replaces the value that mcpdbg sends\n"+
		"mcpdbg: note: --meta progressToken replaces the token of mcpdbg: progress is not shown\n", r.Stderr)
	_, entries := clitest.PrintedEntries(t, clitest.Run(t, "rec", "cat", "--json", record).Stdout)
	sent := sentMessages(entries)
	i := slices.IndexFunc(sent, func(m string) bool { return strings.Contains(m, `"tools/list"`) })
	var m struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(sent[i]), &m))
	require.Equal(t, "[1,2]", string(m.Params.Meta["org.example/trace"]))
	require.JSONEq(t, `"mine"`, string(m.Params.Meta["progressToken"]))
	require.JSONEq(t, `{"name":"x","version":"1"}`, string(m.Params.Meta["io.modelcontextprotocol/clientInfo"]))
	require.Contains(t, m.Params.Meta, "io.modelcontextprotocol/protocolVersion")

	for args, want := range map[string]string{
		"--meta a=b":                      "--meta a: \"b\" is not valid JSON: invalid character 'b' looking for beginning of value\n  try: --meta 'a=\"b\"' for a string\n",
		"--meta a":                        `--meta "a": must be KEY=JSON`,
		"--meta =1":                       `--meta "=1": must be KEY=JSON`,
		"--meta a=1 --meta a=2":           `--meta: "a" is given twice`,
		`--params {"_meta":1} --meta a=1`: "--meta: _meta of the params must be an object, not 1",
	} {
		r := clitest.Run(t, append(append([]string{"call", "tools/list"}, strings.Fields(args)...), "--", "x")...)
		require.Equal(t, 2, r.Code, args)
		require.Contains(t, r.Stderr, want)
	}
}

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: cli.Main, Execute: cli.Execute}, clitest.Role{Variable: strictServer, Run: serveStrictly})
}

// The reference server asks for everything, and the answers declare it: without
// them it does not even list these tools.
func TestRealServerAsks(t *testing.T) {
	t.Parallel()
	answers := clitest.WriteFile(t, `{
		"elicitation/create": ["defaults", {"mode": "url", "result": {"action": "accept"}}],
		"sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "canned words"}, "model": "m", "stopReason": "endTurn"},
		"roots/list": {"roots": [{"uri": "file:///a"}]}
	}`)
	for _, c := range []struct {
		tool         string
		args         []string
		stdout, says string
	}{
		{"trigger-elicitation-request", nil, "Favorite Integer: 42", ""},
		{"trigger-sampling-request", []string{"prompt=hi"}, "canned words", ""},
		{"get-roots-list", nil, "file:///a", ""},
		{"trigger-url-elicitation", []string{"url=https://example.com", "errorPath:=true"}, "User completed the URL elicitation flow",
			"retrying: accepted by --answers; no notifications/elicitation/complete after "},
		{"trigger-long-running-operation", []string{"duration:=0.1", "steps:=2"}, "Steps: 2", "mcpdbg: progress 1 of 2 (50%)\n"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"call", "--no-record", "--timeout", "4m", "--answers", answers, "--tool", c.tool}, c.args...)
			r := detached(t, clitest.RealServers[0].Command(t, args...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, c.stdout)
			require.Contains(t, r.Stderr, c.says)
		})
	}
}
