package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
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

// headers compares the frames at four sizes with golden files.
func headers(t *testing.T, rec session.Source, name string) {
	t.Helper()
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, size[0], size[1])
		requireExact(t, d.content(), size[0], size[1])
		uitest.Golden(t, fmt.Sprintf("file-%s-%dx%d", name, size[0], size[1]), d.plain())
	}
}

// TestTornFrames shows a recording whose recorder was killed in the middle of a
// line, with lines of unknown origin.
func TestTornFrames(t *testing.T) {
	content, err := os.ReadFile(record(t, everything))
	require.NoError(t, err)
	torn := filepath.Join(t.TempDir(), "torn.jsonl")
	content = append(content[:len(content)*3/4], "\n{\"n\":90,\"t\":99999,\"k\":\"dream\"}\n{\"n\":91,"...)
	require.NoError(t, os.WriteFile(torn, content, 0o600))
	headers(t, atOncePath(t, torn), "torn")
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
	require.Contains(t, d.playerLine(), "entry 0 of 3", "the moment stays")
	require.NotContains(t, d.plain(), "note    third")
	require.NoError(t, log.Close())
	await(t, rec, func() bool { return rec.Stats().Recording != session.RecordingOn })
	d.pull()
	require.Contains(t, d.rows()[0], "REC DONE")
	require.NoError(t, log.Release())
}

// TestFollowedScreen shows a session that another program is recording.
func TestFollowedScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "live.jsonl")
		log, err := recordings.Create(recordings.Options{Path: path, Header: session.Header{Argv: []string{"fake-server"}, Start: time.Unix(0, 0)}})
		require.NoError(t, err)
		s, x := newSession(t, log, nil)
		require.NoError(t, s.Open(t.Context()))
		everything(t, s, x)
		synctest.Wait()
		rec, err := recordings.OpenProgressive(path)
		require.NoError(t, err)
		<-rec.Indexed()
		headers(t, rec, "followed")
		require.NoError(t, rec.Close())
		_, err = s.Close(t.Context())
		require.NoError(t, err)
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
}

// TestStoppedFrames shows a recording whose recorder found the disk full.
func TestStoppedFrames(t *testing.T) {
	content, err := os.ReadFile(record(t, everything))
	require.NoError(t, err)
	end := strings.LastIndex(strings.TrimSuffix(string(content), "\n"), "\n") + 1 // without the last line
	path := filepath.Join(t.TempDir(), "stopped.jsonl")
	const note = `{"n":900000,"t":9000000000,"k":"note","text":"recording stopped: no space left on device","code":"` + recordings.StoppedCode + `"}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(string(content[:end])+note), 0o600))
	rec := atOncePath(t, path)
	<-rec.Indexed()
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "stopped.jsonl"}}}, 160, 36)
	d.pull()
	require.Contains(t, d.rows()[0], "INCOMPLETE")
	require.Contains(t, d.rows()[0], "recording stopped: no space left on device")
	require.NotContains(t, d.rows()[0], "TORN")
}

// TestShrunkFrames shows a recording that was truncated while it was open.
func TestShrunkFrames(t *testing.T) {
	path := record(t, everything)
	rec := atOncePath(t, path)
	<-rec.Indexed()
	bytes := rec.Stats().Size
	require.NoError(t, os.Truncate(path, bytes/2))
	d := drive(t, Options{Opened: []workspace.Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	d.do(kit.Bottom, host.ActOpen) // to read is to see it
	require.Contains(t, d.plain(), "the recording got shorter")
	d.pull()
	require.Contains(t, d.rows()[0], "SHRUNK: file truncated, was "+wording.Size(bytes))
	headers(t, rec, "shrunk")
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
