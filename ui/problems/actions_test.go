package problems

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// choiceKeys are the keys of the choices of a card.
var choiceKeys = map[string]string{actGoFromCause: "enter", actAgain: "ctrl+r", actReport: "y", actProcess: "I"}

// A stage has the screens of problems of a session.
type stage struct {
	*uitest.Room
	state *State
	x     *uitest.Server
}

func newStage(h *uitest.Host) *stage {
	s := &stage{Room: uitest.NewRoom(h)}
	h.Keys = choiceKeys
	s.state = &State{}
	s.Actions = Actions(func(host.Context) *State { return s.state })
	s.grown()
	return s
}

// live runs a test on an open session with a server.
func live(t *testing.T, w, h int, test func(*testing.T, *stage)) {
	t.Helper()
	x := &uitest.Server{}
	uitest.Live(t, x, w, h, func(t *testing.T, h *uitest.Host) {
		s := newStage(h)
		s.x = x
		test(t, s)
	})
}

// grown takes in the changes of the log, with their problems and causes.
func (s *stage) grown() {
	if s.x != nil {
		synctest.Wait()
	}
	ws := s.Context().Workspace
	s.Run(s.Panes(ws).Refresh())
	ws.Unreachable = ws.NoReply()
	s.Run(s.state.Check(s.Context()))
	for len(s.Timers) > 0 {
		s.Elapse()
	}
	for ws.PullCauses() {
	}
	ws.UpdateCauses()
}

// last returns the row that was gone to last.
func (s *stage) last() int { return s.GoneTo[len(s.GoneTo)-1] }

// guilty makes the server break rules: text on stdout, a response to an unknown request,
// and a member twice.
func (s *stage) guilty() {
	p := s.x.Latest()
	p.Out("npm WARN \x1b[2J deprecated")
	p.Out(`{"jsonrpc":"2.0","id":700,"result":{}}`)
	p.Out(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":2}}`)
	s.grown()
}

// dies makes the server exit during a call, for a reason that it names.
func (s *stage) dies() {
	s.Send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	s.x.Latest().Err("error: KEY is not set")
	s.x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 3, By: executor.EndedByServer})
	s.grown()
	time.Sleep(time.Minute) // the cause of the exit might still have followed
	s.grown()
}

// crashes makes the server crash during a call, with output on stderr.
func (s *stage) crashes() {
	s.x.Latest().Out("starting up")
	synctest.Wait()
	s.Send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	s.x.Latest().Out(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	s.x.Latest().Err("fatal: out of luck")
	s.x.Latest().Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
	s.grown()
}

func TestProblemActions(t *testing.T) {
	actions := Actions(func(host.Context) *State { return nil })
	uitest.TestActions(t, actions, tests, func(t *testing.T, test func(*testing.T, *stage)) { live(t, 160, 36, test) })
}

// moves returns a test that an action moves the cursor of the list of problems.
func moves(move string, from, to int) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems)
		s.PickerMoves(move, from, to)
	}
}

var tests = map[string]func(t *testing.T, s *stage){
	host.ActProblems: func(t *testing.T, s *stage) {
		s.Do(host.ActProblems)
		require.Contains(t, s.Said(), "no problems; checked: framing, JSON-RPC, contents and process rules")
		s.guilty()
		s.Do(host.ActProblems)
		require.Contains(t, s.Text(), "3 problems (2 errors, 1 warning)")
		require.Regexp(t, `> ✗ +\d.* FRM12 `, s.Text(), "errors come first")
		require.Regexp(t, `for a client +\w`, s.Text())
		require.NotContains(t, s.Frame(), "\x1b[2J")
		uitest.Golden(t, "problems-160x36", s.Text())
	},
	actGoToProblem: func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems)
		s.Do("find-finding")
		s.Type("RPC07")
		s.Do(actGoToProblem)
		require.Nil(t, s.Context().View)
		require.Equal(t, s.Row(`"id":700`), s.last())
	},
	"unfold-finding": func(t *testing.T, s *stage) {
		s.dies()
		require.Equal(t, "1 problem", Part(s.Context()).Text)
		s.Do(host.ActProblems)
		require.Contains(t, s.Text(), "─ 1 problem, 1 remark ─")
		require.Regexp(t, `> ✗ +\S+  The server exited with code 3 during sleep +PRC03 `, s.Text())
		require.Contains(t, s.Text(), "    + 2 consequences ")
		s.Do("findings-down", actGoToProblem)
		require.Regexp(t, `(?s)     - 2 consequences .*    ✗ [^│]* PRC04 .*    ✗ [^│]* RPC19 `, s.Text())
		s.Do("findings-down", "findings-down", "findings-down", actGoToProblem)
		require.Equal(t, s.Row(`"id":7`), s.last(), "a consequence has a row of its own")
	},
	"fold-finding": func(t *testing.T, s *stage) {
		s.dies()
		s.Do(host.ActProblems, "unfold-finding", "findings-down", "fold-finding")
		require.Regexp(t, `(?s)> ✗ .*      \+ 2 consequences `, s.Text())
		s.Do("find-finding")
		s.Type("in flight")
		require.Contains(t, s.Text(), "1 of 3", "it is found by its consequences")
		s.Do(actGoToProblem)
		require.Equal(t, s.Row("KEY is not set"), s.last(), "the row that shows the cause")
	},
	"find-finding": func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems)
		s.Write("RPC07")
		require.NotContains(t, s.Text(), " of 4", "letters are keys")
		s.Do("find-finding")
		require.NoError(t, s.Line.Check("RPC07"))
		require.Contains(t, s.Text(), "1 of 4")
		s.Line.Cancelled()
		require.NotContains(t, s.Text(), " of 4")
	},
	"finding-restart": func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems, "finding-restart")
		require.Nil(t, s.Context().View)
		require.Equal(t, []string{host.ActRestart}, s.Done)
	},
	"finding-report": func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems, "finding-report")
		require.Contains(t, s.Clip, "response to an unknown request id")
	},
	"finding-why": func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems, "finding-why")
		require.Equal(t, []string{host.ActCauses}, s.Done)
	},
	"finding-process": func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems, "finding-process")
		require.Equal(t, []string{host.ActProcess}, s.Done)
	},
	"close-findings": func(t *testing.T, s *stage) {
		s.guilty()
		s.Do(host.ActProblems, "close-findings")
		require.Nil(t, s.Context().View)
	},
	"findings-down":      moves("findings-down", 0, 1),
	"findings-up":        moves("findings-up", 2, 1),
	"findings-page-down": moves("findings-page-down", 0, -1),
	"findings-page-up":   moves("findings-page-up", -1, 0),
	"findings-top":       moves("findings-top", 2, 0),
	"findings-bottom":    moves("findings-bottom", 0, -1),

	actEvidence: func(t *testing.T, s *stage) {
		s.Do(actEvidence)
		require.Contains(t, s.Said(), "no problems; checked: framing")
		s.crashes()
		for _, row := range []string{"fatal: out of luck", `"id":99`, "starting up", "fatal: out of luck"} {
			s.Do(actEvidence)
			require.Equal(t, s.Row(row), s.last(), "after the last one, it wraps around")
		}
		s.SelectRow(0)
		s.Do(actEvidence)
		require.Equal(t, s.Row("fatal: out of luck"), s.last(), "the first one again, from another row")
	},
	host.ActCauses: func(t *testing.T, s *stage) {
		s.Do(host.ActCauses)
		require.Contains(t, s.Text(), "No protocol problems detected")
		require.Contains(t, s.Text(), "Checked: framing, JSON-RPC, contents and process rules")
		require.NotContains(t, s.Text(), "go to the row", "there is none")
		s.Do("close-trouble")
		s.Send(`{"jsonrpc":"2.0","id":6,"method":"sleep"}`)
		s.x.Latest().Out(`{"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"too tired"}}`)
		s.grown()
		s.Do(host.ActCauses)
		require.Contains(t, s.Text(), "1 request failed: close this, then [next-error] goes to the next one")
		s.Do("close-trouble")
		s.crashes()
		lines := strings.Join(s.state.Lines(s.Context()), "\n")
		require.Contains(t, lines, "✗ The server was killed by signal SEGV during sleep: fatal: out of luck")
		s.Do(host.ActCauses)
		for _, want := range []string{"Why", "✗ The server was killed", "stderr 0:00.00  fatal: out of luck", "─ Why: cause 1 of 3 ─", "✗ Probably: the response with the unknown id 99", "△ 1 line of noise on stdout "} {
			require.Contains(t, s.Text(), want)
		}
		require.NotContains(t, s.Text(), "Stdout must carry", "only the advice of the selected cause")
	},
	"trouble-down": func(t *testing.T, s *stage) {
		s.crashes()
		s.Resize(60, 14)
		s.Do(host.ActCauses, "trouble-down")
		require.Contains(t, s.Text(), "✗ Probably: the response with the unknown id 99")
		s.Do("trouble-down")
		require.Contains(t, s.Text(), "Stdout must carry nothing", "the card scrolls")
		s.Do("trouble-down", actGoFromCause)
		require.Nil(t, s.Context().View)
		require.Equal(t, s.Row("starting up"), s.last())
	},
	"trouble-up": func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActCauses, "trouble-down", "trouble-up", "trouble-up")
		require.Contains(t, s.Text(), "fatal: out of luck  ")
	},
	actAgain: func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActCauses, actAgain)
		require.Nil(t, s.Context().View)
		require.Equal(t, []string{host.ActRestart}, s.Done)
	},
	actReport: func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActCauses, actReport)
		for _, want := range []string{"error: The server was killed by signal SEGV", "stderr 0:00.00  fatal: out of luck", "stderr, last lines:", "Stdout must carry"} {
			require.Contains(t, s.Clip, want)
		}
	},
	"cause-problems": func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActProblems)
		list := strings.Split(s.Text(), "\n")
		first := slices.IndexFunc(list, func(line string) bool { return strings.Contains(line, "│>") })
		require.Contains(t, list[first], "The server was killed", "as on the card")
		require.Contains(t, strings.Join(list[first+1:], "\n"), "starting up", "what came before it in the log")
		s.Do("close-findings")
		s.Do(host.ActCauses, "cause-problems")
		require.Equal(t, []string{host.ActProblems}, s.Done)
	},
	actProcess: func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActCauses, actProcess)
		require.Equal(t, []string{host.ActProcess}, s.Done)
		require.Contains(t, s.Text(), "╭─ Why", "the card is still open")
	},
	actGoFromCause: func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActCauses, "trouble-down", actGoFromCause)
		require.Nil(t, s.Context().View)
		require.Equal(t, s.Row(`"id":99`), s.last())
	},
	"close-trouble": func(t *testing.T, s *stage) {
		s.crashes()
		s.Do(host.ActCauses, "close-trouble")
		require.Nil(t, s.Context().View)
	},
}

// TestCauseOfRecording checks that a card explains why a recording cannot be restarted,
// and that the path of programs does not fill it.
func TestCauseOfRecording(t *testing.T) {
	rec, err := recordings.Open("../../session/diagnosis/cause/testdata/not-found.jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	s := newStage(uitest.NewHost(t, uitest.NewWorkspace(t, rec), 80, 24))
	s.Do(host.ActCauses)
	require.Contains(t, s.Text(), "✗ Not started: program")
	require.NotContains(t, s.Text(), "PATH=")
	s.Do(actAgain)
	require.Contains(t, s.Said(), "this is a recording")
	require.NotNil(t, s.Context().View)
}

// TestManyFindings checks that a log with problems at every row is checked in steps, and
// lists only some of them.
func TestManyFindings(t *testing.T) {
	entries := make([]session.Entry, 3*workspace.CheckRows)
	for i := range entries {
		line := fmt.Appendf(nil, "stray %d", i)
		entries[i] = session.Entry{Kind: session.KindStdout, Seq: uint64(i) + 1, Payload: line, Msg: framing.Scan(line)}
	}
	log := uitest.NewLog(t)
	require.NoError(t, log.Append(entries))
	ws := uitest.NewWorkspace(t, log)
	h := uitest.NewHost(t, ws, 120, 36)
	state := &State{}
	h.Run(state.Check(h.Context()))
	steps := 0
	for ; len(h.Timers) > 0; steps++ {
		h.Elapse()
	}
	require.Equal(t, 2, steps, "the first step runs at once")
	shown := ws.Shown.Problems
	require.Len(t, shown.Groups, 1)
	require.Equal(t, len(entries), shown.Groups[0].Count)
	require.Less(t, len(shown.List), len(rule.All())*100, "problems beyond the limit are only counted")
	require.Equal(t, "1 problem", Part(h.Context()).Text, "a flood")
	h.Act(Actions(func(host.Context) *State { return state }), host.ActProblems)
	require.Contains(t, h.Plain(h.Opened[0]), fmt.Sprintf("%d times, not all alike", len(entries)))
}
