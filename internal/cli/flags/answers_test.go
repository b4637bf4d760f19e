package flags

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

func TestReadAnswersRejects(t *testing.T) {
	for _, tc := range []struct{ answers, capabilities, want string }{
		{answers: "{\n\"roots/list\": 1}", want: `line 2: roots/list: must be a result object`},
		{answers: `{"elicitation/crate": {}}`, want: `unknown method "elicitation/crate"; did you mean elicitation/create?`},
		{capabilities: `[]`, want: `--capabilities: must be a JSON object, not []`},
		{capabilities: `null`, want: `--capabilities: must be a JSON object, not null`},
		{capabilities: `{"elicitation": true}`, want: `--capabilities: elicitation must be an object, not true`},
		{capabilities: `@missing.json`, want: `missing.json`},
	} {
		target := Target{Capabilities: tc.capabilities}
		if tc.answers != "" {
			target.Answers = filepath.Join(t.TempDir(), "a.json")
			require.NoError(t, os.WriteFile(target.Answers, []byte(tc.answers), 0o600))
		}
		require.ErrorContains(t, ReadAnswers(t.Context(), &console.Env{}, &target), tc.want)
	}
}

func TestReadCapabilities(t *testing.T) {
	target := Defaults()
	target.Capabilities = "@" + filepath.Join(t.TempDir(), "c.json")
	require.NoError(t, os.WriteFile(target.Capabilities[1:], []byte("{\n \"roots\": {}, \"extensions\": {\"a/b\": 1}\n}"), 0o600))
	require.NoError(t, ReadAnswers(t.Context(), &console.Env{}, &target))
	cfg, err := target.SessionConfig([]string{"server"})
	require.NoError(t, err)
	require.Equal(t, `{"roots":{},"extensions":{"a/b":1}}`, string(cfg.Capabilities))
}

func TestConflicts(t *testing.T) {
	for _, tc := range []struct {
		capabilities, answers string
		want                  []string
	}{
		{`{}`, `{}`, nil},
		{`{"roots":{},"elicitation":{},"tasks":{}}`, `{"roots/list":{"roots":[]},"elicitation/create":"defaults"}`, nil},
		{`{"elicitation":{"url":{}},"sampling":{"tools":{}}}`, `{}`,
			[]string{"declared, but not answered: elicitation.url, sampling, sampling.tools (see --answers)"}},
		{`{}`, `{"roots/list":{"roots":[]},"elicitation/create":[{"mode":"url","result":{"action":"accept"}}]}`,
			[]string{"answered, but not declared: elicitation.url, roots (see --capabilities)"}},
	} {
		all, err := answers.Parse([]byte(tc.answers))
		require.NoError(t, err)
		require.Equal(t, tc.want, Conflicts(&session.Config{Capabilities: []byte(tc.capabilities), Answers: all}), tc.capabilities)
	}
}

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
