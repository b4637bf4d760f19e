package workspace

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// TestLifecycleOfAStartWithTwoProcesses checks that a start which goes on with another
// process is one start, with all its notes and phases.
func TestLifecycleOfAStartWithTwoProcesses(t *testing.T) {
	const note = `"k":"note","text":"the server also speaks 2026-07-28; started again to use it (it took 2.4 s to answer)","code":"start.again"`
	ended := []string{`"k":"exited","seq":1,"code":0,"by":"shutdown"`, `"k":"state","state":"exited"`, `"k":"closed","seq":2,"stdout":{},"stderr":{},"stdin":{}`, `"k":"state","state":"closed"`}
	first := []string{`"k":"state","state":"starting"`, rectest.Started, `"k":"state","state":"handshaking"`, `"k":"phase","phase":"server/discover","took_us":1000`}
	for name, ends := range map[string][]string{
		"ended by us":        append([]string{note, `"k":"state","state":"stopping"`}, ended...),
		"it died before":     append(append([]string{}, ended...), note),
		"it failed to start": {`"k":"state","state":"failed","detail":"no"`, note},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append(append([]string{}, first...), ends...)
			pull := func(more ...string) *Lifecycle {
				lines = append(lines, more...)
				ctx, cancel := context.WithCancel(t.Context())
				w := New(ctx, cancel, Opened{Source: rectest.Session(t, lines...)}, 1)
				for w.Shown.Index.Pull(w.Shown.Source) {
				}
				w.Shown.Lifecycle.Pull(w.Shown.Index.Events)
				return w.Shown.Lifecycle
			}
			l := pull()
			require.True(t, l.Starting)
			require.Nil(t, l.Failed)
			again := int64(len(lines)) * 1000
			l = pull(`"k":"state","state":"starting"`, `"k":"start","process":"mcp-stdio-2"`, `"k":"state","state":"handshaking"`, `"k":"state","state":"ready","era":"modern","protocol":"2026-07-28"`)
			require.False(t, l.Starting)
			require.True(t, l.Ready)
			require.Zero(t, l.Began)
			require.Equal(t, again, l.AgainT)
			require.Nil(t, l.Exited, "that of the process in use")
			require.Equal(t, "mcp-stdio-2", l.Start.Process)
			require.Equal(t, "server/discover", l.Phases[0].Phase)
			require.Equal(t, []session.NoteBody{{Text: "the server also speaks 2026-07-28; started again to use it (it took 2.4 s to answer)", Code: session.NoteStartAgain}}, l.Notes)

			l = pull(`"k":"state","state":"stopping"`, `"k":"state","state":"closed"`, `"k":"state","state":"starting"`)
			require.Zero(t, l.AgainT, "another start")
			require.Empty(t, l.Notes)
		})
	}
}

// The title names the pod that the process runs in, once that is known.
func TestTitleNamesThePlace(t *testing.T) {
	for _, c := range []struct{ title, start, want string }{
		{"srv (local)", `"via":"kubectl deploy/api (api-1)"`, "srv (kubectl deploy/api (api-1))"},
		{"srv (local)", `"via":"docker web","placement":"ssh","host":"build-7"`, "srv (docker web on build-7)"},
		{"srv (local)", `"placement":"local"`, "srv (local)"},
		{"my own", `"via":"docker web"`, "my own"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		w := New(ctx, cancel, Opened{Title: c.title, Source: rectest.Session(t, `"k":"start","process":"mcp-stdio-1",`+c.start)}, 1)
		for w.Shown.Index.Pull(w.Shown.Source) {
		}
		w.Shown.Lifecycle.Pull(w.Shown.Index.Events)
		require.Equal(t, c.want, w.FullTitle())
	}
}

// The place is the planned one if the server was never started.
func TestPlaceBeforeTheStart(t *testing.T) {
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Via: []string{"docker", "exec", "-i", "web"}, Placement: "ssh", Host: "build-7"}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	require.Equal(t, "docker web on ssh build-7", New(ctx, cancel, Opened{Title: "srv", Source: log}, 1).Place())
	require.NoError(t, log.Close())
	require.NoError(t, log.Release())
}

// TestExecServerPlace checks that an exec server is named with its host, and since when its link
// has been recovering.
func TestExecServerPlace(t *testing.T) {
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{ExecServer: "codex", Placement: session.PlacementExecServer, Host: "build-7"}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	w := New(ctx, cancel, Opened{Title: "srv (codex exec server on build-7)", Source: log}, 1)
	require.Equal(t, "codex exec server on build-7", w.Place())
	require.Equal(t, "srv", w.FullTitle())
	_, known := w.LinkSince()
	require.False(t, known)
	w.Shown.Lifecycle.linked(session.LinkBody{State: "up", Session: "x"}, 1000)
	w.Shown.Lifecycle.linked(session.LinkBody{State: "recovering"}, 5000)
	w.Shown.Lifecycle.linked(session.LinkBody{State: "recovering", Error: "again"}, 6000)
	w.Clock = 9000
	since, known := w.LinkSince()
	require.True(t, known)
	require.Equal(t, int64(4000), since)
	require.Equal(t, "x", w.Shown.Lifecycle.Link.Session)
	require.NoError(t, log.Close())
	require.NoError(t, log.Release())
}
