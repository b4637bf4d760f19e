package cause

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/diagnosis"
)

// missing are the entries of a process that ends for a missing variable before it answers.
func missing(at, id, method string) []string {
	return []string{
		`"t":` + at + `,"k":"state","state":"starting"`,
		`"t":` + at + `,"k":"start","process":"p` + id + `","pid":1`,
		`"t":` + at + `,"k":"stdin","m":{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{}}`,
		`"t":` + at + `,"k":"stderr","seq":1,"raw":"error: environment variable DEMO_API_KEY is not set"`,
		`"t":` + at + `,"k":"exited","seq":2,"code":3,"by":"server"`,
		`"t":` + at + `,"k":"closed","seq":3`,
	}
}

// TestEndsKeepEachProcess checks that the cause of the end of a process is kept when
// another one is started, with the attempt that it belongs to.
func TestEndsKeepEachProcess(t *testing.T) {
	entries := append(missing("1", "1", "server/discover"), missing("2", "2", "initialize")...)
	entries = append(entries,
		`"t":3,"k":"state","state":"starting"`, `"t":3,"k":"start","process":"p3","pid":1`,
		`"t":4,"k":"stdin","m":{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}`,
		`"t":5,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
		`"t":6,"k":"state","state":"ready","era":"legacy","protocol":"2025-11-25"`,
		`"t":7,"k":"stdin","m":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo"}}`,
		`"t":8,"k":"exited","seq":2,"signal":"SEGV","by":"server"`,
		`"t":9,"k":"closed","seq":3`)
	entries = append(entries, missing("10", "5", "initialize")...)
	src := written(t, entries...)
	tracker := New(src)
	for tracker.Advance(1) {
		require.LessOrEqual(t, len(tracker.Ends()), 4)
	}
	var is, texts []string
	var attempts []int
	for _, e := range tracker.Ends() {
		is, texts, attempts = append(is, e.Cause.ID), append(texts, e.How), append(attempts, e.Attempt)
		require.Len(t, is, int(e.Run), "each process has one")
	}
	require.Equal(t, []string{"variable", "variable", "crashed", "variable"}, is)
	require.Equal(t, []int{0, 0, 0, 1}, attempts)
	require.Equal(t, "exited with code 3", texts[0])
	require.EqualValues(t, 4, tracker.Ends()[0].N, "the line that shows it")
}

// TestGroupsReadOnlyForConsequences checks that a log is not read for problems that follow
// from nothing.
func TestGroupsReadOnlyForConsequences(t *testing.T) {
	src := &countedSource{Source: written(t, missing("1", "1", "initialize")...)}
	found := []diagnosis.Problem{{Rule: &diagnosis.Rule{ID: "FRM01"}, Severity: diagnosis.Error, Run: 1, Count: 1}}
	require.Len(t, Groups(t.Context(), src, found), 1)
	require.Zero(t, src.entries)
	found = append(found, diagnosis.Problem{Rule: &diagnosis.Rule{ID: "PRC03"}, Severity: diagnosis.Error, Run: 1, Count: 1, AtEnd: true})
	groups := Groups(t.Context(), src, found)
	require.Len(t, groups, 2)
	require.Equal(t, "variable", groups[1].End.Cause.ID)
	require.NotZero(t, src.entries)
}

// TestEndOfABridge checks that the end of a bridge has the cause that is found for the
// session, and that one that still runs has no end.
func TestEndOfABridge(t *testing.T) {
	entries := []string{
		`"t":1,"k":"start","process":"p","pid":1,"argv":["npx","mcp-remote","https://host/mcp"]`, ask,
		`"t":3000,"k":"stderr","seq":1,"raw":"[cause]: Error: connect ECONNREFUSED 127.0.0.1:3399"`,
	}
	running := read(t.Context(), written(t, entries...))
	require.Equal(t, "bridge", running.Now(nil)[0].ID)
	require.Empty(t, running.Ends())
	over := read(t.Context(), written(t, append(entries, `"t":6000,"k":"exited","seq":2,"code":1,"by":"server"`, `"t":6001,"k":"closed","seq":3`)...))
	require.Len(t, over.Ends(), 1)
	require.Equal(t, over.Now(nil)[0], over.Ends()[0].Cause)
	require.Equal(t, "bridge", over.Ends()[0].Cause.ID)
}

// TestAPersonsStopHasNoEnd checks that a server that was asked to end has no cause.
func TestAPersonsStopHasNoEnd(t *testing.T) {
	src := written(t, `"t":1,"k":"start","process":"p","pid":1`, `"t":2,"k":"state","state":"stopping"`,
		`"t":3,"k":"exited","seq":1,"code":0,"by":"shutdown"`, `"t":4,"k":"closed","seq":2`)
	require.Empty(t, read(t.Context(), src).Ends())
}
