package notes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

type roomTest func(t *testing.T, r *uitest.Room, mark func(rows ...int))

// inRoom runs a test with a recording of four rows, and a function that marks some.
func inRoom(t *testing.T, test roomTest) {
	t.Helper()
	log := rectest.Session(t,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`, `< {"jsonrpc":"2.0","id":2,"result":{}}`,
	)
	ws := uitest.NewWorkspace(t, log)
	r := uitest.NewRoom(uitest.NewHost(t, ws, 120, 36), Actions())
	test(t, r, func(rows ...int) {
		for _, row := range rows {
			ws.Notes.Marks.Toggle(row)
		}
	})
}

func TestActions(t *testing.T) { uitest.TestActions(t, Actions(), noteTests, inRoom) }

var noteTests = map[string]roomTest{
	actNote: func(t *testing.T, r *uitest.Room, _ func(...int)) {
		r.SelectRow(0)
		r.Do(actNote)
		r.Write("look here")
		r.Do("accept")
		require.Equal(t, "look here", r.Context().Workspace.Notes.Texts[0])
		r.Do(actNote)
		require.Equal(t, "look here", r.Line.Text)
		r.Type("")
		require.Empty(t, r.Context().Workspace.Notes.Texts)
		require.Empty(t, r.Context().Workspace.Notes.Marks)
	},
	actNotes: func(t *testing.T, r *uitest.Room, mark func(...int)) {
		r.Do(actNotes)
		require.Contains(t, r.Said(), "no row is marked")
		mark(0)
		r.Do(actNotes)
		require.Contains(t, r.Text(), "Marks and notes 1")
		require.Contains(t, r.Text(), "> tools/list")
	},
	actGoToNote: func(t *testing.T, r *uitest.Room, mark func(...int)) {
		mark(2)
		r.Do(actNotes, actGoToNote)
		require.Equal(t, []int{2}, r.Selected)
		require.Empty(t, r.Opened)
	},
	"close-notes": func(t *testing.T, r *uitest.Room, mark func(...int)) {
		mark(0)
		r.Do(actNotes, "close-notes")
		require.Empty(t, r.Opened)
	},
	ScopeList + "-" + kit.Down:     moves(kit.Down, 0, 1),
	ScopeList + "-" + kit.Up:       moves(kit.Up, 2, 1),
	ScopeList + "-" + kit.PageDown: moves(kit.PageDown, 0, 2),
	ScopeList + "-" + kit.PageUp:   moves(kit.PageUp, 2, 0),
	ScopeList + "-" + kit.Top:      moves(kit.Top, 2, 0),
	ScopeList + "-" + kit.Bottom:   moves(kit.Bottom, 0, 2),
}

func moves(way string, from, to int) roomTest {
	return func(t *testing.T, r *uitest.Room, mark func(...int)) {
		mark(0, 1, 2)
		r.Do(actNotes)
		r.PickerMoves(way, from, to)
	}
}
