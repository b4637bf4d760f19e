package via

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/via/enginetest"
)

func TestSudoQuestion(t *testing.T) {
	for line, want := range map[string]string{
		"docker exec -i web sh":                         "",
		"nice docker exec -i -u sudo web":               "",
		"sudo sh -c x":                                  "sudo -n -l -- sh -c x",
		"sudo -nu svc -EH A=b docker ps -q":             "sudo -n -l -n -u svc A=b -- docker ps -q",
		"nice -n 5 /usr/bin/sudo --user=svc -- kubectl": "nice -n 5 /usr/bin/sudo -n -l --user=svc -- kubectl",
		"sudo --preserve-env=X --preserve-env x":        "sudo -n -l --preserve-env=X -- x",
		"sudo --new x":                                  "sudo -n -l --new x",
	} {
		require.Equal(t, want, strings.Join(sudoQuestion(strings.Fields(line)), " "))
	}
}

// sudoFor returns a sudo that permits the commands that match a pattern of the shell, and the
// commands that it has refused.
func sudoFor(t *testing.T, e *enginetest.Engine, permitted string) (program string, refused func() string) {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(dir, "sudo")
	log := filepath.Join(dir, "refused")
	require.NoError(t, os.WriteFile(program, fmt.Appendf(nil, `#!/bin/sh
permits() { case "$*" in %s) ;; *) echo "sudo: not permitted" >&2; return 1 ;; esac; }
case "$*" in
"-n -l -- "*) shift 3; permits "$@"; exit ;;
esac
permits "$@" || { echo "$*" >>'%s'; exit 1; }
PATH='%s':$PATH exec "$@"
`, permitted, log, e.Dir), 0o700))
	return program, func() string {
		text, _ := os.ReadFile(log) // none is missing if none was refused
		return string(text)
	}
}

// Nothing is executed through sudo, such as to resolve a target, that sudo would refuse.
func TestSudoRefusesNothing(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "shop-web-1", enginetest.ContainerOptions{Service: "web"})
	e.Pod(t, "api-1", enginetest.PodOptions{Workload: "api"})
	e.Image(t, "server", enginetest.ImageOptions{})
	compose, pod, run := "docker compose exec -T web", "kubectl exec -i deploy/api --", "docker run -i --rm server"
	for _, c := range []struct {
		prefix, permitted string
		place             string
		notices           []string // codes
		cannotTell        string
	}{
		{compose, "*", "docker web (", []string{"via.resolved", "via.inside"}, ""},
		{pod, "*", "kubectl deploy/api (api-1)", []string{"via.resolved", "via.inside"}, ""},
		{compose, "*' exec '*", "docker web", []string{"via.unresolved", "via.inside"}, ""},
		{pod, "*' exec '*", "kubectl deploy/api", []string{"via.unresolved", "via.inside"}, ""},
		{compose, "*' exec '*' exectest-helper '*", "docker web", []string{"via.unresolved", "via.unseen"}, "sudo permits no shell there"},
		{run, "*' run '*", "docker run server", []string{"via.added", "via.unseen"}, "sudo does not permit it"},
		{run, "'" + run + "'*", "docker run server", []string{"via.unlabeled", "via.unseen"}, "the container has no label of ours"},
	} {
		sudo, refused := sudoFor(t, e, c.permitted)
		p, err := start(t, append([]string{sudo}, strings.Fields(c.prefix)...), nil, "pid", "hang")
		require.NoError(t, err, "%s, %s", c.prefix, c.permitted)
		require.True(t, strings.HasPrefix(p.Info().Via, c.place), p.Info().Via)
		var codes []string
		for _, n := range p.Info().Notices {
			codes = append(codes, n.Code)
		}
		require.Equal(t, c.notices, codes)
		_, err = p.Read(t.Context(), 0, 0, waitLimit)
		require.NoError(t, err)
		report, err := p.Terminate(t.Context())
		require.NoError(t, err)
		require.Contains(t, strings.Join(report.CannotTell, "\n"), c.cannotTell, "%s, %s", c.prefix, c.permitted)
		require.Equal(t, c.cannotTell == "", len(report.CannotTell) == 0, "%v", report.CannotTell)
		require.Empty(t, refused())
		for _, pid := range e.Processes(t) {
			if c.cannotTell != "" {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			}
		}
		left, _ := exectest.UntilNone(0, func() []int { return e.Processes(t) })
		require.Empty(t, left, exectest.Describe(left))
	}
}
