package replay_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/recordings/compare"
)

// diffRequests are sent to a demo server by recordDemo.
const diffRequests = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"after-6"}}
{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"after-12"}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"log"}}
`

// recordDemo records a session with the demo server, and returns the path.
func recordDemo(t *testing.T, command ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	args := append([]string{"run", "--quiet", "--era", "legacy", "--in", clitest.WriteFile(t, diffRequests), "--record", path, "--", clitest.Binary(), console.DemoServer}, command...)
	r := clitest.Run(t, args...)
	require.Equal(t, 0, r.Code, r.Stderr)
	return path
}

// A build that changed one schema and one response differs in exactly these.
func TestDiffFindsExactlyWhatChanged(t *testing.T) {
	t.Parallel()
	before, again, after := recordDemo(t), recordDemo(t), recordDemo(t, "--changed")

	r := clitest.InProcess(t, "diff", before, again)
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Contains(t, r.Stdout, "5 calls compared, 5 equal, 0 differ: the same\n")
	require.Empty(t, r.Stderr)

	r = clitest.InProcess(t, "diff", before, after)
	require.Equal(t, console.ExitFailure, r.Code)
	require.Empty(t, r.Stderr, "the report has it")
	require.Contains(t, r.Stdout, "First difference: tools/list, /result/tools/slow/inputSchema: schema changed\n  A  n ")

	junit := filepath.Join(t.TempDir(), "junit.xml")
	r = clitest.InProcess(t, "diff", "--json", "--junit", junit, before, after)
	require.Equal(t, console.ExitFailure, r.Code)
	var report compare.Report
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &report))
	require.Len(t, report.Groups, 2)
	require.Equal(t, "/result/tools/slow/inputSchema", string(report.Groups[0].Pointer))
	require.Equal(t, []string{"/properties/steps/maximum: 1000 -> 100"}, report.Groups[0].Example.Detail)
	require.Equal(t, "/result/structuredContent/sum", string(report.Groups[1].Pointer))
	require.Equal(t, []string{"3", "4"}, []string{report.Groups[1].Example.A.Value, report.Groups[1].Example.B.Value})
	require.Positive(t, report.First.A.Seq)
	require.Positive(t, report.First.B.Seq)
	doc, err := os.ReadFile(junit)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(doc, new(any)))
	require.Contains(t, string(doc), `<testcase name="tools/call add" classname="mcpdbg.client"`)
	require.Equal(t, 2, strings.Count(string(doc), "<failure "))
}

func TestDiffAcceptsDifferences(t *testing.T) {
	t.Parallel()
	before, after := recordDemo(t), recordDemo(t, "--changed")
	rules := filepath.Join(t.TempDir(), "mcp.rules")
	r := clitest.InProcess(t, "diff", "--accept", rules, before, after)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "2 rules added to ")
	text, err := os.ReadFile(rules)
	require.NoError(t, err)
	require.Contains(t, string(text), "\n\nignore tools/call:add /result/structuredContent/sum\nignore tools/list /result/tools/slow/inputSchema\n")

	r = clitest.InProcess(t, "diff", "--rules", rules, before, after)
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Contains(t, r.Stdout, "Ignored by rules\n  ignore tools/call:add /result/structuredContent/sum  1 time\n")

	require.NoError(t, os.WriteFile(rules, []byte("# mine\nignore tools/call:add /result"), 0o600))
	r = clitest.InProcess(t, "diff", "--accept", rules, before, after)
	require.Contains(t, r.Stderr, "1 rule added to ")
	text, err = os.ReadFile(rules)
	require.NoError(t, err)
	require.Equal(t, "# mine\nignore tools/call:add /result\nignore tools/list /result/tools/slow/inputSchema\n", string(text))

	r = clitest.InProcess(t, "diff", "--ignore", "tools/list:/result/tools/*/inputSchema", "--ignore", "/result/structuredContent", before, after)
	require.Equal(t, 0, r.Code, r.Stdout)
}

func TestDiffUsage(t *testing.T) {
	t.Parallel()
	good, text := clitest.RuleFixtures+"healthy-legacy.jsonl", clitest.WriteFile(t, "hello\n")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"diff", good}, "diff takes two recordings"},
		{[]string{"diff", good, text}, "is not a recording"},
		{[]string{"diff", text + ".missing", good}, "file not found"},
		{[]string{"diff", "--ignore", "result", good, good}, `--ignore: invalid pointer "result": must begin with /`},
		{[]string{"diff", "--rules", text, good, good}, text + `:1: unknown action "hello": use ignore, mask or keep`},
		{[]string{"diff", "--rules", text + ".missing", good, good}, "file not found"},
		{[]string{"diff", "--accept", text, good, clitest.RuleFixtures + "healthy-modern.jsonl"}, `:1: unknown action "hello"`},
		{[]string{"diff", "--max-time", "tools/call", good, good}, `--max-time "tools/call": must be METHOD=DUR`},
		{[]string{"diff", "--max-time", "tools/call=-1s", good, good}, "must be METHOD=DUR"},
		{[]string{"diff", "--max-slowdown", "0.5", good, good}, "--max-slowdown 0.5: must be 1 to 1000000"},
		{[]string{"diff", "--junit", filepath.Join(text, "x"), good, good}, "--junit: "},
	} {
		r := clitest.InProcess(t, c.args...)
		require.Equal(t, console.ExitUsage, r.Code, c.args)
		require.Contains(t, r.Stderr, c.says)
	}
}

func TestReplayDetectsDuplicateAndSlowResponses(t *testing.T) {
	t.Parallel()
	good := recordDemo(t)
	r := clitest.Run(t, "replay", good, "--no-record", "--", clitest.Binary(), console.DemoServer)
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	r = clitest.Run(t, "replay", good, "--no-record", "--", clitest.Binary(), console.DemoServer, "--misbehave", "duplicate-answers")
	require.Equal(t, console.ExitFailure, r.Code, r.Stdout+r.Stderr)
	require.Contains(t, r.Stdout, "tools/call echo message=\"hi\", different number of responses")
	r = clitest.Run(t, "replay", good, "--no-record", "--max-time", "tools/call=1ns", "--", clitest.Binary(), console.DemoServer)
	require.Equal(t, console.ExitFailure, r.Code, r.Stdout+r.Stderr)
	require.Contains(t, r.Stdout, "tools/call echo message=\"hi\", took too long")
}

// Text from the server reaches the terminal only sanitized.
func TestDiffSanitizesOutput(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ansi", "nul", "invalid-utf8"} {
		r := clitest.InProcess(t, "diff", "--reveal", clitest.RuleFixtures+name+".jsonl", clitest.RuleFixtures+"healthy-legacy.jsonl")
		require.Equal(t, console.ExitFailure, r.Code, r.Stderr)
		require.Regexp(t, `^[^\x00-\x09\x0b-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{202a}-\x{202e}]*$`, r.Stdout)
	}
}
