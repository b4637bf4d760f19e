package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A stage has a session whose server restarts when files change.
type stage struct {
	*uitest.Room
	x        *uitest.Server
	files    *workspace.Watch
	state    *State
	restarts int
	changes  []string // to report
	compared []*replayer.Round
}

// watching runs a test on a watch over the files of a session, which has called a tool.
func watching(t *testing.T, tool string, test func(*testing.T, *stage)) {
	t.Helper()
	x := &uitest.Server{Capabilities: `{"tools":{}}`, Serve: uitest.Adds(1)}
	uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) {
		s := &stage{Room: uitest.NewRoom(h), x: x}
		series := replayer.NewSeries(s.session(), replayer.SeriesOptions{Calls: 10, Interactive: true})
		require.NoError(t, series.Begin(t.Context()))
		s.files = &workspace.Watch{
			What: "*.go", Rest: series.SendHeld, Always: series.Always,
			Next: func(context.Context) (string, error) {
				if len(s.changes) == 0 {
					return "", context.Canceled
				}
				next := s.changes[0]
				s.changes = s.changes[1:]
				return next, nil
			},
			Again: func(ctx context.Context, cause string) (*replayer.Round, error) {
				round, err := series.Rerun(ctx, cause)
				if err == nil {
					s.restarts++
				}
				return round, err
			},
		}
		s.state = New(t.Context(), s.files, func(_ host.Context, round *replayer.Round, _ string) tea.Cmd {
			s.compared = append(s.compared, round)
			return nil
		})
		s.Actions = Actions(func(host.Context) *State { return s.state })
		s.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool))
		test(t, s)
	})
}

func (s *stage) session() *session.Session { return s.Context().Workspace.Session }

// changing has the watch report a change, and returns the message.
func (s *stage) changing(cause string) (m host.Message) {
	s.changes = append(s.changes, cause)
	s.state.Listen(func(sent host.Message) { m = sent })
	return m
}

// change has the watch report a change.
func (s *stage) change() {
	s.Run(s.changing("main.go changed").Deliver(s.Context()))
	s.Pull()
}

// part returns the part of the header.
func (s *stage) part() string { return s.state.Part(s.Context()).Text }

func TestWatchActions(t *testing.T) {
	uitest.TestActions(t, Actions(nil), tests, func(t *testing.T, test func(*testing.T)) { test(t) })
}

// on returns a test of a watch over a session that has called a tool.
func on(tool string, test func(*testing.T, *stage)) func(*testing.T) {
	return func(t *testing.T) { watching(t, tool, test) }
}

// without checks that an action needs a watch.
func (s *stage) without(t *testing.T, id string) {
	s.state.files = nil
	s.Do(id)
	require.Contains(t, s.Said(), "no files are watched")
	s.state.files = s.files
}

var tests = map[string]func(t *testing.T){
	"watch-pause": on("add", func(t *testing.T, s *stage) {
		s.without(t, "watch-pause")
		s.Do("watch-pause")
		require.Equal(t, "WATCH paused", s.part())
		require.Equal(t, "watch paused; [watch-pause] resumes it", s.Said())
		s.change()
		s.change()
		require.Zero(t, s.restarts)
		require.Equal(t, "main.go changed; [watch-pause] resumes the watch", s.Said())
		s.Do("watch-pause")
		require.Equal(t, 1, s.restarts, "all changes in the meantime cause one round")
		require.Contains(t, s.part(), "WATCH 1 main.go changed")
		s.Do("watch-pause", "watch-pause")
		require.Equal(t, 1, s.restarts)
		require.Equal(t, "watching *.go", s.Said())
	}),
	"watch-now": on("add", func(t *testing.T, s *stage) {
		s.without(t, "watch-now")
		s.Do("watch-now")
		require.Equal(t, 1, s.restarts)
		require.Equal(t, "on request: re-sent 1 call and the lists: all responses are the same", s.Said())
	}),
	"watch-rest": on("note", func(t *testing.T, s *stage) {
		s.Do("watch-rest")
		require.Contains(t, s.Said(), "every call was re-sent")
		s.change()
		require.Equal(t, "main.go changed; [watch-rest] sends note, [watch-always] always: re-sent the lists: their responses are the same; not re-sent: note (may have side effects)", s.Said())
		s.Do("watch-rest")
		require.Contains(t, s.Asked(), "Send calls that may have side effects?")
		s.Do("yes")
		require.Contains(t, s.Said(), "main.go changed: re-sent 1 call and the lists: all responses are the same")
		require.Contains(t, s.part(), "WATCH 1 main.go changed", "the server was not restarted")
		s.Do("watch-rest")
		require.Contains(t, s.Said(), "every call was re-sent")
	}),
	"watch-always": on("note", func(t *testing.T, s *stage) {
		s.without(t, "watch-always")
		s.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"}}`)
		s.change()
		require.Contains(t, s.part(), "2 calls not re-sent ([watch-rest])")
		s.Do("watch-always")
		require.Equal(t, "note, wipe", s.Dialog.Lines[0])
		require.Contains(t, s.Asked(), "To choose one tool, select a row that calls it first.")
		s.Do("no")
		require.Contains(t, s.part(), "2 calls not re-sent ([watch-rest])")
		for _, row := range []string{`"params":{"name":"note"}`, `"id":1,"result"`} {
			s.SelectRow(s.Row(row))
			s.Do("watch-always")
			require.Equal(t, "note", s.Dialog.Lines[0], "the tool of the selected row")
			require.Contains(t, s.Asked(), "--watch-tool NAME does it from the start")
			if row != `"params":{"name":"note"}` {
				s.Do("yes")
			} else {
				s.Do("no")
			}
		}
		require.Contains(t, s.part(), "1 call not re-sent ([watch-rest])")
		require.Contains(t, s.Said(), "[watch-rest] sends wipe, [watch-always] always: re-sent 1 call and the lists")
		s.change()
		require.Contains(t, s.part(), "1 call not re-sent ([watch-rest])", "note is re-sent in each round")
		s.Do("watch-always")
		require.Equal(t, "wipe", s.Dialog.Lines[0])
	}),
}

// TestWatchSaysSameOnlyOfWhatWasSent checks that the header does not call responses
// unchanged while a call was not re-sent, shows that in amber, and shows how many
// responses were compared if there are older ones.
func TestWatchSaysSameOnlyOfWhatWasSent(t *testing.T) {
	watching(t, "note", func(t *testing.T, s *stage) {
		s.x.Serve = uitest.Adds(7)
		s.change()
		p := s.state.Part(s.Context())
		require.Equal(t, "WATCH 1 main.go changed: 1 call not re-sent ([watch-rest])", p.Text)
		require.Equal(t, "WATCH 1 1 call not re-sent ([watch-rest])", p.Short)
		require.Equal(t, s.Screen().Theme.Odd, p.Style)
		require.Contains(t, s.Said(), "their responses are the same; not re-sent: note")
		s.Do("watch-rest", "yes")
		require.Contains(t, s.part(), "1 changed", "the call that was not re-sent had changed")
		require.NotContains(t, s.part(), "re-sent")
	})
	watching(t, "add", func(t *testing.T, s *stage) {
		for i := range 10 {
			s.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"n":%d}}}`, 2+i, i))
		}
		s.change()
		require.Contains(t, s.part(), "same responses to the last 10 calls")
		require.Equal(t, s.Screen().Theme.Good, s.state.Part(s.Context()).Style)
	})
}

// TestWatchFailedStart checks that a failed start is reported, and that its dialog closes
// once the server is ready.
func TestWatchFailedStart(t *testing.T) {
	watching(t, "add", func(t *testing.T, s *stage) {
		s.x.Refuse = errors.New("syntax error")
		s.change()
		require.Nil(t, s.Dialog, "the screen already shows it")
		require.Contains(t, s.Said(), "main.go changed: not started; the next change tries again: start: syntax error")
		require.Equal(t, "WATCH failed: main.go changed", s.part())
		require.False(t, s.Context().Workspace.Starting)
		s.Dialog = &host.Dialog{Title: "The server could not be started", About: host.AboutStart}
		s.x.Refuse = nil
		s.change()
		require.Nil(t, s.Dialog)
		require.Contains(t, s.Said(), "all responses are the same")
	})
}

// TestWatchNotBuilt checks that the workspace has a failed build until a build succeeds,
// and that the dialog about one closes with the next.
func TestWatchNotBuilt(t *testing.T) {
	watching(t, "add", func(t *testing.T, s *stage) {
		failed := &workspace.BuildError{Cause: "other.go changed", Command: "make server", Err: errors.New("exit status 2")}
		again, building := s.files.Again, false
		s.files.Doing = func() string { return map[bool]string{true: "runs make server: other.go changed"}[building] }
		s.files.Again = func(context.Context, string) (*replayer.Round, error) { return nil, failed }
		s.change()
		require.Equal(t, session.Ready, s.session().Status().State, "the old server keeps running")
		require.Equal(t, "WATCH build failed: other.go changed", s.part())
		require.Same(t, failed, s.Context().Workspace.Unbuilt)
		s.Dialog = &host.Dialog{About: host.AboutWatch}
		s.change()
		require.Nil(t, s.Dialog, "the dialog was about the previous build")
		building = true
		round := s.changing("other.go changed").Deliver(s.Context())
		require.Equal(t, "WATCH runs make server: other.go changed", s.part())
		building = false
		s.Run(round)
		s.files.Again = again
		s.change()
		require.Nil(t, s.Context().Workspace.Unbuilt)
		require.True(t, strings.HasPrefix(s.part(), "WATCH 1 "))
		require.Contains(t, s.part(), "same responses")
	})
}

// TestWatchBusy checks that changes during a round cause a single further round.
func TestWatchBusy(t *testing.T) {
	watching(t, "add", func(t *testing.T, s *stage) {
		var causes []string
		s.files.Again = func(_ context.Context, cause string) (*replayer.Round, error) {
			causes = append(causes, cause)
			return nil, errors.New("build failed")
		}
		round := s.changing("a").Deliver(s.Context())
		require.Equal(t, "WATCH ... a", s.part())
		require.Nil(t, s.changing("b").Deliver(s.Context()))
		require.Nil(t, s.changing("c").Deliver(s.Context()))
		require.Equal(t, "c: another restart follows", s.Said())
		ok, why := host.CanRestart(s.Context())
		require.False(t, ok)
		require.Equal(t, "the server is starting", why)
		s.Run(round)
		require.Equal(t, []string{"a", "c"}, causes)
		require.NotContains(t, s.part(), "WATCH ...")
		require.Equal(t, "x c: build failed", s.Said())
	})
}

// TestListen receives changes from the watch until it ends.
func TestListen(t *testing.T) {
	left := []string{"a", "b"}
	s := New(t.Context(), &workspace.Watch{Next: func(context.Context) (string, error) {
		if len(left) == 0 {
			return "", context.Canceled
		}
		next := left[0]
		left = left[1:]
		return next, nil
	}}, nil)
	var got []host.Message
	s.Listen(func(m host.Message) { got = append(got, m) })
	require.Equal(t, []host.Message{changed{s, "a"}, changed{s, "b"}}, got)
}

// TestNoFiles checks that a session without a watch listens to nothing and has no
// part in the header.
func TestNoFiles(t *testing.T) {
	s := New(t.Context(), nil, nil)
	s.Listen(func(host.Message) { require.Fail(t, "no files are watched") })
	require.Empty(t, s.Part(host.Context{}))
}
