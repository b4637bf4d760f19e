package tui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/session"
	"mcpdbg/ui/host"
)

// TestRecordedPrefix: the words of a recorded command, edited and typed again, start the
// server in the same place.
func TestRecordedPrefix(t *testing.T) {
	h := session.Header{Host: "build-7", Via: []string{"docker", "exec", "-i", "it's", "${NAME}"}, Cwd: "/srv", Argv: []string{"srv", "--via"}}
	typed, argv, err := flags.Typed(append(h.Flags(), h.Argv...))
	require.NoError(t, err)
	require.Equal(t, h.Argv, argv)
	require.Equal(t, h.Via, typed.Via)
	require.Equal(t, h.Host, typed.SSH.Dest)
	require.Equal(t, h.Cwd, typed.Cwd)
	require.Equal(t, "srv (docker it's on build-7)", title("srv", place(h)))
	require.Equal(t, "srv (local)", title("srv", place(session.Header{})))
}

// TestAgainKeepsThePrefix: a replay never runs without the prefix of its recording.
func TestAgainKeepsThePrefix(t *testing.T) {
	l := &Launcher{}
	fill := map[string]string{"NAME": "a b"}
	got, argv, err := l.rerun(host.Rerun{Header: session.Header{Via: []string{"sudo", "-nu", "${NAME}"}}, Argv: []string{"srv", "${NAME}"}, Values: fill, Named: []string{"NAME"},
		Configure: func(*session.Config) {}})
	require.NoError(t, err)
	require.Equal(t, []string{"sudo", "-nu", "a b"}, got.Via)
	require.Equal(t, []string{"srv", "a b"}, argv)
	cfg, err := got.SessionConfig(argv)
	require.NoError(t, err)
	require.Equal(t, []string{"sudo", "-nu", "${NAME}"}, got.Header(cfg).Via)
}
