package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpdbg/session"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"

	"github.com/stretchr/testify/require"
)

func TestWindowTitle(t *testing.T) {
	require.Equal(t, "mcpdbg npx", workspace.WindowTitle("npx"))
	require.Equal(t, "mcpdbg 0evil/bin", workspace.WindowTitle("\x1b]0;evil\x07/bin\u202e"))
	require.Len(t, workspace.WindowTitle(strings.Repeat("x", 1000)), 67)
}

func TestMeter(t *testing.T) {
	var m workspace.Meter
	require.Zero(t, m.PerSecond())
	n := uint64(0)
	for i := range int64(100) { // every 0.1 s
		m.Sample(i*100_000, n)
		n += 30
	}
	require.Equal(t, 300, m.PerSecond())
	require.LessOrEqual(t, len(m.Samples), workspace.MeterSpan/workspace.MeterStep+4)
	m.Sample(30_000_000, n)
	m.Sample(40_000_000, n)
	require.Zero(t, m.PerSecond())
}

// countedSource counts the entries that are read.
type countedSource struct {
	session.Source
	entries int
}

func (s *countedSource) Entry(row session.Row, limit int) (session.Entry, error) {
	s.entries++
	return s.Source.Entry(row, limit)
}

// TestStoryIsBounded checks that a Lifecycle reads only the end of a long log,
// and keeps only the latest of its notes.
func TestStoryIsBounded(t *testing.T) {
	log := uitest.NewLog(t)
	entries := []session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "first"})}
	for i := range 3 * workspace.LifecycleRows {
		entries = append(entries, session.NewEntry(session.KindNote, 0, session.NoteBody{Text: fmt.Sprint("note ", i)}))
	}
	require.NoError(t, log.Append(entries))
	source := &countedSource{Source: log}
	s := &workspace.Lifecycle{Source: source, Rows: workspace.Rows{Source: source}}
	index := workspace.NewIndex()
	for index.Pull(log) {
	}
	s.Pull(index.Events)
	require.Equal(t, workspace.LifecycleRows, source.entries)
	require.Len(t, s.Notes, workspace.LifecycleList)
	require.Equal(t, fmt.Sprint("note ", 3*workspace.LifecycleRows-1), s.Notes[workspace.LifecycleList-1].Text)
	s.Pull(index.Events)
	require.Equal(t, workspace.LifecycleRows, source.entries, "no event is read twice")
}

// TestFindingsInOrder checks that the pane lists events and problems by row,
// each once, in whatever order they arrive.
func TestFindingsInOrder(t *testing.T) {
	f := workspace.NewProblems(uitest.NewLog(t))
	f.Follow([]uint32{2, 5, 9})
	f.Insert(7)
	f.Insert(1)
	f.Insert(7)
	f.Insert(5)
	f.Insert(20)
	f.Follow([]uint32{2, 5, 9, 12})
	require.Equal(t, []uint32{1, 2, 5, 7, 9, 12, 20}, f.Events)
}
