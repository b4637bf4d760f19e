package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/store"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// TestNotesAreKept checks that marks and notes of a recording exist when it is
// opened again, and that one can go to them as moments.
func TestNotesAreKept(t *testing.T) {
	path := uitest.EverythingFile(t)
	open := func() *driver {
		rec := uitest.Open(t, path)
		kept, err := store.OpenNotes(path, rec.Header().ID)
		require.NoError(t, err)
		return drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl", Notes: kept}}}, 160, 36)
	}
	d := open()
	d.do(kit.Top, "mark", kit.Down, kit.Down, "note")
	d.write("asks for too much")
	d.do(actAccept)
	n := d.entryN()
	require.FileExists(t, store.NotesPath(path))

	d = open()
	require.Contains(t, d.plain(), "✗✎")
	d.wire()
	require.Contains(t, d.plain(), "; asks for too much")
	d.do("timeline", "timeline")
	require.Len(t, d.visible.ws.Notes.Marks, 2)
	d.do("next-point", "next-point")
	require.Equal(t, n, d.entryN())
	require.Equal(t, d.visible.ws.Selected.Number+1, d.shown())
	d.goTo("start")
	d.do("notes", "go-to-note")
	require.Equal(t, "server/discover", d.visible.ws.Shown.Source.Method(d.visible.ws.Selected.Row.Method))
	d.do("mark")
	require.Len(t, open().visible.ws.Notes.Marks, 1)
}

// TestNotesAtTheEnd checks that notes which no command could write are written at
// the end.
func TestNotesAtTheEnd(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := uitest.Open(t, path)
	kept, err := store.OpenNotes(path, rec.Header().ID)
	require.NoError(t, err)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Notes: kept}}}, 120, 36)
	d.visible.Do(kit.Top)
	d.Update(nil)
	d.visible.Do("mark") // its command never runs
	_, err = os.Stat(store.NotesPath(path))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, endNotes(d.App))
	require.FileExists(t, store.NotesPath(path))
}

// TestPlayDialogs shows the prompt and the lists over a moment of a recording.
func TestPlayDialogs(t *testing.T) {
	t.Run("prompt", func(t *testing.T) { requireFrames(t, "play-goto", false, inPlayer("n:31", "go-to-moment")) })
	t.Run("notes", func(t *testing.T) {
		requireFrames(t, "play-notes", false, func(t *testing.T, show func(*driver)) {
			inPlayer("n:31", "go-to-moment")(t, func(d *driver) {
				d.write("seq:40 run")
				require.Contains(t, d.lastLine(), "x ")
				d.do("close-prompt", actTraffic, kit.Top, "mark", kit.Down, "note")
				d.write("why twice? " + hostile[5] + strings.Repeat(" and so on", 20))
				d.do(actAccept, "notes")
				show(d)
			})
		})
	})
}
