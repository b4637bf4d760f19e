package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// planned opens a recording of the session in which tools were called, and
// shows the plan of its replay.
func (d *driver) planned(t *testing.T) {
	t.Helper()
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remove","arguments":{"path":"x"}}}`)
	d.send(`{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`)
	d.launcher().Serve = offersAndEchoes
	d.open(workspace.Opened{Source: recordedLog{d.visible.ws.Shown.Source}, Title: "session.jsonl"})
	d.pull()
	d.do(host.ActReplay)
	require.Equal(t, replay.Scope, d.front.top().Scope())
	require.Contains(t, d.plain(), " to send, ")
}

// A recordedLog is a log with a header as recordings have it.
type recordedLog struct{ session.Source }

func (r recordedLog) Header() session.Header {
	h := r.Source.Header()
	h.Argv, h.Cwd = []string{"fake server", "--key", "${KEY}"}, "/srv"
	return h
}

// replayLine returns the line under the cursor of a plan.
func (d *driver) replayLine() string {
	found := regexp.MustCompile(`[│|]> (.*?) *[│|]`).FindStringSubmatch(d.plain())
	require.NotNil(d.t, found, d.plain())
	return found[1]
}

// goToCall moves the cursor of a plan to a message that calls a tool.
func (d *driver) goToCall(tool string) {
	d.do("replay-page-up")
	for !strings.Contains(d.replayLine(), "] "+tool+" ") {
		before := d.replayLine()
		d.do("replay-down")
		require.NotEqual(d.t, before, d.replayLine(), "no call of %s", tool)
	}
}

// replayTests follow a replay to the comparison of its end.
var replayTests = map[string]actionTest{
	"replay-start": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.planned(t)
		d.goToCall("remove")
		d.do("replay-include")
		d.keepTime()
		d.begin(d.visible.Do("replay-start"))
		for range 3 {
			d.arrive()
		}
		d.row(`"name":"remove"`)
		require.True(t, d.compares(), d.plain())
		require.Regexp(t, `(?m)^ run again: 4 answered `, d.plain())
		require.Contains(t, d.plain(), "5 calls: 5 same")
	},
}

// TestProgramReplays checks that the program shows the progress of a replay,
// lets the user answer requests that the recording does not cover, and then
// compares.
func TestProgramReplays(t *testing.T) {
	path := uitest.Record(t, func(t *testing.T, s *session.Session, x *fakeExecutor) {
		for id := range 3 {
			_, err := s.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping-%d"}`, id, id))
			require.NoError(t, err)
			synctest.Wait()
			x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, id, id)
			synctest.Wait()
		}
	})
	for _, give := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &uitest.Launcher{T: t, Serve: func(p *fakeProcess, m message) {
				if m.ID != nil {
					time.Sleep(2 * time.Second)
					p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"n":1}}`, m.ID)
				}
			}}
			term := inTerminal(t, Options{Launcher: l, Opened: []workspace.Opened{{Source: uitest.Open(t, path), Title: "session.jsonl"}}}, 120, 36)
			term.Press("U")
			require.Contains(t, term.Text(), "3 to send")
			term.Press("\r")
			term.WaitFor(3 * time.Second)
			require.Contains(t, term.Text(), "> run again  ███████░░░░░░░░░░░░░  1 of 3  ping-1  esc cancels")
			term.RequireShown()
			if give {
				term.Press(keyEsc)
				term.WaitFor(time.Second)
				require.Contains(t, term.Text(), "x run again cancelled after ")
				require.NotContains(t, term.Text(), " A session.jsonl")
			} else {
				term.WaitFor(4 * time.Second)
				require.Contains(t, term.Text(), "2 same, 2 differ")
				require.Contains(t, term.Text(), "run again: 3 answered")
				require.Regexp(t, `>≠ ping-0 .* n: 0 → 1`, term.Text())
				term.RequireShown()
				term.Press("q")
			}
			term.Press("Q")
			term.Wait()
			require.NoError(t, term.Err)
		})
	}
}
