package via

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/via/enginetest"
)

// Each execution of a deployment or service would lead to the next of its pods. All of one
// start lead to one: the guard sees the server.
func TestOnePodOfAWorkload(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{Rotate: true})
	e.Pod(t, "api-0", enginetest.PodOptions{Namespace: "shop", Workload: "api", Options: enginetest.ContainerOptions{Stopped: true}})
	for _, name := range []string{"api-1", "api-2", "api-3"} {
		e.Pod(t, name, enginetest.PodOptions{Namespace: "shop", Workload: "api"})
	}
	kubectl := e.Program("kubectl")
	for target, words := range map[string][]string{
		"deploy/api":  {kubectl, "-n", "shop", "exec", "-i", "deploy/api", "--"},
		"service/api": {kubectl, "--context=enginetest", "exec", "--stdin", "service/api", "-n", "shop", "--"},
		"Pod/api-1":   {kubectl, "-n", "shop", "exec", "-i", "Pod/api-1", "--"},
	} {
		p, err := start(t, words, nil, "pid", "hang")
		require.NoError(t, err)
		require.Equal(t, "kubectl "+target+" -n shop (api-1)", p.Info().Via)
		require.Equal(t, executor.Notice{Code: "via.resolved", Text: "kubectl: " + target + " is api-1"}, p.Info().Notices[0])
		report, err := p.Terminate(t.Context())
		require.NoError(t, err)
		require.True(t, report.Running)
		require.Empty(t, report.CannotTell)
		require.Len(t, report.Signalled, 1)
	}
	for _, call := range e.Calls(t) {
		require.Contains(t, call, "shop", "the namespace of the prefix")
		require.Equal(t, slices.Contains(call, "exec"), slices.Contains(call, "api-1"))
	}
}

// Without resolution the second execution leads to another pod, which the guard notices.
func TestUnresolvedPodIsNoticed(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{Rotate: true})
	for _, name := range []string{"api-1", "api-2"} {
		e.Pod(t, name, enginetest.PodOptions{Workload: "api"})
	}
	script := filepath.Join(t.TempDir(), "pods.sh") // of which nothing is known
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec "+e.Program("kubectl")+` exec -i deploy/api -- "$@"`), 0o700))
	p, err := start(t, []string{script}, nil, "pid", "hang")
	require.NoError(t, err)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.Contains(t, strings.Join(report.CannotTell, "\n"), "a second execution leads to another place")
	for _, pid := range e.Processes(t) {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
}

// Docker exec runs in the container of a service that docker compose would choose.
func TestOneContainerOfAService(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	ids := map[int]string{}
	for _, number := range []int{2, 1, 3} {
		ids[number] = e.Container(t, "shop-web-"+string(rune('0'+number)), enginetest.ContainerOptions{Service: "web", Number: number})
	}
	single := e.Container(t, "shop-db-1", enginetest.ContainerOptions{Service: "db"})
	file := filepath.Join(t.TempDir(), "compose.yml")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	docker := e.Program("docker")
	for _, c := range []struct {
		words []string
		id    string
		place string
	}{
		{[]string{docker, "compose", "-f", file, "-p", "shop", "exec", "-T", "web"}, ids[1], "docker web"},
		{[]string{docker, "--context", "default", "compose", "exec", "--index=3", "-e", "A=b", "-w", "/usr", "web"}, ids[3], "docker web"},
		{[]string{docker, "compose", "exec", "db"}, single, "docker db"},
	} {
		p, err := start(t, c.words, nil, "cwd", "out", "\n", "env", "exit", "7")
		require.NoError(t, err)
		out, _, exit := output(t, p)
		require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 7}, exit)
		require.Equal(t, c.place+" ("+c.id[:12]+")", p.Info().Via)
		if slices.Contains(c.words, "-w") {
			require.True(t, strings.HasPrefix(out, "/usr\n"))
			require.Contains(t, out, "A=b\n")
		}
		report, err := p.Terminate(t.Context())
		require.NoError(t, err)
		require.Empty(t, report.CannotTell)
		calls := e.Calls(t)
		require.Contains(t, calls[len(calls)-1], c.id)
	}
}

// A target that is not resolved is named before the start.
func TestUnresolvedTargetsAreNoted(t *testing.T) {
	for line, want := range map[string]string{
		"podman compose exec web":               "podman web is not resolved: podman chooses the place at each execution",
		"podman-compose exec web":               "podman-compose web is not resolved: podman-compose chooses the place at each execution",
		"nerdctl compose -p shop exec -T web":   "nerdctl web is not resolved: nerdctl chooses the place at each execution",
		"kubectl exec -i -n shop -f api.yml --": "kubectl -n shop is not resolved: kubectl chooses the place at each execution",
		"kubectl exec -i api-1 --":              "",
		"kubectl exec -i --new deploy/api --":   "",
		"podman exec -i web":                    "",
		"sudo -n":                               "",
	} {
		e := through(t, below(), strings.Fields(line)...)
		p, failure := prefixOf(strings.Fields(line), "")
		require.Nil(t, failure)
		require.Nil(t, e.resolve(t.Context(), &p))
		var text string
		for _, n := range p.notices {
			text += n.Text
		}
		require.Equal(t, want, text)
		require.NoError(t, e.Close())
	}
}

// Nothing is started if the place cannot be resolved.
func TestResolveFails(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Pod(t, "done", enginetest.PodOptions{Workload: "batch", Options: enginetest.ContainerOptions{Stopped: true}})
	e.Container(t, "off", enginetest.ContainerOptions{Service: "off", Stopped: true})
	e.Container(t, "on", enginetest.ContainerOptions{Service: "on"})
	docker, kubectl := e.Program("docker"), e.Program("kubectl")
	for line, want := range map[string]executor.StartCode{
		kubectl + " exec -i deploy/none --":                         executor.ViaNoContainer,
		kubectl + " exec -i deploy/batch --":                        executor.ViaNotRunning,
		kubectl + " exec -i frobs/x --":                             executor.ViaNoContainer,
		kubectl + " --context nope exec -i deploy/batch --":         executor.ViaNoCluster,
		kubectl + " exec -i deploy/batch -n other --":               executor.ViaNoContainer,
		docker + " compose exec none":                               executor.ViaNoContainer,
		docker + " compose exec off":                                executor.ViaNotRunning,
		docker + " compose exec --index 2 on":                       executor.ViaNotRunning,
		docker + " compose -f /nope.yml exec on":                    executor.StartFailed,
		filepath.Join(e.Dir, "no", "kubectl") + " exec -i svc/x --": executor.StartNotFound,
	} {
		_, err := start(t, strings.Fields(line), nil, "hang")
		var failed *executor.StartError
		require.ErrorAs(t, err, &failed, line)
		require.Equal(t, want, failed.Code, "%s: %v", line, failed)
		require.NotEmpty(t, failed.Hint, line)
	}
	for _, call := range e.Calls(t) {
		require.NotContains(t, strings.Join(call[:min(2, len(call))], " "), "exec", "%v", call)
	}
	e.Break(t, enginetest.Denied)
	_, err := start(t, []string{kubectl, "exec", "-i", "deploy/batch", "--"}, nil, "hang")
	var failed *executor.StartError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, executor.ViaNoPermission, failed.Code)
}

func TestOrderOfPods(t *testing.T) {
	lines := []string{ // the best one first
		"long\t\tTrue\t2026-01-01T00:00:00Z\t5\t2026-01-03T00:00:00Z\n",
		"calm\t\tTrue\t2026-01-02T00:00:00Z\t0 1\t2026-01-03T00:00:00Z\n",
		"old\t\tTrue\t2026-01-02T00:00:00Z\t2 0\t2026-01-01T00:00:00Z\n",
		"new\t\tTrue\t2026-01-02T00:00:00Z\t0 2\t2026-01-02T00:00:00Z\n",
		"unready\t\tFalse\t2026-01-01T00:00:00Z\t0\t2025-01-01T00:00:00Z\n",
		"ending\t2026-01-05T00:00:00Z\tTrue\t2025-01-01T00:00:00Z\t0\t2025-01-01T00:00:00Z\n",
	}
	pods := readPods(strings.Join(lines, "") + "cut\t\tTrue\t20")
	require.Len(t, pods, len(lines))
	for i := range pods {
		for j := range pods {
			require.Equal(t, i < j, pods[i].before(&pods[j]), "%s before %s", pods[i].name, pods[j].name)
		}
	}
}

func TestNumberedContainer(t *testing.T) {
	lines := "a 3\nb 2\nc \n"
	require.Equal(t, "b", numbered("a 3\nb 2\nd 1", ""), "the last line is cut")
	require.Equal(t, "c", numbered(lines, ""), "as without a label")
	require.Equal(t, "a", numbered(lines, "3"))
	require.Empty(t, numbered(lines, "4"))
}

func TestSelectorOf(t *testing.T) {
	for _, c := range []struct{ kind, text, want, failure string }{
		{"Service", `{"b":"2","a":"1"}`, "a=1,b=2", ""},
		{"Deployment", `{"matchLabels":{"a":"1"}}`, "a=1", ""},
		{"Job", `{"matchExpressions":[{"key":"k","operator":"In","values":["x","y"]},{"key":"l","operator":"NotIn","values":["z"]},` +
			`{"key":"m","operator":"Exists"},{"key":"n","operator":"DoesNotExist"}],"matchLabels":{"a":"1"}}`, "a=1,k in (x,y),l notin (z),m,!n", ""},
		{"Service", "", "", "the Service selects no pods"},
		{"CronJob", "", "", "it is a CronJob, in which kubectl executes nothing"},
		{"Deployment", "map[app:api]", "", "its selector cannot be read"},
		{"DaemonSet", `{"matchExpressions":[{"key":"k","operator":"Gt"}]}`, "", `its selector has the unknown operator "Gt"`},
	} {
		got, err := selectorOf(c.kind, c.text)
		require.Equal(t, c.want, got)
		if c.failure != "" {
			require.ErrorContains(t, err, c.failure)
		} else {
			require.NoError(t, err)
		}
	}
}
