package copies

import (
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// TestNotes writes notes and deletes one, goes to the row of another, and checks
// that a second workspace with the same file has the remaining ones.
func TestNotes(t *testing.T) {
	log := rectest.Session(t,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`,
	)
	file, err := store.OpenNotes(filepath.Join(t.TempDir(), "session.jsonl"), log.Header().ID)
	require.NoError(t, err)
	ws := uitest.NewWorkspace(t, log)
	ws.Notes.File = file
	actions := NoteActions()
	h := uitest.NewHost(t, ws, 80, 24)
	ok, why := host.AnyMark(h.Context())
	require.False(t, ok)
	require.Equal(t, "no row is marked", why)
	note := func(row int, text string) {
		at, ok := ws.Shown.Rows.At(row)
		require.True(t, ok)
		ws.Selected = workspace.Selection{OK: true, Traffic: true, Number: row, Row: at}
		h.Act(actions, actNote)
		h.Type(text)
	}
	note(2, "is it alive?")
	note(0, "  the first list  ")
	note(1, "a mistake")
	note(1, "")
	require.Equal(t, 4, h.Changes)
	require.Equal(t, workspace.Marks{0, 2}, ws.Notes.Marks)
	require.Empty(t, ws.Notes.Pending)
	require.Empty(t, h.Warnings)

	h.Act(actions, actNotes)
	uitest.Golden(t, "notes-80x24", h.Plain(h.Opened[0]))
	h.Opened[0].Update(h.Context(), tea.KeyPressMsg{Code: 'p', Text: "p"})
	h.Opened[0].Update(h.Context(), tea.KeyPressMsg{Code: 'i', Text: "i"})
	h.Act(actions, actGoToNote)
	require.Empty(t, h.Opened, "the list closes")
	require.Equal(t, []int{2}, h.Selected)
	require.Empty(t, h.Moments, "the row is shown")

	second := uitest.NewWorkspace(t, log)
	second.Notes.File = file
	h = uitest.NewHost(t, second, 80, 24)
	h.Run(PlaceNotes(h.Context()))
	require.Equal(t, 1, h.Changes)
	require.Equal(t, ws.Notes.Marks, second.Notes.Marks)
	require.Equal(t, map[int]string{0: "the first list", 2: "is it alive?"}, second.Notes.Texts)
	require.Nil(t, PlaceNotes(h.Context()), "they are read once")
}
