package via

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/via/enginetest"
	"mcpdbg/sshexec/sshtest"
)

// furnished returns an engine, and the prefixes that lead into it, by their names.
func furnished(t testing.TB) (e *enginetest.Engine, prefixes map[string][]string) {
	t.Helper()
	e = enginetest.New(t, enginetest.Options{Rotate: true})
	e.Container(t, "web", enginetest.ContainerOptions{})
	e.Container(t, "shop-db-1", enginetest.ContainerOptions{Service: "db"})
	e.Container(t, "shop-db-2", enginetest.ContainerOptions{Service: "db", Number: 2})
	e.Image(t, "server", enginetest.ImageOptions{})
	for _, pod := range []string{"api-1", "api-2"} {
		e.Pod(t, pod, enginetest.PodOptions{Workload: "api"})
	}
	prefixes = map[string][]string{
		"kubectl exec":        {e.Program("kubectl"), "exec", "-i", "api-2", "--"},
		"kubectl exec deploy": {e.Program("kubectl"), "exec", "-i", "deploy/api", "--"},
		"docker compose exec": {e.Program("docker"), "compose", "exec", "db"},
		"docker-compose exec": {"env", "PATH=" + e.Dir + ":/usr/local/bin:/usr/bin:/bin", "docker-compose", "exec", "--index", "2", "db"},
	}
	for _, name := range []string{"docker", "podman", "nerdctl"} {
		prefixes[name+" exec"] = []string{e.Program(name), "exec", "-i", "web"}
		prefixes[name+" run"] = []string{e.Program(name), "run", "-i", "--rm", "server"}
	}
	return e, prefixes
}

// A server and its daemon, which both ignore TERM, start through each engine, answer, and
// end.
func TestEngines(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(testing.TB) executor.Foundation { return below() })
}

func TestEnginesOverSSH(t *testing.T) {
	t.Parallel()
	exectest.NeedRoot(t)
	s := sshtest.OpenSSH(t, sshtest.Options{})
	eachEngine(t, func(t testing.TB) executor.Foundation { return onHost(t, s, 0) })
}

func eachEngine(t *testing.T, newBelow func(testing.TB) executor.Foundation) {
	e, prefixes := furnished(t)
	for name, words := range prefixes {
		t.Run(name, func(t *testing.T) {
			x := through(t, newBelow(t), words...)
			defer func() { require.NoError(t, x.Close()) }()
			p, err := x.Start(t.Context(), executor.Command{Pinned: true, Argv: append([]string{os.Args[0]}, exectest.HelperArgs(
				"spawn", "daemon", "ignore", "TERM", "hang", "end", "ignore", "TERM", "line", "out", "answer\n", "hang")...)})
			require.NoError(t, err)
			_, err = p.Write(t.Context(), "", []byte("question\n"))
			require.NoError(t, err)
			r, err := p.Read(t.Context(), 0, 0, waitLimit)
			require.NoError(t, err)
			require.Equal(t, "answer\n", string(r.Chunks[0].Data))
			require.NotEmpty(t, e.Processes(t))
			report, err := p.Terminate(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.CannotTell)
			require.True(t, strings.HasPrefix(p.Info().Via, strings.Fields(name)[0]), p.Info().Via)
			left, _ := exectest.UntilNone(0, func() []int { return e.Processes(t) })
			require.Empty(t, left, exectest.Describe(left))
		})
	}
}
