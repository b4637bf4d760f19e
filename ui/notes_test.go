package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	notefile "mcpdbg/recordings/notes"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/notes"
	"mcpdbg/ui/workspace"
)

// The ids of the actions on notes, and the scope of their list.
const (
	actNote     = "note"
	actNotes    = "notes"
	actGoToNote = "go-to-note"
	scopeNotes  = notes.ScopeList
)

var noteTests = map[string]actionTest{
	actNote: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTraffic, kit.Top, actNote)
		d.write("look here")
		d.do(actAccept)
		require.Regexp(t, `>? +n +- +0:00.00 > server/discover .*; look`, d.plain())
		require.Contains(t, d.rows()[3], "│; look here", "in the detail pane")
		d.do(actNote)
		require.Equal(t, "look here", d.front.prompt.input.Value())
		d.front.prompt.input.SetValue("")
		d.do(actAccept)
		require.NotContains(t, d.plain(), "; look")
		require.Empty(t, d.visible.ws.Notes.Marks)
	},
	actNotes: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actNotes)
		require.Contains(t, d.rows()[35], "no row is marked")
		d.do(actTraffic, kit.Top, "mark", actNotes)
		require.Contains(t, d.plain(), "Marks and notes 1")
		require.Contains(t, d.plain(), "> server/discover")
	},
	actGoToNote: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTraffic, kit.Top, "mark", kit.Bottom, actNotes, actGoToNote)
		require.Equal(t, "server/discover", d.visible.ws.Shown.Source.Method(d.visible.ws.Selected.Row.Method))
		require.Empty(t, d.front.views)
	},
	"close-notes": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTraffic, kit.Top, "mark", actNotes, "close-notes")
		require.Empty(t, d.front.views)
	},
}

func init() {
	for id, way := range map[string]struct{ from, to int }{
		kit.Down: {0, 1}, kit.Up: {2, 1}, kit.PageDown: {0, 2}, kit.PageUp: {2, 0}, kit.Top: {2, 0}, kit.Bottom: {0, 2},
	} {
		noteTests[scopeNotes+"-"+id] = func(t *testing.T, d *driver, x *fakeExecutor) {
			d.do(actTraffic, kit.Top, "mark", kit.Down, "mark", kit.Down, "mark", actNotes)
			picker := pickerOf(d.front.top())
			_ = d.content() // sets its height
			picker.At = way.from
			d.do(scopeNotes + "-" + id)
			require.Equal(t, way.to, picker.At)
		}
	}
}

// TestNotesAreKept checks that marks and notes of a recording exist when it is
// opened again, and that one can go to them as moments.
func TestNotesAreKept(t *testing.T) {
	path := record(t, everything)
	open := func() *driver {
		rec := openWhole(t, path)
		kept, err := notefile.Open(path, rec.Header().ID)
		require.NoError(t, err)
		return drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl", Notes: kept}}}, 160, 36)
	}
	d := open()
	d.do(kit.Top, "mark", kit.Down, kit.Down, actNote)
	d.write("asks for too much")
	d.do(actAccept)
	n := d.entryN()
	require.FileExists(t, notefile.Path(path))

	d = open()
	require.Contains(t, d.plain(), "; asks for too much")
	require.Len(t, d.visible.ws.Notes.Marks, 2)
	d.do("next-point", "next-point")
	require.Equal(t, n, d.entryN())
	require.Equal(t, d.visible.ws.Selected.Number+1, d.shown())
	d.goTo("start")
	d.do(actNotes, actGoToNote)
	require.Equal(t, "server/discover", d.visible.ws.Shown.Source.Method(d.visible.ws.Selected.Row.Method))
	d.do("mark")
	require.Len(t, open().visible.ws.Notes.Marks, 1)
}

// TestNotesAtTheEnd checks that notes which no command could write are written at
// the end.
func TestNotesAtTheEnd(t *testing.T) {
	path := record(t, everything)
	rec := openWhole(t, path)
	kept, err := notefile.Open(path, rec.Header().ID)
	require.NoError(t, err)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Notes: kept}}}, 120, 36)
	d.visible.Do(kit.Top)
	d.Update(nil)
	d.visible.Do("mark") // its command never runs
	_, err = os.Stat(notefile.Path(path))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, endNotes(d.App))
	require.FileExists(t, notefile.Path(path))
}

// TestPlayDialogs shows the prompt and the lists over a moment of a recording.
func TestPlayDialogs(t *testing.T) {
	path := record(t, everything)
	for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 10}} {
		golden := func(name string, d *driver) {
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), d.plain())
		}
		d := playedAt(t, path, "n:31", size[0], size[1])
		d.do("go-to-moment")
		golden("play-goto", d)
		d.write("seq:40 run")
		require.Contains(t, d.rows()[size[1]-1], "x ")
		d.do("close-prompt", actTraffic, kit.Top, "mark", kit.Down, actNote)
		d.write("why twice? " + hostile[5] + strings.Repeat(" and so on", 20))
		d.do(actAccept, actNotes)
		golden("play-notes", d)
	}
}
