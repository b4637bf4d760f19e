package run_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// sentMessages returns the messages sent to the server, in order.
func sentMessages(entries []clitest.PrintedEntry) []string {
	var sent []string
	for _, e := range entries {
		if e.K == "stdin" {
			sent = append(sent, string(e.M))
		}
	}
	return sent
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// In the modern era --in sends requests with the _meta that they must have, and
// --raw without it.
func TestRunFillsMeta(t *testing.T) {
	t.Parallel()
	const own = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}`
	r := clitest.Run(t, clitest.Against("", "run", "--json", "--no-record", "--in", clitest.WriteFile(t, listTools+"\n"+own+"\n"))...)
	require.Equal(t, 0, r.Code, r.Stderr)
	_, entries := clitest.PrintedEntries(t, r.Stdout)
	sent := sentMessages(entries)[1:]
	require.Len(t, sent, 2)
	require.True(t, strings.HasPrefix(sent[0], strings.TrimSuffix(listTools, "}")), "the bytes are kept: %s", sent[0])
	var filled struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(sent[0]), &filled))
	require.Len(t, filled.Params.Meta, 3)
	require.Equal(t, `"2026-07-28"`, string(filled.Params.Meta["io.modelcontextprotocol/protocolVersion"]))
	require.Equal(t, own, sent[1])

	for _, flags := range [][]string{{"--raw"}, {"--era", "legacy"}} {
		r = clitest.Run(t, clitest.Against("", append([]string{"run", "--json", "--no-record", "--in", clitest.WriteFile(t, listTools)}, flags...)...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		_, entries = clitest.PrintedEntries(t, r.Stdout)
		sent = sentMessages(entries)
		require.Equal(t, listTools, sent[len(sent)-1])
	}
}

// A listen lasts until --for is over, and is then cancelled before stdin is closed.
func TestRunCancelsListens(t *testing.T) {
	t.Parallel()
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`+"\n"+
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"touch","arguments":{"what":"tools"}}}`)
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the client ends the session","requestId":"l"}}`
	for _, c := range []struct {
		flags []string
		says  string
	}{
		{nil, `mcpdbg: note: subscriptions/listen (id "l") was cancelled when the other responses were there; --for 10s waits longer`},
		{[]string{"--for", "10ms"}, ""},
	} {
		r := clitest.Run(t, clitest.Against("", append([]string{"run", "--json", "--no-record", "--in", in}, c.flags...)...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Equal(t, c.says != "", strings.Contains(r.Stderr, "note: subscriptions/listen"), r.Stderr)
		require.Contains(t, r.Stderr, c.says)
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		var order []string
		for _, e := range entries {
			switch {
			case e.K == "stdin" && string(e.M) == cancelled:
				order = append(order, "cancelled")
			case e.K == "phase" && e.Phase == "close-stdin":
				order = append(order, "closed")
			case strings.Contains(string(e.M), "tools/list_changed"):
				order = append(order, "changed")
			}
		}
		require.Equal(t, []string{"changed", "cancelled", "closed"}, order)
	}
}

// The result of a task is not awaited beyond --for.
func TestRunDoesNotAwaitTaskResults(t *testing.T) {
	t.Parallel()
	clitest.Need(t, "sh")
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":7,"method":"tasks/result","params":{"taskId":"x"}}`)
	r := clitest.Run(t, "run", "--raw", "--no-record", "--in", in, "--for", "10ms", "--", "sh", "-c", "cat >&2")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "mcpdbg: note: tasks/result (id 7) was cancelled without a response after --for 10ms")
	require.Contains(t, r.Stdout, `"requestId":7`)
}

// The rounds of one call are marked as such, and by their first entry.
func TestRecCatMarksRounds(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	answers := clitest.WriteFile(t, `{"elicitation/create": "defaults"}`)
	r := clitest.Run(t, clitest.Against("", "call", "--answers", answers, "--record", record, "--tool", "ask")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `the person chose accept`)
	for _, flags := range [][]string{nil, {"--filter", "tool:ask"}} {
		r = clitest.Run(t, append([]string{"rec", "cat", record}, flags...)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		var marks []string
		for line := range strings.Lines(r.Stdout) {
			if fields := strings.Fields(line); slices.Contains(fields, "tools/call") && fields[3] != "*" {
				marks = append(marks, fields[0]+" "+regexp.MustCompile(`round \d( of entry \d+)?|$`).FindString(line))
			}
		}
		require.Len(t, marks, 4)
		first, _, _ := strings.Cut(marks[0], " ")
		require.Equal(t, first+" ", marks[0])
		require.Regexp(t, `^\d+ round 1$`, marks[1])
		for _, mark := range marks[2:] {
			require.Regexp(t, `^\d+ round 2 of entry `+first+`$`, mark)
		}
	}
}

// TestRunLogsWhatItGaveUp checks that requests to which run --in got no response in time
// are in the log as timed out, also those of a batch.
func TestRunLogsWhatItGaveUp(t *testing.T) {
	t.Parallel()
	const slow = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":60}}}`
	file := filepath.Join(t.TempDir(), "a.jsonl")
	in := clitest.WriteFile(t, fmt.Sprintf(slow, 1)+"\n["+fmt.Sprintf(slow, 2)+","+fmt.Sprintf(slow, 3)+"]\n")
	r := clitest.Run(t, clitest.Against("", "run", "--quiet", "--era", "legacy", "--protocol", "2025-03-26", "--timeout", "300ms", "--in", in, "--record", file)...)
	require.Equal(t, 4, r.Code, r.Stderr)
	r = clitest.Run(t, "rec", "cat", "--json", file)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, 3, strings.Count(r.Stdout, `"state":"timed-out"`), r.Stdout)
	r = clitest.Run(t, "rec", "info", file)
	require.Contains(t, r.Stdout, "RPC19")
	require.NotContains(t, r.Stdout, "PRC08")
}

// TestRunLogsOnlyWhatWasPending checks that run --in does not give up a request of a batch
// that was answered before the others timed out.
func TestRunLogsOnlyWhatWasPending(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.jsonl")
	in := clitest.WriteFile(t, `[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]`+"\n")
	const server = `read -r ask; echo '{"jsonrpc":"2.0","id":"mcpdbg-1","result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read -r ready; read -r batch; echo '{"jsonrpc":"2.0","id":2,"result":{}}'; cat >/dev/null`
	r := clitest.Run(t, "run", "--quiet", "--era", "legacy", "--protocol", "2025-03-26", "--timeout", "1s", "--in", in, "--record", file, "--", "sh", "-c", server)
	require.Equal(t, 4, r.Code, r.Stderr)
	r = clitest.Run(t, "rec", "cat", "--json", file)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	given := regexp.MustCompile(`"state":"timed-out","of":\d+,"id":(\d)`).FindAllStringSubmatch(r.Stdout, -1)
	require.Len(t, given, 1, r.Stdout)
	require.Equal(t, "3", given[0][1])
}
