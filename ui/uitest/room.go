package uitest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
)

// A Room drives a screen as the shell does: it carries out its actions by name, gives
// keys to the focused view, and closes dialogs and prompts.
type Room struct {
	*Host
	Actions []host.Action // those of the room, and those that it inherits from package fields
	Settle  func()        // follows each action and key, as in the shell; may be nil

	typed string // in the open prompt, after its text
}

// NewRoom returns a room with actions, whose keys its views show.
func NewRoom(h *Host, actions ...[]host.Action) *Room {
	r := &Room{Host: h, Actions: slices.Concat(actions...)}
	h.Keys = map[string]string{}
	for _, a := range r.Actions {
		if len(a.Keys) > 0 {
			h.Keys[a.ID] = a.Keys[0]
		}
	}
	return r
}

// Do carries out actions by name, with all that follows. A disabled action warns with the
// reason. "yes" and "no" answer the dialog, and "accept" the prompt. Movements and
// closing act on the focused view.
func (r *Room) Do(ids ...string) {
	r.T.Helper()
	for _, id := range ids {
		r.do(id)
		r.settle()
	}
}

func (r *Room) do(id string) {
	r.T.Helper()
	switch {
	case r.Dialog != nil && id == "yes":
		yes := r.Dialog.Yes
		r.Dialog = nil
		r.Run(yes(r.Context()))
		return
	case r.Dialog != nil && id == "no":
		r.Dialog = nil
		return
	case r.Line != nil && id == "accept":
		r.accept()
		return
	case r.Line != nil && id == "close-prompt":
		if r.Line.Cancelled != nil {
			r.Line.Cancelled()
		}
		r.Line, r.typed = nil, ""
		return
	}
	a, name := r.find(id)
	if a != nil && a.Enabled != nil {
		if ok, why := a.Enabled(r.Context()); !ok {
			r.Warn(a.Title + ": " + why)
			return
		}
	}
	if a != nil && a.Do != nil {
		r.Run(a.Do(r.Context()))
		return
	}
	r.move(name, a != nil)
}

// find returns the action of a name, nil for one that is not in the list, and the name
// of the movement that has its effect if it has none of its own.
func (r *Room) find(id string) (a *host.Action, name string) {
	scope := ""
	if v := r.Context().View; v != nil {
		scope = v.Scope() + "-"
	}
	inherited := strings.TrimPrefix(id, scope)
	for _, name := range []string{id, inherited} {
		for i := range r.Actions {
			if a := &r.Actions[i]; name == a.ID || name == a.Name {
				return a, cmp.Or(a.Name, a.ID)
			}
		}
	}
	return nil, inherited
}

// move moves the focused view, or closes it. listed says that the way is that of an
// action.
func (r *Room) move(way string, listed bool) {
	r.T.Helper()
	c := r.Context()
	require.NotNil(r.T, c.View, "no view for %q", way)
	switch way {
	case "first":
		way = kit.Top
	case "last":
		way = kit.Bottom
	}
	reads, isText := c.View.(host.Reading)
	moves, isMoving := c.View.(host.Moving)
	picks, isPicker := c.View.(host.Picking)
	stepping, steps := c.View.(host.Stepping)
	switch {
	case way == host.CloseName && steps:
		r.Run(stepping.Back(c))
	case way == host.CloseName:
		r.Close(c.View)
	case !listed && !slices.Contains(movements, way):
		r.T.Fatalf("no action %q", way)
	case isText:
		reads.Text().Move(way)
	case isMoving:
		r.Run(moves.Move(c, way))
	case isPicker:
		picks.Picks().Move(way)
	}
}

// movements are the inherited actions that move.
var movements = []string{kit.Down, kit.Up, kit.PageDown, kit.PageUp, kit.Top, kit.Bottom}

func (r *Room) settle() {
	if r.Settle != nil {
		r.Settle()
	}
}

// accept accepts the prompt with what was typed; an error leaves it open.
func (r *Room) accept() {
	cmd, err := r.Line.Accept(r.Context(), r.Line.Text+r.typed)
	if err != nil {
		r.Warn(err.Error())
		return
	}
	r.Line, r.typed = nil, ""
	r.Run(cmd)
}

func (r *Room) check() {
	if r.Line.Check != nil {
		if err := r.Line.Check(r.Line.Text + r.typed); err != nil {
			r.Warn(err.Error())
		}
	}
}

// Write types a text: into the prompt, or the focused view.
func (r *Room) Write(text string) {
	for _, key := range text {
		if r.Line != nil {
			r.typed += string(key)
			r.check()
			continue
		}
		r.Press(tea.KeyPressMsg{Code: key, Text: string(key)})
	}
}

// Press carries out the action of a key, or gives the key or pasted text to the focused
// view.
func (r *Room) Press(msg tea.Msg) {
	c := r.Context()
	if key, ok := msg.(tea.KeyPressMsg); ok {
		scope := keymap.Global
		if c.View != nil {
			scope = c.View.Scope()
		}
		for _, a := range r.Actions {
			inherited := a.Name != "" && a.Do != nil && c.View != nil
			if (a.Scope == scope || inherited) && slices.Contains(a.Keys, key.String()) {
				r.Do(cmp.Or(a.ID, a.Name))
				return
			}
		}
		if key.Code == tea.KeyEscape && c.View != nil {
			r.Do(host.CloseName)
			return
		}
	}
	require.NotNil(r.T, c.View, "no view has the focus")
	r.Run(c.View.Update(c, msg))
	r.settle()
}

// Pull waits for a session, and takes in the changes of its log.
func (r *Room) Pull() {
	synctest.Wait()
	pull(r.ws)
	r.settle()
}

// Arrive is Host.Arrive, followed by Settle.
func (r *Room) Arrive() {
	r.Host.Arrive()
	r.settle()
}

// Send sends a line as a user does.
func (r *Room) Send(line string) {
	r.T.Helper()
	_, err := r.ws.Session.Send(r.T.Context(), []byte(line))
	require.NoError(r.T, err)
	r.Pull()
}

// Frame paints what is open, with styles.
func (r *Room) Frame() string {
	r.screen.Begin()
	c := r.Context()
	if r.Under != nil && len(r.Opened) > 0 {
		if v := r.Under(); v != nil {
			v.Draw(c)
		}
	} else if c.View != nil {
		c.View.Draw(c)
	}
	for _, v := range r.Opened {
		v.Draw(c)
	}
	return r.screen.Canvas.String()
}

// Text is the frame without styles.
func (r *Room) Text() string { return ansi.Strip(r.Frame()) }

// Asked returns the text of the open dialog, "" if there is none.
func (r *Room) Asked() string {
	if r.Dialog == nil {
		return ""
	}
	return r.Dialog.Title + "\n" + strings.Join(r.Dialog.Lines, "\n")
}

// Row returns the number of the first row of the log whose text contains what.
func (r *Room) Row(what string) int {
	r.T.Helper()
	return RowOf(r.T, r.ws.Shown.Source, what)
}

// Acts returns the actions recorded in the log.
func (r *Room) Acts() []string { return ActsOf(r.T, r.ws.Shown.Source) }

// Last returns the last message that was sent to the server.
func (r *Room) Last() (line string) {
	r.Pull()
	for _, e := range entriesOf(r.T, r.ws.Shown.Source) {
		if e.Kind == session.KindStdin {
			line = string(e.Payload)
		}
	}
	return line
}

// PickerMoves checks that an action moves the cursor of the focused picker between
// two places; -1 is the last.
func (r *Room) PickerMoves(move string, from, to int) {
	r.T.Helper()
	r.Frame() // sets its size
	p := r.Context().View.(host.Picking).Picks()
	last := len(p.Shown) - 1
	require.GreaterOrEqual(r.T, last, 2, "too short to see anything move")
	place := func(i int) int {
		if i < 0 {
			return last
		}
		return i
	}
	p.At = place(from)
	r.Do(move)
	require.Equal(r.T, place(to), p.At)
}

// PickerTests are tests of the movements of the focused picker, by their ids in a scope.
func PickerTests(scope string) map[string]func(*testing.T, *Room) {
	moves := func(want func(n, page int) int, ways ...string) func(*testing.T, *Room) {
		return func(t *testing.T, r *Room) {
			r.Frame() // sets its size
			p := r.Context().View.(host.Picking).Picks()
			for _, way := range ways {
				r.Do(scope + "-" + way)
			}
			require.Equal(t, want(len(p.Shown)-1, p.Rows-1), p.At)
		}
	}
	return map[string]func(*testing.T, *Room){
		scope + "-" + kit.Down:     moves(func(n, _ int) int { return min(2, n) }, kit.Down, kit.Down),
		scope + "-" + kit.Up:       moves(func(n, _ int) int { return min(1, n) }, kit.Down, kit.Down, kit.Up),
		scope + "-" + kit.PageDown: moves(func(n, page int) int { return min(page, n) }, kit.PageDown),
		scope + "-" + kit.PageUp:   moves(func(n, page int) int { return max(n-page, 0) }, kit.Bottom, kit.PageUp),
		scope + "-" + kit.Top:      moves(func(int, int) int { return 0 }, kit.Bottom, kit.Top),
		scope + "-" + kit.Bottom:   moves(func(n, _ int) int { return n }, kit.Bottom),
	}
}

// TestActions runs the test of each action, and requires one for each of a room's own
// actions.
func TestActions[T any](t *testing.T, actions []host.Action, tests map[string]T, run func(*testing.T, T)) {
	t.Helper()
	for _, a := range actions {
		has := a.ID == ""
		for id := range tests {
			has = has || id == a.ID || strings.HasSuffix(id, "-"+a.ID) // inherited
		}
		require.True(t, has, "the action %q has no test", a.ID)
	}
	for id, test := range tests {
		t.Run(id, func(t *testing.T) { run(t, test) })
	}
}
