package rule

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// TestCheckedNamesWhatWasNotChecked checks the sentence that every output shows next to
// the count.
func TestCheckedNamesWhatWasNotChecked(t *testing.T) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	for version, want := range map[string]string{
		"2025-11-25":                Checked,
		"2027-02-03":                Checked + "; contents not checked for revision 2027-02-03",
		"\\u001b[31mevil\\u001b[0m": Checked + "; contents not checked for a revision of another form",
	} {
		log := newLog(t)
		appendLine(t, log, session.KindStdin, initialize)
		appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"`+version+`","capabilities":{}}}`)
		require.Equal(t, want, Check(t.Context(), log).Checked())
	}
	require.Equal(t, Checked+"; 1 schema or value not checked", func() string {
		log := newLog(t)
		for _, line := range []struct {
			kind session.Kind
			text string
		}{
			{session.KindStdin, initialize},
			{session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}`},
			{session.KindStdin, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
			{session.KindStdout, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"a":{"pattern":"(?=a)"}}}}]}}`},
			{session.KindStdin, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{"a":"b"}}}`},
		} {
			appendLine(t, log, line.kind, line.text)
		}
		return Check(t.Context(), log).Checked()
	}(), "a pattern that cannot be matched")
	require.Equal(t, Checked+"; PRC02 to PRC04, PRC08 and RPC19 at the end of a server not checked, PRC01 and PRC05 only while its client ran: docker ended with 0; how the server ended: cannot tell", func() string {
		log := newLog(t)
		require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindExited, 1, session.ExitedBody{Why: "docker ended with 0; how the server ended: cannot tell"})}))
		return Check(t.Context(), log).Checked()
	}())
	require.Equal(t, Checked+"; 1 entry not read", func() string {
		log := newLog(t)
		appendLine(t, log, session.KindStdin, initialize)
		return Check(t.Context(), forgetful{log}).Checked()
	}())
	require.Equal(t, Checked+"; no results checked, as the source has none", func() string {
		log := newLog(t)
		appendLine(t, log, session.KindStdin, initialize)
		appendLine(t, log, session.KindStdout, `{"jsonrpc":"2.0","id":1,"result":"result-present"}`)
		l := Check(t.Context(), importedLog{log})
		require.Len(t, Check(t.Context(), log).Problems(), len(l.Problems())+1, "RPC16")
		return l.Checked()
	}())
}

// importedLog is a log without results.
type importedLog struct{ session.Source }

func (l importedLog) Header() session.Header {
	return session.Header{Imported: &session.Imported{From: "mcp-remote log"}}
}
