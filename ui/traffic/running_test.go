package traffic

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// calls sends calls of tools, which the server does not answer yet, and lets them run.
func (s *stage) calls(tools ...string) {
	s.t.Helper()
	for _, tool := range tools {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q}}`, tool, tool))
	}
	time.Sleep(time.Second)
	s.grown()
}

// answers makes the server answer calls.
func (s *stage) answers(x *uitest.Server, tools ...string) {
	s.t.Helper()
	for _, tool := range tools {
		x.Latest().Out(`{"jsonrpc":"2.0","id":%q,"result":{"content":[]}}`, tool)
	}
	synctest.Wait()
	s.grown()
}

// repeated returns the lines of running calls below the table, with their rule; nil if
// there are none.
func (s *stage) repeated() []string {
	lines := strings.Split(s.Text(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "┄") {
			return lines[i : len(lines)-1]
		}
	}
	return nil
}

// TestRunningOutOfView checks that running calls are repeated below the table while their
// own rows are out of view, with their place, and go when they are answered.
func TestRunningOutOfView(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		s.calls("early")
		s.notes(x, 5)
		require.Nil(t, s.repeated(), "it is in view")
		s.notes(x, 100)
		lines := s.repeated()
		require.Len(t, lines, 2)
		require.Regexp(t, `^┄┄ running 1, above ┄+$`, lines[0])
		require.Regexp(t, `^ … +0:00\.00  early +running +1\.0 s `, lines[1])
		require.Len(t, strings.Split(s.Text(), "\n"), 36)

		s.calls("late")
		require.Regexp(t, `^┄┄ running 2, 1 above ┄+$`, s.repeated()[0])
		require.Len(t, s.repeated(), 2, "late is in view")
		s.act(kit.Top)
		require.Regexp(t, `^┄┄ running 2, below ┄+$`, s.repeated()[0])
		require.Regexp(t, `^ … +0:01\.00  late +running `, s.repeated()[1])
		s.answers(x, "late")
		require.Nil(t, s.repeated())
		s.act(kit.Bottom)
		require.Contains(t, s.repeated()[1], "early")
		for _, v := range []View{Wire, All} {
			s.Run(s.traffic.setView(v))
			require.Nil(t, s.repeated(), "only among the calls")
		}
		s.Run(s.traffic.setView(Exchanges))
		require.NotNil(t, s.repeated())
		s.answers(x, "early")
		require.Nil(t, s.repeated())
	})
}

// TestRunningJustSent checks that a call has no line at first: most are over before it
// could be read.
func TestRunningJustSent(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		s.notes(x, 100)
		s.act(kit.Top)
		s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quick"}}`)
		require.Nil(t, s.repeated())
		time.Sleep(300 * time.Millisecond)
		s.grown()
		require.NotNil(t, s.repeated())
	})
}

// TestRunningAtMost checks which running calls have a line: those that wait for the user,
// then the oldest, and only one where the table is low.
func TestRunningAtMost(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		s.calls("a", "b", "c", "d")
		require.NoError(t, s.ws.Session.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyAsk}))
		x.Latest().Out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`)
		s.notes(x, 100)
		s.ws.PullRequests()
		time.Sleep(time.Second)
		s.grown()
		lines := s.repeated()
		require.Len(t, lines, 4)
		require.Regexp(t, `^┄┄ running 5, above · 2 more ┄+$`, lines[0])
		require.Regexp(t, `^ \? .*← elicitation/c.*waits for you: Who\?`, lines[1])
		require.Regexp(t, `^ … .* a +running`, lines[2])
		require.Regexp(t, `^ … .* b +running`, lines[3])
		s.answers(x, "a")
		require.Regexp(t, `running 4, above · 1 more`, s.repeated()[0])
		require.Regexp(t, `^ … .* c +running`, s.repeated()[3])

		s.Resize(80, 15)
		lines = s.repeated()
		require.Len(t, lines, 2)
		require.Regexp(t, `^┄┄ running 4, above · 3 more ┄+$`, lines[0])
		require.Contains(t, lines[1], "waits for you")
		require.Len(t, strings.Split(s.Text(), "\n"), 15)
		for _, w := range []int{0, 10, 41, 60, 120, 200} {
			for _, h := range []int{1, 3, 9, 16, 60} {
				s.Resize(w, h)
				uitest.RequireExact(t, s.Frame(), w, h)
			}
		}
	})
}

// TestRunningSelected checks that the cursor enters the lines of running calls from the
// last row, that it goes to their rows from there, and that a click selects one.
func TestRunningSelected(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		s.calls("one", "two")
		one, two := s.Row(`"id":"one"`), s.Row(`"id":"two"`)
		s.notes(x, 100)
		require.Len(t, s.repeated(), 3)
		last := s.cursor()
		require.False(t, s.traffic.GoToRunning())
		s.act(kit.Down)
		require.Equal(t, one, s.cursor())
		require.Equal(t, one, s.ws.Selected.Number, "what all keys act on")
		require.Regexp(t, `^>… .*one `, s.repeated()[1])
		require.Equal(t, 1, strings.Count(s.Text(), "\n>"), "the table shows no cursor")
		s.act(kit.Down, kit.Down)
		require.Equal(t, two, s.cursor())
		s.notes(x, 10)
		require.Equal(t, two, s.cursor(), "new rows do not move it")
		s.act(kit.Up)
		require.Equal(t, one, s.cursor())
		s.act(kit.Up)
		require.Greater(t, s.cursor(), last, "back to the last row")

		s.act(kit.Down)
		require.True(t, s.traffic.GoToRunning())
		s.settle()
		require.Equal(t, one, s.cursor())
		require.Nil(t, s.repeated(), "both rows are in view")
		require.Regexp(t, `^>… .*one `, s.selected())
		require.False(t, s.traffic.GoToRunning())

		s.act(kit.Bottom)
		require.Len(t, s.repeated(), 3)
		s.traffic.Click(s.traffic.running.height - 1)
		s.settle()
		require.Equal(t, two, s.cursor())
		require.Regexp(t, `^>… .*two `, s.repeated()[2])
		s.traffic.Click(1)
		s.settle()
		require.NotContains(t, []int{one, two}, s.cursor())
		require.Regexp(t, `^>`, s.line(3))
	})
}

// TestRunningAnsweredWhileSelected checks that an answer does not move the cursor from the
// line of a call to another call.
func TestRunningAnsweredWhileSelected(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		s.calls("one", "two")
		one := s.Row(`"id":"one"`)
		s.notes(x, 100)
		s.Text()
		s.act(kit.Down)
		require.Equal(t, one, s.cursor())
		s.answers(x, "one")
		s.Text()
		require.Equal(t, one, s.cursor())
		require.Regexp(t, `^> .*one `, s.selected())
		require.Nil(t, s.repeated(), "the other row is in view, too")

		s.act(kit.Bottom)
		s.Text()
		s.act(kit.Down)
		two := s.Row(`"id":"two"`)
		require.Equal(t, two, s.cursor())
		s.Run(s.traffic.setView(Wire))
		s.Text()
		require.Equal(t, two, s.cursor(), "the other view keeps the message")
	})
}

// TestRunningBetweenRounds checks that a call between two rounds is repeated while its own
// row is out of view.
func TestRunningBetweenRounds(t *testing.T) {
	x := &uitest.Server{Serve: quote}
	inModern(t, x, func(t *testing.T, s *stage) {
		s.call(`{"name":"quote","arguments":{"symbol":"ACME"}}`)
		s.notes(x, 200)
		s.act(kit.Bottom)
		s.later(time.Second)
		lines := s.repeated()
		require.NotEmpty(t, lines, s.Text())
		require.Contains(t, lines[0], "running 1, above")
		require.Regexp(t, `\? .*quote +symbol=\S+ +waits for you`, lines[1])
	})
}
