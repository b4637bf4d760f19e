package ui

import (
	"fmt"
	"testing"

	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// TestReadingFrames checks that the end of a recording is shown before the rest
// is read, without statements that the rest may contradict.
func TestReadingFrames(t *testing.T) {
	path := uitest.EverythingFile(t)
	var reading, whole uitest.Sheet
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		rec := uitest.NewPartlyRead(uitest.Open(t, path), 18)
		d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, size[0], size[1])
		rec.Read(20)
		d.pull()
		d.compare(&reading)
		require.Empty(t, d.visible.ws.Shown.Causes.Found)
		require.Empty(t, d.visible.ws.Shown.Problems.List)
		rec.Read(1000)
		d.pull()
		d.compare(&whole)
	}
	reading.Golden(t, "views/reading")
	whole.Golden(t, "views/whole")
}

// TestReadingKeepsThePlace checks that, when the rest is read, the cursor stays
// on its entry and its line, and that the detail and the marks stay.
func TestReadingKeepsThePlace(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := uitest.NewPartlyRead(uitest.Open(t, path), 18)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 21)
	d.do(kit.Bottom, kit.Up, kit.Up, kit.Up, "mark")
	marked := d.entryN()
	d.do(kit.Up)
	n, line := d.entryN(), d.cursorLine()
	d.do(actDetail, "view-tree", kit.Down, kit.Down)
	value, pointer, _, _ := d.visible.detail.Value()
	require.NotEmpty(t, pointer)
	require.Equal(t, 1, d.visible.rows.Stderr.Len())
	require.Greater(t, marked, n)
	rec.Read(1000)
	d.pull()
	require.Equal(t, 2, d.visible.rows.Stderr.Len())
	require.Equal(t, detailID, d.panes.focus)
	require.Equal(t, n, d.entryN())
	require.Equal(t, line, d.cursorLine())
	sameValue, samePointer, _, _ := d.visible.detail.Value()
	require.Equal(t, []string{value, pointer}, []string{sameValue, samePointer})
	require.False(t, d.visible.rows.Traffic.Following())
	d.do("next-mark")
	require.Equal(t, marked, d.entryN())
	require.NotEmpty(t, d.visible.ws.Shown.Causes.Found)
	require.NotEmpty(t, d.visible.ws.Shown.Problems.List)
	require.Contains(t, d.rows()[0], "FILE  exit 0  session.jsonl")
}

// entryN returns the number of the entry under the cursor of the traffic.
func (d *driver) entryN() uint64 {
	d.t.Helper()
	number, ok := d.visible.rows.Traffic.Cursor()
	require.True(d.t, ok)
	row, ok := d.visible.ws.Shown.Rows.At(number)
	require.True(d.t, ok)
	e, err := d.visible.ws.Shown.Source.Entry(row, 0)
	require.NoError(d.t, err)
	return e.N
}

// cursorLine returns the painted screen line with the cursor of the traffic.
func (d *driver) cursorLine() int {
	number, _ := d.visible.rows.Traffic.Cursor()
	for y := range d.panes.layout.pane[trafficID].Inner().H {
		if row, ok := d.visible.rows.Traffic.RowAt(y); ok && row == number {
			return y
		}
	}
	return -1
}

// TestBeyondTheTail checks that one can go to the first row and back to the last
// one while the rest is read, and that the rows between appear.
func TestBeyondTheTail(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := uitest.NewPartlyRead(uitest.Open(t, path), 18)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	rec.Read(20)
	d.pull()
	d.do(kit.PageUp, kit.Up)
	require.Contains(t, d.rows()[35], "earlier rows are still being read (50 %); g goes to the first row")
	d.do(kit.Top)
	require.Equal(t, "server/discover", d.visible.ws.Shown.Source.Method(d.visible.ws.Selected.Row.Method))
	require.Contains(t, d.rows()[0], "READING 50 %")
	rec.Read(25)
	d.pull()
	require.Equal(t, 25, d.visible.ws.Shown.Index.Scanned)
	d.do(kit.Bottom)
	last := d.entryN()
	require.Equal(t, session.KindExited, d.visible.ws.Selected.Row.Kind)
	require.True(t, d.visible.rows.Traffic.Following())
	d.do(kit.Top)
	rec.Read(1000)
	d.pull()
	require.Equal(t, 0, d.visible.ws.Shown.Index.Traffic.Position(d.cursor()), "the cursor stays there")
	require.NotContains(t, d.rows()[0], "READING")
	d.do(kit.Bottom)
	require.Equal(t, last, d.entryN())
}

// TestReadingFilters checks that a filter is kept, and applied to all rows.
func TestReadingFilters(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := uitest.NewPartlyRead(uitest.Open(t, path), 18)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	d.do(actFilter)
	d.write("kind:request")
	d.do(actAccept)
	shown := d.visible.rows.Traffic.Len()
	d.search1("read", kit.Top)
	rec.Read(1000)
	d.pull()
	require.Greater(t, d.visible.rows.Traffic.Len(), shown)
	require.Regexp(t, ` of [0-9,]+ rows  filter kind:request`, d.plain())
	require.Contains(t, d.plain(), "/read 1 of 1")
}

// TestReadingFails checks that the reason of a failed read is shown, with the
// rows read so far.
func TestReadingFails(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := uitest.NewPartlyRead(uitest.Open(t, path), 18)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	rec.Read(12)
	rec.Err = fmt.Errorf("the disk is gone")
	d.pull()
	require.Contains(t, d.rows()[35], "x the disk is gone")
	require.Equal(t, 12, d.visible.ws.Shown.Index.Scanned)
	require.NotContains(t, d.rows()[0], "READING")
}
