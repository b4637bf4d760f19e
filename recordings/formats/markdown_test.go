package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// TestReportBeginsWithFailures checks that the failed calls among thousands are in the
// report, with tool, arguments and error, before those that were answered.
func TestReportBeginsWithFailures(t *testing.T) {
	lines := []string{rectest.Started}
	const calls = 1200
	for i := range calls {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"find_all","arguments":{"k":%d}}}`, i, i))
		answer := `"result":{"content":[{"type":"text","text":"fine"}]}`
		switch i {
		case 700:
			continue
		case 1100:
			answer = `"error":{"code":-32000,"message":"backend gone"}`
		case 900:
			answer = `"result":{"isError":true,"content":[{"type":"text","text":"no shard"}]}`
		}
		lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,%s}`, i, answer))
	}
	lines = append(lines, `"k":"stderr","raw":"it says {\"no\":\"JSON\"}"`)
	s := Selection{Source: rectest.Session(t, lines...)}
	report := write(t, "md", s)
	require.True(t, strings.HasPrefix(report, "## MCP session: 2 calls failed, 1 request without a response\n"))
	require.Contains(t, report, "| 1 | no shard | find&#95;all | 1801 |\n| 1 | -32000: backend gone | find&#95;all | 2201 |\n")
	_, rows, found := strings.Cut(report, "| entry | time | | what | result | took |\n|--:|--:|---|---|---|--:|\n")
	require.True(t, found)
	rows, content, _ := strings.Cut(rows, "### Content")
	order := strings.Split(rows, "\n")
	require.Regexp(t, `^\| 1801 \| [\d.]+ \| → \| find&#95;all k=900 \| \*\*failed: no shard\*\* \|`, order[0])
	require.Regexp(t, `^\| 2201 \| [\d.]+ \| → \| find&#95;all k=1100 \| \*\*-32000: backend gone\*\* \|`, order[1])
	require.Regexp(t, `^\| 1402 \| [\d.]+ \| → \| find&#95;all k=700 \| no response: pending \|`, order[2])
	require.Equal(t, maxTable, strings.Count(rows, "\n| ")+1, "and one row for a call")
	require.Contains(t, rows, "more entries. `mcpdbg rec export --filter` selects others")
	require.Less(t, strings.Index(content, "backend gone"), strings.Index(content, "fine"))

	s.Include = func(number int, _ session.Row) bool { return number > calls*2-5 }
	require.Contains(t, write(t, "md", s), "```\nit says {\"no\":\"JSON\"}\n```\n", "stderr has a plain fence")
}
