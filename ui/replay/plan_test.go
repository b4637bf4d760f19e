package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// planned is the head of a recording with a list of tools, of which echo is read-only.
const planned = `{"mcpdbg":1,"id":"01M7ZW3X4JX6Y8SA30YVDNCT1N","tool":"mcpdbg 0.1.0","start":"2026-11-21T20:17:43.570347Z","placement":"local","argv":["fake server","--key","${KEY}"],"cwd":"/srv","era":"auto"}
{"n":1,"t":1,"k":"start","process":"mcp-stdio-1","pid":1,"placement":"local"}
{"n":2,"t":1,"k":"env","policy":"inherit","named":["TOKEN"]}
{"n":3,"t":2,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}
{"n":4,"t":3,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","annotations":{"readOnlyHint":true}},{"name":"remove"}]}}}
`

// batch is a line of the client with calls of tools that are not read-only, as raw bytes.
const batch = `{"n":5,"t":4,"k":"stdin","raw":"[{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"remove\"}},{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}]"}
`

// calls end a recording with calls of both tools, and another request.
const calls = `{"n":6,"t":5,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}}
{"n":7,"t":6,"k":"stdin","m":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remove","arguments":{"path":"x"}}}}
{"n":8,"t":7,"k":"stdin","m":{"jsonrpc":"2.0","id":4,"method":"prompts/list"}}
`

// A launcher records what it starts.
type launcher struct {
	host.Launcher
	fails error
	again []host.Rerun
}

func (l *launcher) Again(_ context.Context, again host.Rerun) (workspace.Opened, error) {
	l.again = append(l.again, again)
	return workspace.Opened{Title: "again", Start: func(context.Context) error { return nil }}, l.fails
}

// A stage has a recording, and the plan of its replay once that is opened.
type stage struct {
	*uitest.Room
	launcher *launcher
	state    *State
	added    []workspace.Opened
}

func newStage(t *testing.T, text string) *stage {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	log, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	s := &stage{Room: uitest.NewRoom(uitest.NewHost(t, uitest.NewWorkspace(t, log), 120, 36)), launcher: &launcher{}}
	s.state = &State{Launcher: s.launcher, Add: func(_ host.Context, o workspace.Opened, _ func(host.Context, *State) tea.Cmd) tea.Cmd {
		s.added = append(s.added, o)
		return nil
	}}
	s.Actions = Actions(func(host.Context) *State { return s.state })
	return s
}

// newPlan shows the plan of a recording.
func newPlan(t *testing.T) *stage {
	s := newStage(t, planned+calls)
	s.Do(host.ActReplay)
	require.Contains(t, s.Text(), " to send, ")
	return s
}

// atCursor returns the line under the cursor.
func (s *stage) atCursor(t *testing.T) string {
	found := regexp.MustCompile(`[│|]> (.*?) *[│|]`).FindStringSubmatch(s.Text())
	require.NotNil(t, found, s.Text())
	return found[1]
}

// goTo moves the cursor to a line with a text.
func (s *stage) goTo(t *testing.T, text string) {
	s.Do("replay-page-up")
	for !strings.Contains(s.atCursor(t), text) {
		before := s.atCursor(t)
		s.Do("replay-down")
		require.NotEqual(t, before, s.atCursor(t), "no line with %s", text)
	}
}

const remove = "] remove"

var planTests = map[string]func(t *testing.T, s *stage){
	host.ActReplay: func(t *testing.T, s *stage) {
		require.Contains(t, s.Text(), "─ Run again: session.jsonl ─")
		require.Contains(t, s.Text(), "3 to send, 1 not sent")
		require.Contains(t, s.Text(), `command 'fake server' --key '${KEY}'`)
		require.Regexp(t, `\$\{TOKEN\} +empty: value from this environment`, s.Text())
		require.Regexp(t, `\$\{KEY\} +empty`, s.Text())
		require.Contains(t, s.Text(), "starts on this machine, in /srv")
		require.Regexp(t, `\[x\] echo.* +sent if still marked read-only`, s.Text())
		require.Regexp(t, `\[ \] remove.* +\[replay-include\] sends it: not mar`, s.Text())
		require.Contains(t, s.atCursor(t), "command ")
		s.Do("replay-close")
		s.state.Launcher = nil
		s.Do(host.ActReplay)
		require.Equal(t, "x run again: servers cannot be started from here", s.Said())
		s.state.Launcher = s.launcher
		s.Context().Workspace.Session = session.New(session.Config{Log: uitest.NewLog(t)})
		s.Do(host.ActReplay)
		require.Equal(t, "x run again: the session is live: stop the server first", s.Said())
	},
	"replay-start": func(t *testing.T, s *stage) {
		s.Write(" 'open")
		s.Do("replay-start")
		require.Contains(t, s.Text(), "x command: unclosed quote at character")
		s.Write("'")
		s.goTo(t, remove)
		s.Do("replay-include")
		require.Contains(t, s.Text(), "4 to send")
		s.launcher.fails = errors.New("no such host")
		s.Do("replay-start")
		require.Nil(t, s.Dialog, "the plan is the question")
		require.Contains(t, s.Text(), "x no such host")
		s.launcher.fails = nil
		s.Do("replay-page-up", "replay-down", "replay-down")
		s.Write("hunter2")
		require.NotContains(t, s.Text(), "hunter2")
		s.Do("replay-start")
		order := s.launcher.again[1]
		require.Equal(t, []string{"fake server", "--key", "${KEY}", "open"}, order.Argv)
		require.Equal(t, map[string]string{"KEY": "hunter2"}, order.Values)
		require.Equal(t, []string{"TOKEN"}, order.Named)
		require.Equal(t, "/srv", order.Header.Cwd)
		require.Equal(t, "again", s.added[0].Title)
		require.Nil(t, s.Context().View)
	},
	"replay-close": func(t *testing.T, s *stage) {
		s.Do("replay-close")
		require.Nil(t, s.Context().View)
		require.Empty(t, s.launcher.again)
	},
	"replay-down": func(t *testing.T, s *stage) {
		s.Do("replay-down")
		require.Contains(t, s.atCursor(t), "${TOKEN} ")
	},
	"replay-up": func(t *testing.T, s *stage) {
		s.Do("replay-up")
		require.Contains(t, s.atCursor(t), "command ")
		s.Do("replay-down", "replay-down", "replay-up")
		require.Contains(t, s.atCursor(t), "${TOKEN} ")
	},
	"replay-page-down": func(t *testing.T, s *stage) {
		s.Do("replay-page-down")
		require.Contains(t, s.atCursor(t), "[x] prompts/list ", "the last line")
	},
	"replay-page-up": func(t *testing.T, s *stage) {
		s.Do("replay-page-down", "replay-page-up")
		require.Contains(t, s.atCursor(t), "command ")
	},
	"replay-include": func(t *testing.T, s *stage) {
		s.Do("replay-include")
		s.Write("x")
		require.Contains(t, s.atCursor(t), `'fake server' --key '${KEY}' x`)
		s.goTo(t, remove)
		s.Do("replay-include")
		require.Regexp(t, `\[x\] remove.* +sent; may change things`, s.Text())
		require.Contains(t, s.Text(), "4 to send")
		s.Do("replay-include")
		require.Contains(t, s.Text(), "3 to send, 1 not sent")
		s.goTo(t, "] echo ")
		s.Do("replay-include")
		require.Contains(t, s.Text(), "3 to send", "safe calls are sent")
	},
	"replay-all-tools": func(t *testing.T, s *stage) {
		s.Do("replay-all-tools")
		require.Contains(t, s.Text(), "4 to send")
		s.Do("replay-all-tools")
		require.Contains(t, s.Text(), "3 to send")
	},
	"replay-more": func(t *testing.T, s *stage) {
		s.goTo(t, "mode")
		s.Do("replay-more", "replay-more")
		require.Contains(t, s.Text(), "timed: at the recorded times")
		s.Do("replay-down", "replay-more")
		require.Regexp(t, `speed +2x`, s.Text())
		for range 9 {
			s.Do("replay-more")
		}
		require.Regexp(t, `speed +max`, s.Text())
	},
	"replay-less": func(t *testing.T, s *stage) {
		s.goTo(t, "mode")
		s.Do("replay-less")
		require.Contains(t, s.Text(), "timed: at the recorded times")
		s.Do("replay-down", "replay-less")
		require.Regexp(t, `speed +0.5x`, s.Text())
	},
	"replay-clear": func(t *testing.T, s *stage) {
		s.Do("replay-clear")
		require.NotContains(t, s.atCursor(t), "fake")
		s.Do("replay-start")
		require.Contains(t, s.Text(), "x the command is empty")
	},
}

func TestReplayActions(t *testing.T) {
	uitest.TestActions(t, Actions(nil), planTests, func(t *testing.T, test func(*testing.T, *stage)) { test(t, newPlan(t)) })
}

// TestReplayShowsMessagesToSend checks that each row shows whether its message will be
// sent, also for raw bytes that call tools.
func TestReplayShowsMessagesToSend(t *testing.T) {
	s := newStage(t, planned+batch+calls)
	s.Do(host.ActReplay)
	raw := `raw bytes tools/call +`
	require.Regexp(t, raw+`\[replay-include\] sends it: not mar`, s.Text())
	require.Regexp(t, `\] tools/list +sent `, s.Text())
	require.Contains(t, s.Text(), "3 to send, 2 not sent")
	s.goTo(t, "raw bytes")
	s.Do("replay-include")
	require.Regexp(t, raw+`sent; may change things`, s.Text())
	require.Regexp(t, `remove.* +sent; may change things`, s.Text(), "both rows call the same tool")
	require.Contains(t, s.Text(), "5 to send")
	s.Do("replay-include")
	require.Contains(t, s.Text(), "3 to send, 2 not sent")
	s.Do("replay-all-tools")
	require.Regexp(t, raw+`sent; may change things`, s.Text())
	require.Contains(t, s.Text(), "5 to send")
}

// TestReplayOneCall plans only the selected call, even if it is not read-only, then those that
// match a filter, and then all.
func TestReplayOneCall(t *testing.T) {
	s := newStage(t, planned+calls)
	number, ok := s.Context().Workspace.RowOf(7)
	require.True(t, ok)
	row, _ := s.Context().Workspace.Shown.Rows.At(number)
	s.Context().Workspace.Selected = workspace.Selection{Number: number, Row: row, OK: true, Traffic: true}
	s.Do(host.ActReplay)
	require.Equal(t, "calls   n:7", s.atCursor(t))
	require.Contains(t, s.Text(), " 1 to send ─")
	require.Regexp(t, `\[x\] remove +path="x".* +sent, even if not read-only`, s.Text())
	require.NotContains(t, s.Text(), "prompts/list")

	s.Do("replay-clear")
	require.Contains(t, s.Text(), "3 to send, 1 not sent")
	s.Write("method:prompts/list")
	require.Contains(t, s.Text(), " 1 to send ─")
	s.Do("replay-clear")
	s.Write("tool:remove")
	require.Contains(t, s.Text(), " 1 not sent ─", "only the selected call needs no other consent")
	s.Write("x")
	require.Contains(t, s.Text(), "x calls: no match; [replay-clear] for all")
	s.Do("replay-start")
	require.Empty(t, s.launcher.again)
	s.Do("replay-clear")
	s.Write("is:what")
	require.Contains(t, s.Text(), "x calls: column 4: is: must be one of")
}

// TestReplaySlowCalls checks that the setting decides which calls are slow.
func TestReplaySlowCalls(t *testing.T) {
	answer := `{"n":9,"t":60007,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":2,"result":{"content":[]}}}` + "\n"
	for slow, want := range map[time.Duration]string{0: "calls: no match", 40 * time.Millisecond: " 1 to send ─"} {
		s := newStage(t, planned+calls+answer)
		s.state.Slow = slow
		s.Do(host.ActReplay)
		s.goTo(t, "calls ")
		s.Write("is:slow")
		require.Contains(t, s.Text(), want)
	}
}

// TestReplayFrames shows the plan at four sizes.
func TestReplayFrames(t *testing.T) {
	s := newPlan(t)
	s.goTo(t, remove)
	s.Colours()
	var frames uitest.Sheet
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		s.Resize(size[0], size[1])
		uitest.RequireExact(t, s.Frame(), size[0], size[1])
		frames.Add(fmt.Sprintf("%dx%d", size[0], size[1]), s.Frame())
	}
	frames.Golden(t, "plan")
	s.EverySize()
}

// TestReplayThroughAPrefix: the plan names the place, and asks for the values of the
// prefix, too.
func TestReplayThroughAPrefix(t *testing.T) {
	s := newStage(t, strings.Replace(planned, `"argv":`, `"via":["docker","exec","-i","-e","${INSIDE}","web"],"argv":`, 1)+calls)
	s.Do(host.ActReplay)
	require.Contains(t, s.Text(), "starts in docker web, in /srv")
	require.Contains(t, s.Text(), "${INSIDE}")
}
