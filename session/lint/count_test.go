package lint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

func TestCountHasOneWording(t *testing.T) {
	for _, tc := range []struct {
		count Count
		text  string
	}{
		{Count{}, "no problems"},
		{Count{Remarks: 1}, "no problems, 1 remark"},
		{Count{Errors: 1}, "1 problem (1 error)"},
		{Count{Warnings: 2, Remarks: 3}, "2 problems (2 warnings), 3 remarks"},
		{Count{Errors: 2, Warnings: 1}, "3 problems (2 errors, 1 warning)"},
	} {
		require.Equal(t, tc.text, tc.count.String())
	}
}

func TestCountIsThatOfTheFindings(t *testing.T) {
	for _, name := range allFixtures(t) {
		l := New(open(t, name))
		advance(t, l)
		require.Equal(t, CountOf(l.Findings()), l.Count(), name)
	}
}

// A call that fails is the server's answer, and no problem of the session.
func TestFailedCallIsNotAProblem(t *testing.T) {
	log := newLog(t)
	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`)
	appendLine(t, log, session.KindStdin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"y"}}`)
	appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}}`)
	require.Equal(t, Count{}, CountOf(Check(log)))
}
