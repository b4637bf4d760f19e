package tui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/ui/host"
)

// TestGroupedTaps checks that short recordings of a tap are behind one line, and that
// those of live taps are left to the lines of these.
func TestGroupedTaps(t *testing.T) {
	of := func(path, name string, out uint64) store.Recording {
		return store.Recording{Path: path, Header: session.Header{Mode: session.ModeTap, Name: name}, State: session.RecordingDone, Counts: &session.EndCounts{Out: out}}
	}
	taps := []store.Recording{of("a", "files", 9), of("b", "files", 2), of("c", "notes", 1), of("d", "files", 0), of("e", "live", 3)}
	all := []store.Recording{{Path: "a"}, {Path: "b"}, {Path: "other"}, {Path: "c"}, {Path: "d"}, {Path: "e"}}
	var keys []string
	for _, item := range grouped(all, []flags.LiveTap{{Recording: "e"}}, taps) {
		keys = append(keys, item.Key+" "+item.Group)
		require.Equal(t, item.Kind == host.GroupItem, item.Name == "2 short ones of files")
	}
	require.Equal(t, []string{
		"recording\x00a ", "group\x00files files", "recording\x00b files", "recording\x00d files", "recording\x00other ", "recording\x00c ",
	}, keys)
}
