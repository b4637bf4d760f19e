package flags

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestPersonAnswers: in the interface the user answers server requests without a
// canned response.
func TestPersonAnswers(t *testing.T) {
	flags := Defaults()
	flags.DefaultAnswers = session.Answers{mcp.MethodRoots: json.RawMessage(`{"roots":[]}`)}
	cfg, err := flags.SessionConfig([]string{"server"})
	require.NoError(t, err)
	require.Empty(t, cfg.Policies)

	flags.Person = true
	cfg, err = flags.SessionConfig([]string{"server"})
	require.NoError(t, err)
	ask := session.Policy{Mode: session.PolicyAsk}
	require.Equal(t, map[string]session.Policy{mcp.MethodElicit: ask, mcp.MethodSample: ask}, cfg.Policies)
	require.Contains(t, cfg.Answers, mcp.MethodRoots)
}

// TestRootsOf: in the interface the working directory of the server is its
// root, if it is known.
func TestRootsOf(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a b")
	roots := func(change func(*Target)) session.Policy {
		flags := Defaults()
		flags.Person = true
		change(&flags)
		cfg, err := flags.SessionConfig([]string{"server"})
		require.NoError(t, err)
		require.NoError(t, cfg.Policies[mcp.MethodRoots].Check(mcp.MethodRoots))
		return cfg.Policies[mcp.MethodRoots]
	}
	p := roots(func(f *Target) { f.Cwd = folder })
	require.Equal(t, session.PolicyCanned, p.Mode)
	require.JSONEq(t, `{"roots":[{"uri":"file://`+filepath.ToSlash(filepath.Dir(folder))+`/a%20b","name":"a b"}]}`, string(p.Answer))
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Contains(t, string(roots(func(*Target) {}).Answer), filepath.ToSlash(here))
	require.Equal(t, session.PolicyAsk, roots(func(f *Target) { f.SSH.Dest = "build-7" }).Mode, "the remote folder is unknown")
	require.Contains(t, string(roots(func(f *Target) { f.SSH.Dest, f.Cwd = "build-7", "/srv/app" }).Answer), "file:///srv/app")
}
