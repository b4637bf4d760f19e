package rule

import (
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
