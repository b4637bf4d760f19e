package workspace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session/exchange"
)

// announces is a result that a call goes on as a task.
func announces(id int, task string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"task":{"taskId":"%s","status":"working"}}}`, id, task)
}

// about is a request about a task, tells the response with a status to one.
func about(id int, method, task string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tasks/%s","params":{"taskId":"%s"}}`, id, method, task)
}

func tells(id int, status string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"taskId":"a","status":"%s"}}`, id, status)
}

func refuses(id int) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"no"}}`, id)
}

// TestTasks checks which requests are part of the exchange of a call that has become
// a task, which of them decides, and whether it is over. The rows of the messages
// begin at 3.
func TestTasks(t *testing.T) {
	polled := []string{call(1, "x", ""), announces(1, "a"), about(2, "get", "a"), tells(2, "working")}
	for name, tc := range map[string]struct {
		lines []string
		want  string
		task  exchange.Task
	}{
		"announced":      {nil, "1 3", exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}},
		"polled again":   {[]string{about(3, "get", "a")}, "1 3", exchange.Task{Last: 7, Said: 6, Polls: 2, Open: true}},
		"another task":   {[]string{about(3, "get", "b")}, "1 3 7", exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}},
		"an escaped id":  {[]string{about(3, "get", `\u0061`)}, "1 3", exchange.Task{Last: 7, Said: 6, Polls: 2, Open: true}},
		"completed":      {[]string{about(3, "get", "a"), tells(3, "completed")}, "1 3", exchange.Task{Last: 7, Said: 8, Polls: 2, Open: true}},
		"with a result":  {[]string{about(3, "result", "a"), done(3)}, "1 3", exchange.Task{Last: 7, Said: 6, Polls: 1}},
		"waits":          {[]string{about(3, "result", "a")}, "1 3", exchange.Task{Last: 7, Said: 6, Polls: 1, Open: true}},
		"cancelled":      {[]string{about(3, "cancel", "a"), tells(3, "cancelled")}, "1 3", exchange.Task{Last: 7, Said: 6, Polls: 1}},
		"cancel refused": {[]string{about(3, "cancel", "a"), refuses(3)}, "1 3", exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}},
		"cancelled meanwhile": {[]string{about(3, "result", "a"), about(4, "cancel", "a"), tells(4, "cancelled"), refuses(3)}, "1 3",
			exchange.Task{Last: 8, Said: 6, Polls: 1}},
		"forgotten":     {[]string{about(3, "get", "a"), refuses(3)}, "1 3", exchange.Task{Last: 7, Said: 6, Polls: 2}},
		"acknowledged":  {[]string{about(3, "cancel", "a"), `< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete"}}`}, "1 3", exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}},
		"a status":      {[]string{`< {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"a","status":"working"}}`}, "1 3", exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}},
		"its progress":  {[]string{about(3, "get", "a"), `< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`}, "1 3 8", exchange.Task{Last: 7, Said: 6, Polls: 2, Open: true}},
		"a new process": {[]string{rectest.Started, about(3, "get", "a")}, "1 3 7 8", exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}},
	} {
		t.Run(name, func(t *testing.T) {
			log := rectest.Session(t, append(append(append([]string{}, modern...), polled...), tc.lines...)...)
			x := NewIndex()
			for x.Pull(log) {
			}
			require.Equal(t, tc.want, listed(x.Exchanges))
			task, ok := x.Exchanges.Task(3)
			require.True(t, ok)
			require.Equal(t, tc.task, task)
			last, _ := x.Exchanges.LastRound(3)
			require.Equal(t, tc.task.Last, last)

			live, _ := grown(log).Exchanges.Task(3)
			require.Equal(t, task, live, "live as recorded")
			past, _ := x.UpTo(&upTo{log, 7}, 7, 0).Exchanges.Task(3)
			require.Equal(t, exchange.Task{Last: 5, Said: 6, Polls: 1, Open: true}, past, "at an earlier moment")
		})
	}
}

// TestTaskProgress checks that progress belongs to a call until its task ends.
func TestTaskProgress(t *testing.T) {
	log := rectest.Session(t, append(append([]string{}, modern...),
		call(1, "x", `,"_meta":{"progressToken":7}`), announces(1, "a"), progress("7"),
		about(2, "result", "a"), done(2), progress("7"))...)
	x := NewIndex()
	x.Pull(log)
	require.Equal(t, "1 3 8", listed(x.Exchanges))
	require.Equal(t, 3, x.Exchanges.Of(5))
	all := x.Latencies.Lines()[0]
	require.EqualValues(t, 1, all.N, "the task is one call")
	require.EqualValues(t, 4000, all.Max, "from the call to the result")
	require.Len(t, x.Latencies.TakeUnnamed(10), 1, "of the call")
	any, _ := x.Exchanges.Unfold(3)
	require.True(t, any)
	require.Equal(t, "1 3 4 5 6 8", listed(x.Exchanges))
}

// TestServerRequestOfATask checks that a request of the server belongs to the call
// whose task it names.
func TestServerRequestOfATask(t *testing.T) {
	ask := func(task string) string {
		return `< {"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"_meta":{"` + "io.modelcontextprotocol/related-task" + `":{"taskId":"` + task + `"}}}}`
	}
	log := rectest.Session(t, append(append([]string{}, modern...), call(1, "x", ""), announces(1, "a"), call(2, "y", ""), call(3, "z", ""), ask("a"))...)
	x := NewIndex()
	x.Pull(log)
	during, ok := x.Exchanges.During(7)
	require.True(t, ok)
	require.Equal(t, 3, during)
}
