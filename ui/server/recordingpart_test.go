package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// openedRecording opens a recording as the program does, and reads it.
func openedRecording(t *testing.T, path string) *recordings.Recording {
	t.Helper()
	r, err := recordings.OpenProgressive(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	<-r.Indexed()
	return r
}

// headers compares the headers of a recording at all widths with a golden file.
func headers(t *testing.T, rec session.Source, name string) {
	t.Helper()
	c := uitest.NewHost(t, uitest.NewWorkspace(t, rec), 120, 36).Context()
	var all uitest.Sheet
	for _, width := range []int{200, 120, 80, 60, 40} {
		all.Add(fmt.Sprint(width), headerText(c, width))
	}
	all.Golden(t, name)
}

// TestTornFrames shows a recording whose recorder was killed in the middle of a line,
// with lines of unknown origin.
func TestTornFrames(t *testing.T) {
	path := uitest.EverythingFile(t)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content = append(content[:len(content)*3/4], "\n{\"n\":90,\"t\":99999,\"k\":\"dream\"}\n{\"n\":91,"...)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	headers(t, openedRecording(t, path), "torn")
}

// TestFollowedScreen shows a session that another program is recording.
func TestFollowedScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "live.jsonl")
		log, err := recordings.Create(recordings.Options{Path: path, Header: session.Header{Argv: []string{"fake-server"}, Start: time.Unix(0, 0)}})
		require.NoError(t, err)
		uitest.Append(t, log, `> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`)
		rec, err := recordings.OpenProgressive(path)
		require.NoError(t, err)
		<-rec.Indexed()
		headers(t, rec, "followed")
		require.NoError(t, rec.Close())
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
}

// TestStoppedFrames shows a recording whose recorder found the disk full.
func TestStoppedFrames(t *testing.T) {
	path := uitest.EverythingFile(t)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	end := strings.LastIndex(strings.TrimSuffix(string(content), "\n"), "\n") + 1 // without the last line
	const note = `{"n":900000,"t":9000000000,"k":"note","text":"recording stopped: no space left on device","code":"` + recordings.StoppedCode + `"}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(string(content[:end])+note), 0o600))
	rec := openedRecording(t, path)
	headers(t, rec, "stopped")
	text := headerText(uitest.NewHost(t, uitest.NewWorkspace(t, rec), 160, 36).Context(), 160)
	require.Contains(t, text, "INCOMPLETE")
	require.Contains(t, text, "recording stopped: no space left on device")
	require.NotContains(t, text, "TORN")
}

// TestShrunkHeader shows a recording that was truncated while it was open.
func TestShrunkHeader(t *testing.T) {
	path := uitest.EverythingFile(t)
	rec := openedRecording(t, path)
	require.NoError(t, os.Truncate(path, rec.Stats().Size/2))
	var last [1]session.Row
	rec.Rows(rec.Len()-1, last[:])
	_, err := rec.Entry(last[0], 0) // to read is to see it
	require.Error(t, err)
	headers(t, rec, "shrunk")
}

// TestSessionsOfHosts checks that, if there is little room, the list of sessions shows the
// host instead of the size of the recording.
func TestSessionsOfHosts(t *testing.T) {
	for host, want := range map[string]string{"build-7": "followed, build-7 ", "build-8.example": "followed, build-8"} {
		log, err := recordings.Create(recordings.Options{Dir: t.TempDir(), Header: session.Header{Argv: []string{"my-server"}, Placement: "ssh", Host: host}})
		require.NoError(t, err)
		var l paint.Line
		l.Reset(23, termsafe.Options{})
		PaintState(uitest.NewHost(t, uitest.NewNamed(t, log, "my-server ("+host+")", 1), 120, 36).Context(), &l)
		require.Contains(t, ansi.Strip(l.String())+" ", want)
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	}
}

// TestSessionsOfContainers checks that the list of sessions and their tabs name a container,
// and its host once.
func TestSessionsOfContainers(t *testing.T) {
	log := rectest.Session(t, `"k":"start","process":"mcp-stdio-1","via":"docker web","placement":"ssh","host":"build-7"`)
	ws := uitest.NewNamed(t, log, "srv (docker web on build-7)", 1)
	for ws.Shown.Index.Pull(ws.Shown.Source) {
	}
	ws.Shown.Lifecycle.Pull(ws.Shown.Index.Events)
	c := uitest.NewHost(t, ws, 120, 36).Context()
	var l paint.Line
	l.Reset(60, termsafe.Options{})
	PaintState(c, &l)
	require.Contains(t, ansi.Strip(l.String()), ", docker web on ssh build-7")
	require.Equal(t, "srv (docker web on build-7)", tabName(c))
}
