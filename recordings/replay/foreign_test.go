package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/recordings/replay"
)

// TestRoundsOfOtherClients finds the rounds in a recording of a client that does not
// write which request it sends again: by the requestState, and by the tool.
func TestRoundsOfOtherClients(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	call := func(id, tool, more string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `",` + meta + more + `}}`
	}
	const given = `,"inputResponses":{"k":{"roots":[]}}`
	asks := func(id, state string) string {
		return `< {"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}` + state + `}}`
	}
	result := func(id string) string {
		return `< {"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete"}}`
	}
	for _, c := range []struct {
		name, state, resent, tool string
		items                     int
		rounds                    []uint64
		responses                 int
	}{
		{"the same state", `,"requestState":"s"`, `,"requestState":"s"`, "a", 1, []uint64{4}, 1},
		{"another tool", `,"requestState":"s"`, `,"requestState":"s"`, "b", 2, nil, 0},
		{"another state", `,"requestState":"s"`, `,"requestState":"t"`, "a", 2, nil, 0},
		{"no state", ``, ``, "a", 2, nil, 0},
	} {
		src := rectest.Session(t, rectest.Started, call("1", "a", ""), asks("1", c.state), call("2", c.tool, given+c.resent), result("2"))
		plan, err := replay.New(t.Context(), src, replay.Options{AllTools: true})
		require.NoError(t, err, c.name)
		require.Len(t, plan.Items(), c.items, c.name)
		require.Equal(t, c.rounds, plan.Items()[0].Rounds, c.name)
		require.Equal(t, c.responses, plan.ServerRequests(), c.name)
	}
}

// TestTasksOfOtherClients plans a task with its last poll, and with the input that was
// given to it.
func TestTasksOfOtherClients(t *testing.T) {
	about := func(id, method, more string) string {
		return `> {"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"taskId":"t-1"` + more + `}}`
	}
	said := func(id, more string) string { return `< {"jsonrpc":"2.0","id":` + id + `,"result":{` + more + `}}` }
	src := rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"job"}}`,
		said("1", `"resultType":"task","taskId":"t-1","status":"working"`),
		about("2", "tasks/get", ""), // entry 4
		said("2", `"resultType":"complete","taskId":"t-1","status":"input_required","inputRequests":{"k":{"method":"roots/list"}}`),
		about("3", "tasks/update", `,"inputResponses":{"k":{"roots":[]}}`),
		said("3", `"resultType":"complete"`),
		about("4", "tasks/get", ""), // entry 8
		said("4", `"resultType":"complete","taskId":"t-1","status":"completed","result":{"content":[]}`),
		about("5", "tasks/cancel", ""),
		`> {"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":"t-2"}}`, // of no call
	)
	plan, err := replay.New(t.Context(), src, replay.Options{AllTools: true})
	require.NoError(t, err)
	require.Len(t, plan.Items(), 2)
	require.Equal(t, []uint64{8}, plan.Items()[0].Rounds)
	require.True(t, plan.Items()[0].Answered)
	require.Equal(t, 1, plan.ServerRequests())
	require.Equal(t, "tasks/get", plan.Items()[1].Method)
}
