package copies

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

type noteTest func(t *testing.T, r *uitest.Room, mark func(rows ...int))

// inNoteRoom runs a test with a recording of four rows, and a function that marks some.
func inNoteRoom(t *testing.T, test noteTest) {
	t.Helper()
	log := rectest.Session(t,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`, `< {"jsonrpc":"2.0","id":2,"result":{}}`,
	)
	ws := uitest.NewWorkspace(t, log)
	r := uitest.NewRoom(uitest.NewHost(t, ws, 120, 36), NoteActions())
	test(t, r, func(rows ...int) {
		for _, row := range rows {
			ws.Notes.Marks.Toggle(row)
		}
	})
}

func TestNoteActions(t *testing.T) { uitest.TestActions(t, NoteActions(), noteTests, inNoteRoom) }

var noteTests = map[string]noteTest{
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
	ScopeNotes + "-" + kit.Down:     noteMoves(kit.Down, 0, 1),
	ScopeNotes + "-" + kit.Up:       noteMoves(kit.Up, 2, 1),
	ScopeNotes + "-" + kit.PageDown: noteMoves(kit.PageDown, 0, 2),
	ScopeNotes + "-" + kit.PageUp:   noteMoves(kit.PageUp, 2, 0),
	ScopeNotes + "-" + kit.Top:      noteMoves(kit.Top, 2, 0),
	ScopeNotes + "-" + kit.Bottom:   noteMoves(kit.Bottom, 0, 2),
}

func noteMoves(way string, from, to int) noteTest {
	return func(t *testing.T, r *uitest.Room, mark func(...int)) {
		mark(0, 1, 2)
		r.Do(actNotes)
		r.PickerMoves(way, from, to)
	}
}
