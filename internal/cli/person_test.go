package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestWhoAnswers: on the screen a person answers what has no canned answer;
// without one nobody does.
func TestWhoAnswers(t *testing.T) {
	flags := freshFlags()
	flags.defaultAnswers = session.Answers{mcp.MethodRoots: json.RawMessage(`{"roots":[]}`)}
	cfg, err := flags.sessionConfig([]string{"server"})
	require.NoError(t, err)
	require.Empty(t, cfg.Policies)

	flags.person = true
	cfg, err = flags.sessionConfig([]string{"server"})
	require.NoError(t, err)
	ask := session.Policy{Mode: session.PolicyAsk}
	require.Equal(t, map[string]session.Policy{mcp.MethodElicit: ask, mcp.MethodSample: ask}, cfg.Policies)
	require.Contains(t, cfg.Answers, mcp.MethodRoots)
}

// TestRootsAreTheFolder: on the screen the folder of the server is its root,
// unless that is not known.
func TestRootsAreTheFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a b")
	roots := func(change func(*targetFlags)) session.Policy {
		flags := freshFlags()
		flags.person = true
		change(&flags)
		cfg, err := flags.sessionConfig([]string{"server"})
		require.NoError(t, err)
		require.NoError(t, cfg.Policies[mcp.MethodRoots].Check())
		return cfg.Policies[mcp.MethodRoots]
	}
	p := roots(func(f *targetFlags) { f.cwd = folder })
	require.Equal(t, session.PolicyCanned, p.Mode)
	require.JSONEq(t, `{"roots":[{"uri":"file://`+filepath.ToSlash(filepath.Dir(folder))+`/a%20b","name":"a b"}]}`, string(p.Answer))
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Contains(t, string(roots(func(*targetFlags) {}).Answer), filepath.ToSlash(here))
	require.Equal(t, session.PolicyAsk, roots(func(f *targetFlags) { f.ssh.dest = "build-7" }).Mode, "what is there is not known here")
	require.Contains(t, string(roots(func(f *targetFlags) { f.ssh.dest, f.cwd = "build-7", "/srv/app" }).Answer), "file:///srv/app")
}
