package traffic

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A stage shows the traffic of a session in the whole screen.
type stage struct {
	*uitest.Room
	t       testing.TB
	ws      *workspace.Workspace
	lists   *Lists
	traffic *Pane
	block   paint.Lines
	went    int // how many of Selected were gone to
}

func newStage(t testing.TB, h *uitest.Host, v View) *stage {
	s := &stage{Room: uitest.NewRoom(h), t: t, ws: h.Context().Workspace}
	s.ws.Overview = false
	s.lists = New(s.ws, Options{View: v, AnswerKey: "A", EndKey: "G", ClearKey: "esc"}, s.Screen())
	s.traffic = s.lists.Traffic
	s.Actions = Actions(func(host.Context) *Lists { return s.lists }, func(c host.Context) tea.Cmd {
		s.ws.Notes.Marks.Toggle(s.ws.Selected.Number)
		s.lists.ShowMarks()
		return nil
	})
	s.Under = func() host.View { return paneView{s} }
	s.Settle = s.settle
	s.grown()
	return s
}

// onLog returns a stage on a log.
func onLog(t testing.TB, log session.Source, v View) *stage {
	return newStage(t, uitest.NewHost(t, uitest.NewWorkspace(t, log), 120, 36), v)
}

// live runs a test on the traffic of an open session with a server.
func live(t *testing.T, x *uitest.Server, v View, test func(*testing.T, *stage)) {
	t.Helper()
	uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) { test(t, newStage(t, h, v)) })
}

// grown takes in the changes of the log, as the shell does.
func (s *stage) grown() {
	s.t.Helper()
	s.traffic.Keep()
	s.Run(s.Panes(s.ws).Refresh())
	s.ws.Unreachable = s.ws.NoReply()
	s.lists.Stderr.SetFilter(s.ws.Shown.Index.Stderr)
	s.traffic.ShowNews()
	s.Run(tea.Batch(s.lists.Grown(), s.lists.CountOn()))
	s.settle()
}

// settle goes to the row that was selected, and takes over the cursor.
func (s *stage) settle() {
	for ; s.went < len(s.Selected); s.went++ {
		s.traffic.Reveal(s.Selected[s.went])
	}
	number, ok := s.traffic.Cursor()
	row, _ := s.ws.Shown.Rows.At(number)
	s.ws.Selected = workspace.Selection{OK: ok, Traffic: true, Number: number, Row: row, Follows: s.traffic.Following()}
}

// send sends a line as a user does.
func (s *stage) send(line string) {
	s.t.Helper()
	_, err := s.ws.Session.Send(s.t.Context(), []byte(line))
	require.NoError(s.t, err)
	synctest.Wait()
	s.grown()
}

// arrive delivers what has arrived, and takes in the changes of the log.
func (s *stage) arrive() {
	s.Arrive()
	s.grown()
}

// cursor returns the row under the cursor.
func (s *stage) cursor() int {
	row, ok := s.traffic.Cursor()
	require.True(s.t, ok)
	return row
}

// act moves the cursor, and unfolds or folds.
func (s *stage) act(ways ...string) {
	for _, way := range ways {
		s.traffic.Act(way)
		s.settle()
	}
}

// line returns a line of the screen.
func (s *stage) line(y int) string { return strings.Split(s.Text(), "\n")[y] }

// table returns the rows that are shown.
func (s *stage) table() string {
	var rows []string
	for row := range strings.Lines(s.Text()) {
		if strings.Contains(row, "0:0") {
			rows = append(rows, strings.TrimRight(row, " \n"))
		}
	}
	return strings.Join(rows, "\n")
}

// answersAfter makes the server respond to requests, each after a delay.
func (s *stage) answersAfter(x *uitest.Server, took ...time.Duration) {
	for i, took := range took {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sleep"}`, i))
		time.Sleep(took)
		x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i)
		synctest.Wait()
		s.grown()
	}
}

// A paneView paints the traffic between two rules.
type paneView struct{ *stage }

func (paneView) Scope() string                        { return Scope }
func (paneView) Update(host.Context, tea.Msg) tea.Cmd { return nil }

func (p paneView) Draw(host.Context) {
	screen := p.Screen()
	r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}
	body := r.Body()
	p.traffic.SetSize(body.W, body.H)
	p.traffic.Paint(&p.block, true)
	left, right := p.lists.Title(TrafficList, r.W, screen.Look())
	screen.Canvas.Pane(r, screen.Border(left, right, true), &p.block)
}

func (p paneView) Move(_ host.Context, way string) tea.Cmd {
	p.traffic.Act(way)
	return nil
}
