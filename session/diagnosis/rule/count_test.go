package rule

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

func TestCountMatchesProblems(t *testing.T) {
	for _, name := range allFixtures(t) {
		l := New(open(t, name))
		advance(t, l)
		require.Equal(t, diagnosis.CountOf(l.Problems()), l.Count(), name)
	}
}

// A failed call is not a problem of the session.
func TestFailedCallIsNotAProblem(t *testing.T) {
	log := newLog(t)
	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`)
	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"y"}}`)
	appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}}`)
	require.Equal(t, diagnosis.Count{}, diagnosis.CountOf(Check(t.Context(), log).Problems()))
}

// TestEachOvertakenRequestCountsOnce checks that a request without a response counts once,
// however many later ones have one.
func TestEachOvertakenRequestCountsOnce(t *testing.T) {
	log := newLog(t)
	for id := range 40 {
		appendLine(t, log, session.KindStdin, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id))
		if id != 3 && id != 20 {
			appendLine(t, log, session.KindStdout, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id))
		}
	}
	var counts []string
	for _, p := range Check(t.Context(), log).Problems() {
		if p.Rule == rpc20 {
			counts = append(counts, p.Detail, p.Times())
		}
	}
	require.Equal(t, []string{"tools/call in entry 7 had none yet", "2 times, not all alike"}, counts)
}
