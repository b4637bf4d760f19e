package exchange

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// TestTableIsBounded checks that tasks that never end, and results whose input never
// comes, cost a limited amount of memory.
func TestTableIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		result string
		most   int
		kept   func(*Table) int
		state  session.ReqState
	}{
		"tasks":  {`{"task":{"taskId":"t%d","status":"working"}}`, maxTasks, func(t *Table) int { return len(t.tasks) }, session.ReqTask},
		"inputs": {`{"resultType":"input_required","inputRequests":{},"requestState":"%d"}`, maxAsked, func(t *Table) int { return len(t.inputs) }, session.ReqInput},
	} {
		lines := []string{rectest.Started}
		for id := range tc.most + 10 {
			lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id),
				fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":%s}`, id, fmt.Sprintf(tc.result, id)))
		}
		table := NewTable(rectest.Session(t, lines...))
		for table.Next() {
		}
		require.Equal(t, tc.most, tc.kept(table), name)
		require.True(t, table.hasState(1, tc.state), name)
	}
}
