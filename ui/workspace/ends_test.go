package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/executor"
	"mcpdbg/ui/widget/filter"
)

// logOfEnds returns a log of two processes, the first of which ends with a call in flight,
// and the rows of its end.
func logOfEnds(t *testing.T, ends ...string) (*recordings.Recording, *Exchanges) {
	lines := []string{
		`"k":"start","process":"mcp-stdio-1","pid":5214`,
		`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"crash"}}`,
	}
	lines = append(lines, ends...)
	lines = append(lines, `"k":"start","process":"mcp-stdio-2","pid":5305`, `"k":"state","state":"handshaking"`,
		`> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}`, `< {"jsonrpc":"2.0","id":3,"result":{}}`, `"k":"state","state":"ready"`)
	log := rectest.Session(t, lines...)
	x := NewIndex()
	for x.Pull(log) {
	}
	return log, x.Exchanges
}

const (
	crashed = `"k":"exited","seq":9,"code":1`
	closed  = `"k":"closed","seq":10,"stdout":{},"stderr":{},"stdin":{}`
)

// TestProcessEnds checks the row of the end of a process, with the start of the next
// one.
func TestProcessEnds(t *testing.T) {
	t.Run("crash", func(t *testing.T) {
		_, x := logOfEnds(t, crashed, closed)
		end, ok := x.ProcessEnd(4)
		require.True(t, ok)
		require.Equal(t, 1, *end.Exit.Code)
		require.Nil(t, end.Lost)
		require.Equal(t, 1, end.Unanswered)
		require.False(t, end.Asked())
		require.Equal(t, exchange.Event{Seen: true, Row: 6, T: 6000}, end.Next)
		require.Equal(t, exchange.Event{Seen: true, Row: 10, T: 10_000}, end.Ready)
		require.Equal(t, [2]int{5214, 5305}, [2]int{end.PID, end.NextPID})
		require.Equal(t, "1 3 4 8", listed(x), "the start is part of the row of the end")
		require.Equal(t, 4, x.Of(6))
		_, ok = x.ProcessEnd(6)
		require.False(t, ok)
	})
	t.Run("asked for", func(t *testing.T) {
		_, x := logOfEnds(t, `"k":"exited","seq":9,"code":0,"by":"shutdown"`, closed)
		end, _ := x.ProcessEnd(4)
		require.Equal(t, executor.EndedByShutdown, end.By)
		require.True(t, end.Asked())
		require.True(t, end.Next.Seen)
	})
	t.Run("connection lost", func(t *testing.T) {
		_, x := logOfEnds(t, `"k":"failed","error":"no answer for 13 s","code":"connection_lost"`)
		end, ok := x.ProcessEnd(4)
		require.True(t, ok)
		require.Equal(t, "no answer for 13 s", end.Lost.Error)
		require.False(t, end.Asked())
		require.Equal(t, 1, end.Unanswered)
		require.True(t, end.Next.Seen)
	})
}

// TestUnansweredAreThoseThatTheFilterKeeps checks that a timeout and a loss count once
// each, and neither what was cancelled nor the handshake.
func TestUnansweredAreThoseThatTheFilterKeeps(t *testing.T) {
	log, x := logOfEnds(t,
		`> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"slow"}}`,
		`"k":"state","state":"timed out","of":5,"id":8`,
		`> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"long"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`,
		crashed, closed)
	f, err := filter.Parse("is:unanswered")
	require.NoError(t, err)
	kept := 0
	m := f.Matcher(log)
	for number := range log.Len() {
		if row, ok := session.RowAt(log, number); ok && m.Match(number, row) {
			kept++
		}
	}
	require.Equal(t, 2, kept)
	require.Equal(t, kept, x.Unanswered)
}

// TestProcessEndAtAnEarlierMoment checks that a recording at a row shows nothing after
// it.
func TestProcessEndAtAnEarlierMoment(t *testing.T) {
	log, x := logOfEnds(t, crashed, closed)
	for rows := range log.Len() + 1 {
		end, ok := x.upTo(log, rows).ProcessEnd(4)
		require.Equal(t, rows > 4, ok, "%d rows", rows)
		require.Equal(t, rows > 5, end.Unanswered == 1, "%d rows", rows)
		require.Equal(t, rows > 6, end.Next.Seen, "%d rows", rows)
		require.Equal(t, rows > 6, end.NextPID == 5305, "%d rows", rows)
		require.Equal(t, rows > 10, end.Ready.Seen, "%d rows", rows)
	}
	end, _ := x.ProcessEnd(4)
	require.True(t, end.Ready.Seen, "the whole log is as it was")
	require.Equal(t, 1, end.Unanswered)
}

// TestTakeLost checks that the last call that a crash left without an answer is reported
// once, and none if the end was asked for.
func TestTakeLost(t *testing.T) {
	for name, tc := range map[string]struct {
		end string
		row int // -1 for none
	}{
		"crash":           {crashed, 3},
		"connection lost": {`"k":"failed","error":"gone"`, 3},
		"asked for":       {`"k":"exited","seq":9,"code":0,"by":"shutdown"`, -1},
	} {
		_, x := logOfEnds(t, tc.end, closed)
		w := &Workspace{Whole: &Projection{Index: &Index{Exchanges: x}}}
		row, ok := w.TakeLost()
		require.Equal(t, tc.row >= 0, ok, name)
		require.Equal(t, tc.row, row, name)
		_, ok = w.TakeLost()
		require.False(t, ok, name)
	}
}

// TestTakeSent checks that a recording has no message that was just sent.
func TestTakeSent(t *testing.T) {
	_, ok := (&Workspace{}).TakeSent()
	require.False(t, ok)
}
