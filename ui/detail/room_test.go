package detail

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
)

// A room has the detail pane of a workspace alone on the screen.
type room struct {
	*uitest.Room
	pane  *Pane
	block paint.Lines
}

// A roomTest is a test of the pane of a session with a server.
type roomTest func(t *testing.T, r *room, x *uitest.Server)

// newRoom returns the room of a workspace, on a screen of its size.
func newRoom(h *uitest.Host) *room {
	r := &room{}
	r.Room = uitest.NewRoom(h, Actions(func(host.Context) *Pane { return r.pane }), []host.Action{
		{Entry: host.Entry{ID: host.ActOpen, Keys: []string{"enter"}}, Do: func(c host.Context) tea.Cmd { return r.pane.Open(c) }},
	})
	screen := h.Screen()
	r.pane = New(h.Context().Workspace, Options{Theme: screen.Theme, Look: screen.Look(), Graphics: &screen.Graphics, Key: h.Key, After: h.After})
	h.T.Cleanup(r.pane.Close)
	h.Under = func() host.View { return r }
	r.Settle = func() {
		v := &h.Context().Workspace.Viewed
		if v.OK { // its response may have arrived
			v.Row, v.OK = h.Context().Workspace.Shown.Paired(v.Number)
		}
		r.Run(r.pane.Show(*v))
	}
	r.resize(screen.Width, screen.Height)
	return r
}

// inRoom runs a test with a server.
func inRoom(t *testing.T, w, h int, serve func(*uitest.Process, uitest.Message), test roomTest) {
	t.Helper()
	x := &uitest.Server{Serve: serve}
	uitest.Live(t, x, w, h, func(t *testing.T, host *uitest.Host) { test(t, newRoom(host), x) })
}

// ofLog returns the room of a recording.
func ofLog(t *testing.T, log session.Source, w, h int) *room {
	t.Helper()
	return newRoom(uitest.NewHost(t, uitest.NewWorkspace(t, log), w, h))
}

// resize changes the size of the screen.
func (r *room) resize(w, h int) {
	r.Resize(w, h)
	in := r.Screen().Panes.Body()
	r.pane.SetSize(in.W, in.H)
}

// show shows a row of the log.
func (r *room) show(row int) {
	r.T.Helper()
	r.SelectRow(row)
	r.Settle()
}

// rows returns the lines of the screen without styles.
func (r *room) rows() []string { return strings.Split(r.Text(), "\n") }

// search searches the pane for a text from the cursor on (0), or for the next hit (1).
func (r *room) search(text string, by int) {
	cmd, said := r.pane.Search(context.Background(), text, by)
	r.Notify(said)
	r.Run(cmd)
}

// Scope implements host.View.
func (*room) Scope() string { return Scope }

// Update implements host.View.
func (*room) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// Move implements host.Moving.
func (r *room) Move(_ host.Context, way string) tea.Cmd {
	require.True(r.T, r.pane.Act(way), "the pane has no action %q", way)
	return nil
}

// Draw implements host.View.
func (r *room) Draw(host.Context) {
	left, right := r.pane.Titles()
	r.pane.Paint(&r.block, true)
	r.Screen().Canvas.Pane(r.Screen().Panes, r.Screen().Border(left, right, true), &r.block)
}
