package player

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A stage plays a recording. Its lists follow until a test selects a row.
type stage struct {
	*uitest.Room
	ws    *workspace.Workspace
	state *State
}

// newStage plays the recording of a session with requests in all states, of 40 entries
// in 3 s.
func newStage(t *testing.T) *stage {
	ws := uitest.NewWorkspace(t, uitest.Everything(t))
	ws.Playback = workspace.NewPlayback(ws.Whole, 0)
	s := &stage{Room: uitest.NewRoom(uitest.NewHost(t, ws, 120, 36)), ws: ws, state: &State{}}
	s.Follows = true
	s.Actions = Actions(func(host.Context) *State { return s.state })
	return s
}

// line returns the line of the player.
func (s *stage) line() string {
	var l paint.Line
	l.Reset(s.Screen().Width, s.Screen().Look())
	s.state.Paint(s.Context(), &l)
	return ansi.Strip(l.String())
}

// shown returns how many rows of the recording are shown.
func (s *stage) shown() int { return s.ws.Shown.Source.Len() }

// last returns the last row that is shown.
func (s *stage) last() session.Row {
	row, _ := s.ws.Shown.Rows.At(s.shown() - 1)
	return row
}

// goTo goes to the moment with a name.
func (s *stage) goTo(text string) {
	s.Do("go-to-moment")
	s.Write(text)
	s.Do("accept")
}

// selects selects a row, which stops following.
func (s *stage) selects(number int) {
	s.SelectRow(number)
	s.Follows = false
}

// at returns a test that an action goes from a moment to a number of rows.
func at(moment, action string, rows int, line string) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		if moment != "" {
			s.goTo(moment)
		}
		s.Do(action)
		require.Equal(t, rows, s.shown())
		require.Contains(t, s.line(), line)
	}
}

var tests = map[string]func(t *testing.T, s *stage){
	actPlay: func(t *testing.T, s *stage) {
		s.Do(actPlay)
		require.Contains(t, s.line(), "▶ 0:0")
		require.Equal(t, "pause", playNow(s.Context()))
		require.Less(t, s.shown(), 39, "from the beginning, where the list follows")
		s.Do(actPlay)
		require.Contains(t, s.line(), "‖ 0:0")
		s.Do(host.ActWhole)
		s.selects(20)
		s.Do(actPlay)
		require.Contains(t, s.line(), "▶ 0:0")
		require.GreaterOrEqual(t, s.shown(), 21, "from the selected row")
		require.Less(t, s.shown(), 39)
		require.True(t, s.Follows)
	},
	actStepOn: func(t *testing.T, s *stage) {
		s.goTo("start")
		for _, method := range []string{"server/discover", "server/discover", "initialize"} {
			s.Do(actStepOn)
			require.Equal(t, method, s.ws.Shown.Source.Method(s.last().Method))
		}
		s.goTo("end")
		s.Do(actStepOn)
		require.Equal(t, "end of the recording", s.Said())
		s.Do(host.ActWhole)
		s.selects(4)
		s.Do(actStepOn)
		require.True(t, s.Follows)
	},
	actStepBack: func(t *testing.T, s *stage) {
		s.selects(5)
		s.Do(actStepBack)
		require.Equal(t, 5, s.shown(), "before the selected row")
		require.Equal(t, session.ReqPending, s.last().State)
		s.Do(host.ActWhole)
		s.selects(39)
		s.Do(actStepBack, actStepBack)
		require.Equal(t, "prompts/list", s.ws.Shown.Source.Method(s.last().Method))
		require.Contains(t, s.line(), "‖ 0:0")
		s.goTo("start")
		s.Do(actStepBack)
		require.Equal(t, "nothing earlier to step back to", s.Said())
	},
	actSecondOn:    at("start", actSecondOn, 33, "‖ 0:01.00 "),
	actSecondBack:  at("", actSecondBack, 33, "‖ 0:0"),
	actTenOn:       at("start", actTenOn, 40, "END"),
	actTenBack:     at("end", actTenBack, 14, "‖ 0:00.00 "),
	actPercentOn:   at("50%", actPercentOn, 21, "‖ 0:0"), // at least one row
	actPercentBack: at("50%", actPercentBack, 19, "‖ 0:0"),
	actMoment: func(t *testing.T, s *stage) {
		s.goTo("seq:3")
		require.Equal(t, "stderr", s.last().Kind.String())
		s.goTo("1.5s")
		require.Contains(t, s.line(), "‖ 0:01.50 ", "also in a pause")
		s.Do(actMoment)
		s.Write("noon")
		require.Contains(t, s.Said(), "x invalid time: use 1:23.5")
		s.Do("accept")
		require.NotNil(t, s.Line)
		require.Equal(t, []string{"next previous"}, s.Line.Complete("next prev"))
		s.Do("close-prompt")
		s.goTo("start")
		s.goTo("previous error")
		require.Contains(t, s.Said(), "no error before")
	},
	actFaster: func(t *testing.T, s *stage) {
		for _, speed := range []string{"2x", "4x", "8x", "16x", "max", "max"} {
			s.Do(actFaster)
			require.Equal(t, "playing at "+speed, s.Said())
		}
	},
	actSlower: func(t *testing.T, s *stage) {
		s.goTo("50%")
		for _, speed := range []string{"0.5x", "0.25x", "0.25x"} {
			s.Do(actSlower)
			require.Regexp(t, ` 0:03.06   `+speed+` \[slower\] \[faster\]   idle over 2 s skipped$`, strings.TrimSpace(s.line()))
		}
	},
	host.ActWhole: func(t *testing.T, s *stage) {
		s.Do(host.ActWhole)
		require.Equal(t, "x whole recording: the whole recording is shown", s.Said())
		s.goTo("50%")
		require.Equal(t, 20, s.shown())
		s.Do(host.ActWhole)
		require.Equal(t, 40, s.shown())
		require.Contains(t, s.line(), "END   ")
	},
	actNextPoint: func(t *testing.T, s *stage) {
		s.goTo("start")
		s.Kinds = nil
		for !strings.Contains(s.Said(), "nothing to jump to after this") {
			s.Do(actNextPoint)
		}
		require.Equal(t, "stdout stdout stdout stdin stdout stdout lagged held exited", strings.Join(s.Kinds, " "))
	},
	actPrevPoint: func(t *testing.T, s *stage) {
		s.goTo("end")
		s.Kinds = nil
		s.Do(actPrevPoint, actPrevPoint, actPrevPoint)
		require.Equal(t, "exited held lagged", strings.Join(s.Kinds, " "))
	},
}

func TestPlayerActions(t *testing.T) {
	uitest.TestActions(t, Actions(nil), tests, func(t *testing.T, test func(*testing.T, *stage)) { test(t, newStage(t)) })
}

// TestOnlyRecordingsPlay checks that a live session does not play, and says so.
func TestOnlyRecordingsPlay(t *testing.T) {
	s := newStage(t)
	s.ws.Session = session.New(session.Config{Log: uitest.NewLog(t)})
	for _, id := range []string{actPlay, actStepOn, actMoment} {
		s.Do(id)
		require.Contains(t, s.Said(), "this session is live: only a recording can be played")
	}
}

// TestPlayerLines shows a moment with a pending request, and the end, at all widths.
func TestPlayerLines(t *testing.T) {
	s := newStage(t)
	var lines uitest.Sheet
	for _, moment := range []string{"n:31", "end"} {
		s.goTo(moment)
		for _, width := range []int{200, 120, 80, 60, 40} {
			s.Resize(width, 36)
			lines.Add(fmt.Sprint(moment, " ", width), s.line())
		}
	}
	lines.Golden(t, "lines")
}

// TestOldTimersAreDropped checks that only the latest timer counts: otherwise each pause
// would add one.
func TestOldTimersAreDropped(t *testing.T) {
	s := newStage(t)
	s.goTo("50%")
	s.Do(actPlay, actPlay, actPlay)
	require.True(t, s.ws.Playback.Player.Playing())
	require.Len(t, s.Timers, 2, "none for a pause")
	timers := s.Timers
	require.Nil(t, timers[0].Message.Deliver(s.Context()))
	s.Run(timers[1].Message.Deliver(s.Context()))
	require.Len(t, s.Timers, 3)
	require.LessOrEqual(t, s.Timers[2].Wait, time.Second)
}

// TestClickOnTheBar shows the moment at the clicked place.
func TestClickOnTheBar(t *testing.T) {
	s := newStage(t)
	bar := func() (found barPlace) {
		for x, r := range []rune(s.line()) {
			if strings.ContainsRune("━─█", r) {
				if found.w == 0 {
					found.x = x
				}
				found.w = x - found.x + 1
			}
		}
		return found
	}
	cell := func(b barPlace) int { return (s.shown() - 1) * b.w / s.ws.Whole.Index.Scanned }
	s.goTo("50%")
	for _, part := range []float64{0.5, 0, 1, 0.33} {
		b := bar()
		require.Greater(t, b.w, 20)
		at := int(part * float64(b.w-1))
		cmd, drags := s.state.Click(s.Context(), b.x+at)
		require.True(t, drags)
		s.Run(cmd)
		b = bar()
		require.InDelta(t, at, cell(b), 4, "%v", part)
		require.Equal(t, "█", string([]rune(s.line())[b.x+cell(b)]))
	}
	b, before := bar(), s.shown()
	for _, x := range []int{b.x + b.w/4, b.x + b.w/8, -5, b.x + b.w + 50} {
		s.Run(s.state.Drag(s.Context(), x))
	}
	require.Equal(t, 40, s.shown(), "the nearest cell")
	_, drags := s.state.Click(s.Context(), 2)
	require.False(t, drags, "next to the bar")
	require.NotEqual(t, before, s.shown())
}

// TestParseGoal parses goals.
func TestParseGoal(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "1:23.5": true, "12.5s": true, "250ms": true, "1:02:03": true, "12": true, "50%": true, "n:3": true, "seq:4": true,
		"seq:4 run:2": true, "run:2": true, "error": true, "next lag": true, "first exit": true, "previous mark": true, "start": true, "end": true,
		"1:60": false, "-1s": false, "1:2:3:4": false, "1.5:00": false, "NaN": false, "1e9": false, "99999999999": false, "101%": false, "x%": false,
		"n:": false, "n:x": false, "seq:0": false, "seq:1 n:2": false, "first": false, "last error": false, "next gap gap": false, "foo": false, "1 2": false,
	} {
		_, err := parseGoal(text)
		require.Equal(t, ok, err == nil, "%q: %v", text, err)
	}
	for text, want := range map[string]time.Duration{"1:23.5": 83500 * time.Millisecond, "12.5": 12500 * time.Millisecond, "1:00:00": time.Hour, "1m": time.Minute} {
		got, err := parseTime(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestGrowingRecording checks that a recording that is still written has no end: the line
// shows that new rows are followed, and a moment keeps its time.
func TestGrowingRecording(t *testing.T) {
	s := newStage(t)
	s.ws.File.Recording = session.RecordingOn
	require.Contains(t, s.line(), "LIVE ")
	s.goTo("end")
	s.ws.File.Recording = session.RecordingOn
	require.Contains(t, s.line(), "‖ 0:03.06 ")
	require.NotContains(t, s.line(), "END")
	s.ws.File.Recording = session.RecordingDone
	require.Contains(t, s.line(), "END ")
}
