package ui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpdbg/internal/wording"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// atOncePath opens a recording as the program does.
func atOncePath(t *testing.T, path string) *recordings.Recording {
	t.Helper()
	r, err := recordings.OpenProgressive(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// TestFollowedFrames shows a recording that another program is writing, and
// then its further rows.
func TestFollowedFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	log, err := recordings.Create(recordings.Options{Path: path, Header: session.Header{Argv: []string{"fake-server"}, Start: time.Unix(0, 0)}})
	require.NoError(t, err)
	note := func(text string) {
		require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: text})}))
	}
	note("first")
	rec := atOncePath(t, path)
	require.Equal(t, session.RecordingOn, rec.Stats().Recording)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "live.jsonl"}}}, 120, 36)
	require.Contains(t, d.rows()[0], "LIVE elsewhere, following")
	note("second")
	await(t, rec, func() bool { return rec.Len() == 2 })
	d.pull()
	require.Contains(t, d.plain(), "note    second")
	d.goTo("start")
	note("third")
	await(t, rec, func() bool { return rec.Len() == 3 })
	d.pull()
	require.Contains(t, d.playerLine(), "‖ 0:00.00", "the moment stays")
	require.NotContains(t, d.plain(), "note    third")
	require.NoError(t, log.Close())
	await(t, rec, func() bool { return rec.Stats().Recording != session.RecordingOn })
	d.pull()
	require.Contains(t, d.rows()[0], "0 messages")
	require.NoError(t, log.Release())
}

// TestShrunkFrames shows a recording that was truncated while it was open.
func TestShrunkFrames(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := atOncePath(t, path)
	<-rec.Indexed()
	bytes := rec.Stats().Size
	require.NoError(t, os.Truncate(path, bytes/2))
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	d.do(kit.Bottom, host.ActOpen) // to read is to see it
	require.Contains(t, d.plain(), "the recording got shorter")
	d.pull()
	require.Contains(t, d.rows()[0], "SHRUNK: file truncated, was "+wording.Size(bytes))
	d.do(host.ActBack)
	d.goTo("20%")
	d.do(kit.Bottom, host.ActOpen)
	require.NotContains(t, d.plain(), "the recording got shorter", "what is there can be read")
}

// await waits until a recording is in a state.
func await(t *testing.T, rec *recordings.Recording, ready func() bool) {
	t.Helper()
	for {
		changed := rec.Changed()
		if ready() {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			require.FailNow(t, "the recording did not change")
		}
	}
}
