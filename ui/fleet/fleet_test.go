package fleet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A stage shows a run.
type stage struct {
	*uitest.Room
	run  *uitest.Run
	view *View
	went []string // requests to the shell
}

// newStage shows a run; an action of the shell is only recorded.
func newStage(t *testing.T, r *uitest.Run, ws *workspace.Workspace, w, h int) *stage {
	s := &stage{Room: uitest.NewRoom(uitest.NewHost(t, ws, w, h)), run: r}
	s.view = New(s.Screen(), r.Grid())
	goes := func(where string) func(host.Context) tea.Cmd {
		return func(host.Context) tea.Cmd { s.went = append(s.went, where); return nil }
	}
	s.Actions = Actions(func(host.Context) *View { return s.view }, goes("grid"), goes("stop"))
	s.Open(ws, s.view)
	s.Text()
	return s
}

// halfway shows a run of 200 targets, half finished.
func halfway(t *testing.T) *stage {
	return newStage(t, uitest.Halfway(t), uitest.NewWorkspace(t, workspace.NoSource()), 160, 36)
}

// onTarget moves the cursor to a target, wherever it is.
func (s *stage) onTarget(i int) {
	s.view.Grid.Home()
	for range s.view.Grid.Len() {
		if at, _ := s.view.Grid.Cursor(); at == i {
			break
		}
		s.view.Grid.Move(1)
	}
}

// line returns a line of the screen.
func (s *stage) line(y int) string { return strings.Split(s.Text(), "\n")[y] }

// moves returns a test that an action moves from the middle by n lines.
func moves(id string, n int) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		s.onTarget(100)
		require.NotContains(t, s.Text(), "following")
		s.Do(id)
		at, _ := s.view.Grid.Cursor()
		require.Equal(t, min(max(100+n, 0), 199), at)
	}
}

// goes returns a test that an action is one of the shell.
func goes(id, where string) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		s.All = append(s.All, s.Context().Workspace)
		s.Do(id)
		require.Equal(t, []string{where}, append(s.went, s.Done...))
	}
}

var tests = map[string]func(t *testing.T, s *stage){
	"grid-down":           moves("grid-down", 1),
	"grid-up":             moves("grid-up", -1),
	"grid-page-down":      moves("grid-page-down", 21),
	"grid-page-up":        moves("grid-page-up", -21),
	"grid-half-page-down": moves("grid-half-page-down", 11),
	"grid-half-page-up":   moves("grid-half-page-up", -11),
	"grid-first":          moves("grid-first", -200),
	"grid-last":           moves("grid-last", 200),
	"grid":                goes("grid", "grid"),
	"grid-commands":       goes("grid-commands", host.ActPalette),
	"grid-help":           goes("grid-help", host.ActHelp),
	"grid-quit":           goes("grid-quit", host.ActInterrupt),
	"grid-open": func(t *testing.T, s *stage) {
		s.onTarget(170)
		require.Contains(t, s.Text(), "  waiting   for its turn")
		s.run.Rows[153].Phase = "wait"
		s.onTarget(153)
		require.Contains(t, s.Text(), "  waiting   for its turn, 3.0s")
		s.onTarget(154)
		require.Contains(t, s.Text(), "  running   shutdown, after failing in auth")
		s.onTarget(170)
		s.Do("grid-open")
		require.Equal(t, "x open: everything on host-171.example has no recording yet", s.Said())
		s.onTarget(3)
		s.run.Fails = errors.New("no such file")
		s.Do("grid-open")
		require.Equal(t, "x everything on host-004.example: no such file", s.Said())
	},
	"grid-fresh": func(t *testing.T, s *stage) {
		s.view.Run.StartNew = nil
		s.Do("grid-fresh")
		require.Equal(t, "x debug: servers cannot be started from here", s.Said())
	},
	"grid-filter": func(t *testing.T, s *stage) {
		s.Do("grid-filter")
		s.Write("refused AUTH")
		require.Contains(t, s.Text(), "━ Targets 12 of 200  filter refused AUTH ━", "while it is typed")
		s.Do("close-prompt")
		require.Contains(t, s.Text(), "━ Targets 200 ━", "the filter is restored")
		s.Do("grid-filter")
		s.Write("no such words")
		require.Contains(t, s.Text(), "no matching targets")
		s.Do("accept")
		require.Contains(t, s.Text(), "━ Targets 0 of 200")
		s.Do("grid-open")
		require.Equal(t, "x open: no target listed", s.Said())
	},
	"grid-failed": func(t *testing.T, s *stage) {
		s.onTarget(15)
		s.Do("grid-failed")
		require.Contains(t, s.Text(), "━ Targets 36 of 200  failed only ━")
		require.Regexp(t, `>✗ host-016\.example`, s.Text(), "the cursor stays on its target")
		require.NotRegexp(t, `[+·] host-`, s.Text())
		s.Do("grid-failed")
		require.Regexp(t, `>✗ host-016\.example`, s.Text())
	},
	"grid-sort": func(t *testing.T, s *stage) {
		for _, order := range []string{"failures first", "slowest first", "by host"} {
			s.onTarget(100)
			s.Do("grid-sort")
			require.Contains(t, s.Text(), " "+order+" ━━")
			require.Regexp(t, `>  host-101\.example`, s.Text())
		}
		s.Do("grid-sort")
		require.NotContains(t, s.Text(), "by host ━━")
		require.NotContains(t, s.Text(), "following")
		s.Do("grid-sort", "grid-first")
		require.Regexp(t, `>✗ host-006\.example •••✗····· auth +0.2 s auth`, s.Text(), "targets with the same cause are adjacent")
	},
	"grid-follow": func(t *testing.T, s *stage) {
		require.Regexp(t, `>. host-160\.example`, s.Text())
		s.Do("grid-up")
		s.run.Begin(170)
		s.view.Grid.Refresh()
		require.Regexp(t, `>. host-159\.example`, s.Text())
		require.NotContains(t, s.Text(), "following")
		s.Do("grid-follow")
		require.Regexp(t, `>. host-171\.example`, s.Text())
		require.Contains(t, s.Text(), " following ━━")
		s.run.Begin(190)
		s.view.Grid.Refresh()
		require.Regexp(t, `>. host-191\.example`, s.Text())
		s.Do("grid-follow")
		require.NotContains(t, s.Text(), "following")
		s.run.Finish()
		s.view.Grid.Refresh()
		require.Contains(t, s.Text(), "DONE ━━")
		s.Do("grid-follow")
		require.Equal(t, "x follow: the run is over", s.Said())
	},
	"grid-next-failed": func(t *testing.T, s *stage) {
		s.Do("grid-first", "grid-next-failed")
		require.Regexp(t, `>✗ host-004\.example`, s.Text())
		s.Do("grid-next-failed")
		require.Regexp(t, `>✗ host-006\.example`, s.Text())
		s.Do("grid-last", "grid-next-failed")
		require.Equal(t, "no failed target below", s.Said())
	},
	"grid-previous-failed": func(t *testing.T, s *stage) {
		s.onTarget(5)
		s.Do("grid-previous-failed")
		require.Regexp(t, `>✗ host-004\.example`, s.Text())
		s.Do("grid-previous-failed")
		require.Equal(t, "no failed target above", s.Said())
	},
	"grid-copy": func(t *testing.T, s *stage) {
		s.run.Rows[5].Message += "\x1b[2J"
		s.onTarget(5)
		s.Do("grid-copy")
		require.Equal(t, "host-006.example  everything  failed  auth  auth  no login as deploy: publickey was refused[2J  /state/mcpdbg/recordings/smoke/host-006.example.jsonl", s.Clip)
	},
	"grid-opened": func(t *testing.T, s *stage) {
		s.Do("grid-opened")
		require.Equal(t, "x open sessions: no session is open", s.Said())
		one := s.Context().Workspace
		s.All = append(s.All, one)
		s.Do("grid-opened")
		require.Equal(t, []*workspace.Workspace{one}, s.Shown)
		require.Empty(t, s.Opened, "the run is closed")
		require.Empty(t, s.Done)
		s.Open(one, s.view)
		goes("grid-opened", host.ActSessions)(t, s)
		require.Empty(t, s.Opened)
	},
	"grid-stop": func(t *testing.T, s *stage) {
		require.Contains(t, s.view.StopQuestion(false).Lines, "17 running, 40 waiting.")
		s.Do("grid-stop")
		require.Equal(t, []string{"stop"}, s.went)
		s.view.Stop()
		s.view.Stop()
		require.Equal(t, 1, s.run.Stopped)
		require.Contains(t, s.Text(), "SMOKE  stopping 17 sessions ...")
		s.Do("grid-stop")
		require.Equal(t, "x stop the run: the run is stopping", s.Said())
		s.run.Finish()
		s.view.Grid.Refresh()
		require.Contains(t, s.Text(), "SMOKE  done: FAILED")
		require.Contains(t, s.Text(), "57 cancelled")
	},
	"grid-close": func(t *testing.T, s *stage) {
		s.Do("grid-failed", "grid-filter")
		s.Write("auth")
		s.Do("accept")
		require.Contains(t, s.Text(), "━ Targets 12 of 200  failed only  filter auth ━")
		s.Do("grid-close")
		require.Contains(t, s.Text(), "━ Targets 200 ━")
		s.Do("grid-close")
		require.Equal(t, "[grid-quit] quits", s.Said())
	},
}

func TestGridActions(t *testing.T) {
	uitest.TestActions(t, Actions(nil, nil, nil), tests, func(t *testing.T, test func(*testing.T, *stage)) { test(t, halfway(t)) })
}

func TestGridFrames(t *testing.T) {
	for _, color := range []bool{true, false} {
		var frames uitest.Sheet
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
			r := uitest.Halfway(t)
			s := newStage(t, r, uitest.NewWorkspace(t, workspace.NoSource()), size[0], size[1])
			s.Screen().ASCII = size[0] == 60
			if color {
				s.Screen().Theme = paint.NewTheme(paint.Options{Profile: paint.TrueColor})
			}
			s.view = New(s.Screen(), r.Grid())
			s.Opened = []host.View{s.view}
			frames.Add(fmt.Sprintf("middle-%dx%d", size[0], size[1]), s.Frame())
			r.Begin(199)
			r.End(143, 200)
			r.Sum.Took = 31e9
			r.Finish()
			s.view.Grid.Refresh()
			frames.Add(fmt.Sprintf("end-%dx%d", size[0], size[1]), s.Frame())
		}
		frames.Golden(t, map[bool]string{true: "grid", false: "grid-nocolor"}[color])
	}
}

// TestGridEndsAtFailure checks that when the run ends, the cursor goes to the first
// failure unless the user has moved it.
func TestGridEndsAtFailure(t *testing.T) {
	for moved, want := range map[bool]int{false: 3, true: 158} {
		s := halfway(t)
		if moved {
			s.Do("grid-up")
		}
		s.run.Finish()
		s.view.Grid.Refresh()
		at, _ := s.view.Grid.Cursor()
		require.Equal(t, want, at)
	}
}

// TestGridCountsUnsure checks that targets whose end is unknown are not counted as ok.
func TestGridCountsUnsure(t *testing.T) {
	r := uitest.NewRun(t, 3)
	r.Begin(2)
	r.End(0, 3)
	r.Rows[1].State, r.Rows[1].Message = grid.Unsure, "docker ended with 0; how the server ended: cannot tell"
	r.Finish()
	s := newStage(t, r, uitest.NewWorkspace(t, workspace.NoSource()), 120, 36)
	require.Contains(t, s.Text(), "SMOKE  done: ok?  ")
	require.Contains(t, s.Text(), " 3 targets  2 ok  1 ok?  ")
	require.Regexp(t, `host-002\.example .* ok\? +docker ended with 0`, s.Text())
	require.Equal(t, "run finished: 2 ok, 1 ok?, 0 failed; [grid] shows it", s.view.Finished(s.Context()))
	s.onTarget(1)
	s.Do("grid-copy")
	require.Contains(t, s.Clip, "  ok?  docker ended with 0")
}

// TestGridVerdict: the title is the verdict of the run, not of its targets.
func TestGridVerdict(t *testing.T) {
	for title, set := range map[string]func(r *uitest.Run){
		"done: ok, 1 not counted": func(r *uitest.Run) { r.Rows[2].State, r.Sum.OK = grid.Failed, true },     // by --fail-on
		"done: FAILED":            func(r *uitest.Run) { r.Sum.OK = false },                                  // by --expect
		"done: CANCELLED":         func(r *uitest.Run) { r.Rows[2].State, r.Sum.OK = grid.Cancelled, false }, // by a person
		"done: ok":                func(*uitest.Run) {},
	} {
		r := uitest.NewRun(t, 3)
		r.Begin(2)
		r.End(0, 3)
		r.Finish()
		r.Set(set)
		require.Contains(t, newStage(t, r, uitest.NewWorkspace(t, workspace.NoSource()), 120, 36).Text(), "SMOKE  "+title+"  ")
	}
}

// TestGridByMouse checks that a click selects a target, that a second one reports it, and
// that the wheel scrolls.
func TestGridByMouse(t *testing.T) {
	s := halfway(t)
	s.Do("grid-first")
	s.Text()
	again, hit := s.view.Click(20, 8)
	require.True(t, hit)
	require.False(t, again)
	require.Regexp(t, `>✗ host-004\.example`, s.line(8))
	s.view.Scroll(3)
	require.Regexp(t, `>✗ host-004\.example`, s.line(5))
	again, hit = s.view.Click(20, 5)
	require.True(t, again && hit)
}

// TestGridIsUntrusted checks that text of hosts and servers cannot leave its place.
func TestGridIsUntrusted(t *testing.T) {
	for _, text := range uitest.Hostile {
		r := uitest.NewRun(t, 3)
		for i := range r.Rows {
			r.Rows[i] = grid.Row{Host: text, Server: fmt.Sprint(i, text), State: grid.Failed, Phases: []string{text}, Phase: text, Cause: text, Message: text, Recording: text}
		}
		r.Facts = []grid.Fact{{Label: text, Text: text, Bad: true}}
		r.Sum = grid.Totals{Over: true, Causes: []grid.Count{{Name: text, N: 3}}, Facts: r.Facts}
		s := newStage(t, r, uitest.NewWorkspace(t, workspace.NoSource()), 120, 36)
		s.view.Run.Title = text
		s.EverySize()
		uitest.RequireBorders(t, strings.Split(s.Text(), "\n"))
	}
}
