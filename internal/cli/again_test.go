package cli

import (
	"slices"
	"strings"
	"testing"

	"mcpdbg/ui/host"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/tui"
	"mcpdbg/session"
)

// The recorded command is started as it was, with the secret values, which are
// neither in the old recording nor in the new one.
func TestRerunFromRecording(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("AGAIN_FROM_HERE", "from here")
	var stderr strings.Builder
	l := &tui.Launcher{Env: &console.Env{Stderr: &stderr, Self: []string{clitest.Binary()}, Urgent: t.Context()}}
	folder := t.TempDir()
	configured := false
	again := host.Rerun{
		Header: session.Header{Placement: "local", Cwd: folder}, EnvPolicy: "client",
		Argv:      []string{clitest.Binary(), console.DemoServer, "--note=${AGAIN_KEY} ${region}"},
		Named:     []string{"AGAIN_KEY", "AGAIN_FROM_HERE"},
		Values:    map[string]string{"AGAIN_KEY": "s3cret", "region": "eu-9"},
		Configure: func(*session.Config) { configured = true },
	}
	opened, err := l.Again(t.Context(), again)
	require.NoError(t, err)
	require.True(t, configured)
	require.NotNil(t, opened.Start)
	header := opened.Source.Header()
	require.Equal(t, []string{clitest.Binary(), console.DemoServer, "--note=${AGAIN_KEY} ${region}"}, header.Argv)
	require.Equal(t, folder, header.Cwd)
	require.Regexp(t, `^replay of [^ ]+ \(local\)$`, opened.Title)
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
	again.Header.Argv, again.Argv = again.Argv, append(slices.Clone(again.Argv), "--fast", "--log=debug")
	other, err := l.Again(t.Context(), again)
	require.NoError(t, err)
	require.Contains(t, other.Title, " --fast --log=debug (build-7)", "the title tells it from other replays")
	require.Equal(t, "build-7", far.Source.Header().Host)
	require.NoError(t, l.End(t.Context(), nil))
}

// A target of a smoke run is restarted with the flags of the run, which the
// recording lacks.
func TestRerunUsesFlagsOfRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var stderr strings.Builder
	given := flags.Defaults()
	given.Env, given.SSH.Dest = []string{"AGAIN_KEY=s3cret"}, "build-7"
	l := &tui.Launcher{Env: &console.Env{Stderr: &stderr, Self: []string{clitest.Binary()}, Urgent: t.Context()}, Target: func(recording string) (flags.Target, bool, error) {
		return given, recording == "/run/build-7.jsonl", nil
	}}
	again := host.Rerun{
		Header: session.Header{Placement: "local"}, Argv: []string{clitest.Binary(), console.DemoServer}, Named: []string{"AGAIN_KEY"}, Configure: func(*session.Config) {},
	}
	_, err := l.Again(t.Context(), again)
	require.ErrorContains(t, err, "AGAIN_KEY needs a value")
	again.File = "/run/build-7.jsonl"
	opened, err := l.Again(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, "build-7", opened.Source.Header().Host)
	require.NoError(t, l.End(t.Context(), nil))
}
