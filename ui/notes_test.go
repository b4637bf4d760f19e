package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/notes"
)

var noteTests = map[string]actionTest{
	actNote: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTraffic, actTop, actNote)
		d.write("look here")
		d.do(actAccept)
		require.Regexp(t, `>? +n +- +0:00.00 > server/discover .*; look`, d.plain())
		require.Contains(t, d.rows()[3], "│; look here", "in the detail pane")
		d.do(actNote)
		require.Equal(t, "look here", d.prompt.input.Value())
		d.prompt.input.SetValue("")
		d.do(actAccept)
		require.NotContains(t, d.plain(), "; look")
		require.Empty(t, d.traffic.marks)
	},
	actNotes: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actNotes)
		require.Contains(t, d.rows()[35], "no row is marked")
		d.do(actTraffic, actTop, actMark, actNotes)
		require.Contains(t, d.plain(), "Marks and notes 1")
		require.Contains(t, d.plain(), "> server/discover")
	},
	actGoToNote: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTraffic, actTop, actMark, actBottom, actNotes, actGoToNote)
		require.Equal(t, "server/discover", d.source.Method(d.selected.row.Method))
		require.Empty(t, d.overlays)
	},
	actCloseNotes: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actTraffic, actTop, actMark, actNotes, actCloseNotes)
		require.Empty(t, d.overlays)
	},
}

func init() {
	for id, way := range map[string]struct{ from, to int }{
		actDown: {0, 1}, actUp: {2, 1}, actPageDown: {0, 2}, actPageUp: {2, 0}, actTop: {2, 0}, actBottom: {0, 2},
	} {
		noteTests[scopeNotes+"-"+id] = func(t *testing.T, d *driver, x *fakeExecutor) {
			d.do(actTraffic, actTop, actMark, actDown, actMark, actDown, actMark, actNotes)
			picker := d.top().(picking).picks()
			_ = d.screen() // it knows its height then
			picker.at = way.from
			d.do(scopeNotes + "-" + id)
			require.Equal(t, way.to, picker.at)
		}
	}
}

// TestNotesAreKept: marks and notes of a recording are there when it is opened
// again, and can be gone to as moments.
func TestNotesAreKept(t *testing.T) {
	path := record(t, everything)
	open := func() *driver {
		rec := openWhole(t, path)
		kept, err := notes.Open(path, rec.Header().ID)
		require.NoError(t, err)
		return drive(t, Options{Opened: []Opened{{Source: rec, Title: "session.jsonl", Notes: kept}}}, 120, 36)
	}
	d := open()
	d.do(actTop, actMark, actDown, actDown, actNote)
	d.write("asks for too much")
	d.do(actAccept)
	n := d.entryN()
	require.FileExists(t, notes.Path(path))

	d = open()
	require.Contains(t, d.plain(), "; asks for too much")
	require.Len(t, d.traffic.marks, 2)
	d.do(actNextPoint, actNextPoint)
	require.Equal(t, n, d.entryN())
	require.Equal(t, d.selected.number+1, d.shown())
	d.goTo("start")
	d.do(actNotes, actGoToNote)
	require.Equal(t, "server/discover", d.source.Method(d.selected.row.Method))
	d.do(actMark)
	require.Len(t, open().traffic.marks, 1)
}

// TestNotesWithoutATurn: what no command could write before the end is written
// then.
func TestNotesAtTheEnd(t *testing.T) {
	path := record(t, everything)
	rec := openWhole(t, path)
	kept, err := notes.Open(path, rec.Header().ID)
	require.NoError(t, err)
	d := drive(t, Options{Opened: []Opened{{Source: rec, Notes: kept}}}, 120, 36)
	d.Do(actTop)
	d.Update(nil)
	d.Do(actMark) // its command never runs
	_, err = os.Stat(notes.Path(path))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, d.endNotes())
	require.FileExists(t, notes.Path(path))
}

// TestPlayDialogs are what is written and listed over a moment of a recording.
func TestPlayDialogs(t *testing.T) {
	path := record(t, everything)
	for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 10}} {
		golden := func(name string, d *driver) {
			requireExact(t, d.screen(), size[0], size[1])
			golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), d.plain())
		}
		d := playedAt(t, path, "n:31", size[0], size[1])
		d.do(actMoment)
		golden("play-goto", d)
		d.write("seq:40 run")
		require.Contains(t, d.rows()[size[1]-1], "x ")
		d.do(actClosePrompt, actTraffic, actTop, actMark, actDown, actNote)
		d.write("why twice? " + hostile[5] + strings.Repeat(" and so on", 20))
		d.do(actAccept, actNotes)
		golden("play-notes", d)
	}
}
