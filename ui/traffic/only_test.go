package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/ui/uitest"
)

// TestOnly checks the filter for the tool or the method of a row, and that the same action
// shows all again.
func TestOnly(t *testing.T) {
	log := rectest.Session(t,
		rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get sum","arguments":{}}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"ping"}`,
		`< {"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
		`> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}}`,
	)
	for _, view := range []View{Exchanges, Wire} {
		s := onLog(t, log, view)
		for row, want := range map[int]string{1: `tool:"get sum"`, 3: "tool:echo", 4: "method:ping", 5: "method:notifications/message", 6: "method:tools/call"} {
			s.selects(row)
			s.Do("only-these")
			require.Equal(t, want, s.Filter.String())
			s.Do("only-these")
			require.Equal(t, want, s.Filter.String(), "the fake panes do not filter the list")
			s.Run(s.lists.SetFilter(s.Filter))
			s.selects(row)
			require.Equal(t, row, s.cursor())
			title, _ := s.lists.onlyNow(s.Context())
			require.Equal(t, "all again", title)
			s.Do("only-these")
			require.Nil(t, s.Filter, "again: all")
			s.Run(s.lists.SetFilter(nil))
		}
	}
	s := onLog(t, log, Wire)
	s.selects(2)
	s.Do("only-these")
	require.Equal(t, `tool:"get sum"`, s.Filter.String(), "of a response")
	for view, want := range map[View]string{Exchanges: "method:initialize or method:server/discover", Wire: "method:initialize"} {
		s = onLog(t, rectest.Session(t, rectest.Started, `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`), view)
		s.selects(1)
		s.Do("only-these")
		require.Equal(t, want, s.Filter.String())
	}
	s = onLog(t, uitest.NewLog(t), Wire)
	s.Do("only-these")
	require.Equal(t, "x only these: the row has no tool or method", s.Said())
}
