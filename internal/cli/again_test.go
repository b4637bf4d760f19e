package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui"
)

// What a recording tells of is started as it was, with the values that are in no
// recording; they are not in the new one either.
func TestAgain(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("AGAIN_FROM_HERE", "from here")
	var stderr strings.Builder
	l := &launcher{app: &app{stderr: &stderr, self: []string{binary}, urgent: t.Context()}}
	folder := t.TempDir()
	configured := false
	again := ui.Again{
		Header: session.Header{Placement: "local", Cwd: folder}, EnvPolicy: "client",
		Argv:      []string{binary, demoServer, "--note=${AGAIN_KEY} ${region}"},
		Named:     []string{"AGAIN_KEY", "AGAIN_FROM_HERE"},
		Values:    map[string]string{"AGAIN_KEY": "s3cret", "region": "eu-9"},
		Configure: func(*session.Config) { configured = true },
	}
	opened, err := l.Again(t.Context(), again)
	require.NoError(t, err)
	require.True(t, configured)
	require.NotNil(t, opened.Start)
	header := opened.Source.Header()
	require.Equal(t, []string{binary, demoServer, "--note=${AGAIN_KEY} ${region}"}, header.Argv)
	require.Equal(t, folder, header.Cwd)
	require.Contains(t, opened.Title, "replay of ")
	require.Error(t, opened.Start(t.Context()), "the demo server has no such flag")
	var row [1]session.Row
	all := ""
	for i := 0; opened.Source.Rows(i, row[:]) == 1; i++ {
		e, err := opened.Source.Entry(row[0], 0)
		require.NoError(t, err)
		all += session.Describe(&e) + "\n"
	}
	require.Contains(t, all, "AGAIN_FROM_HERE")
	require.NotContains(t, all, "s3cret")
	require.NoError(t, opened.Close(t.Context()))

	delete(again.Values, "AGAIN_KEY")
	_, err = l.Again(t.Context(), again)
	require.ErrorContains(t, err, "AGAIN_KEY needs a value")

	again.Named, again.Header.Host = nil, "build-7"
	far, err := l.Again(t.Context(), again)
	require.NoError(t, err)
	require.Contains(t, far.Title, "(build-7)")
	require.Equal(t, "build-7", far.Source.Header().Host)
	require.NoError(t, l.end(t.Context(), nil))
}

// What a recording of a run over targets tells of is started with the flags of
// the run, which know what the recording does not.
func TestAgainOfRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var stderr strings.Builder
	flags := freshFlags()
	flags.env, flags.ssh.dest = []string{"AGAIN_KEY=s3cret"}, "build-7"
	l := &launcher{app: &app{stderr: &stderr, self: []string{binary}, urgent: t.Context()}, target: func(recording string) (targetFlags, bool, error) {
		return flags, recording == "/run/build-7.jsonl", nil
	}}
	again := ui.Again{
		Header: session.Header{Placement: "local"}, Argv: []string{binary, demoServer}, Named: []string{"AGAIN_KEY"}, Configure: func(*session.Config) {},
	}
	_, err := l.Again(t.Context(), again)
	require.ErrorContains(t, err, "AGAIN_KEY needs a value")
	again.File = "/run/build-7.jsonl"
	opened, err := l.Again(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, "build-7", opened.Source.Header().Host)
	require.NoError(t, l.end(t.Context(), nil))
}
