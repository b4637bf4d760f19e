//go:build linux

package enginetest_test

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/via/enginetest"
)

// image makes the image of a program that runs the helper's steps in the arguments.
func image(t *testing.T, e *enginetest.Engine) {
	t.Helper()
	e.Image(t, "ghcr.io/example/server:1", enginetest.ImageOptions{Entrypoint: helper(t), Cmd: []string{"out", "default\n"}, Env: []string{"OF=the image"}})
}

const server = "ghcr.io/example/server:1"

func TestRun(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		image(t, e)
		require.Equal(t, outcome{7, "default\n", "problem"}, call(t, e, "docker", "run", "--rm", "--entrypoint", "/bin/sh", server, "-c", "echo default; printf problem >&2; exit 7"))
		require.Equal(t, "default", says(t, e, "podman", "run", "--rm", "--network", "none", "-v", "/a:/b", server))
		env := says(t, e, "docker", "run", "--rm", "-e", "SHARED", "-e", "A=b", server, "env")
		for _, want := range []string{"SHARED=of the client", "A=b", "OF=the image"} {
			require.Contains(t, strings.Split(env, "\n"), want)
		}
		require.Equal(t, "/usr", says(t, e, "docker", "run", "--rm", "-w", "/usr", server, "cwd"))
		require.Empty(t, says(t, e, "docker", "ps", "-aq", "--filter", "name=quiet"), "--rm")
		require.Equal(t, outcome{0, "", ""}, call(t, e, "docker", "run", "--name", "kept", server, "exit", "0"))
		require.Equal(t, "exited 0", says(t, e, "docker", "inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", "kept"))

		r := begin(t, clientOf(e, "docker", "run", "-i", "--rm", "--label", "mcpdbg.run=x", server, "echo", "exit", "3"))
		_, err := io.WriteString(r.stdin, "through\n")
		require.NoError(t, err)
		require.Equal(t, "through", r.line())
		require.NoError(t, r.stdin.Close())
		require.Equal(t, 3, r.ends())
	})
}

// The first process of a container outlives its client. Its label finds it.
func TestRunOutlivesItsClient(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		image(t, e)
		r := begin(t, clientOf(e, "docker", "run", "-i", "--rm", "--label", "mcpdbg.run=m1", server, "spawn", "daemon", "hang", "end", "pid", "echo"))
		r.line()
		require.NoError(t, r.Process.Kill())
		require.Equal(t, -1, r.ends())
		pids := e.Processes(t)
		require.Len(t, pids, 2)
		id := says(t, e, "docker", "ps", "-q", "--no-trunc", "--filter", "label=mcpdbg.run=m1")
		require.Regexp(t, "^[0-9a-f]{64}$", id)
		require.Empty(t, says(t, e, "docker", "ps", "-q", "--filter", "label=mcpdbg.run=m2"))
		require.Equal(t, id[:12], says(t, e, "docker", "kill", id[:12]))
		awaitNone(t, func() []int {
			return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { return !exectest.Alive(pid) })
		})
		awaitNone(t, func() []int {
			if says(t, e, "docker", "ps", "-aq", "--filter", "label=mcpdbg.run") == "" {
				return nil
			}
			return pids[:1]
		})
	})
}

// docker run passes signals on.
func TestRunForwardsSignals(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *enginetest.Engine) {
		image(t, e)
		r := begin(t, clientOf(e, "docker", "run", "-i", "--rm", server, "trap", "TERM", "9", "pid", "hang"))
		r.line()
		require.NoError(t, r.Process.Signal(syscall.SIGTERM))
		require.Equal(t, 9, r.ends())
	})
}

func TestPods(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{Rotate: true})
	marked := func(value string) enginetest.ContainerOptions {
		return enginetest.ContainerOptions{ImageOptions: enginetest.ImageOptions{Env: []string{"IN=" + value}}}
	}
	e.Pod(t, "api-1", enginetest.PodOptions{Namespace: "prod", Workload: "api", Containers: []string{"app", "proxy"}, Options: marked("1")})
	e.Pod(t, "api-2", enginetest.PodOptions{Namespace: "prod", Workload: "api", Options: marked("2")})
	e.Pod(t, "db", enginetest.PodOptions{Options: marked("db")})
	in := func(words ...string) string {
		return says(t, e, slices.Concat([]string{"kubectl"}, words, []string{"--", "printenv", "IN"})...)
	}
	require.Equal(t, "db", in("exec", "pod/db"))
	require.Equal(t, "1", in("-n", "prod", "exec", "-c", "proxy", "api-1"))
	var seen []string
	for range 4 {
		seen = append(seen, in("--namespace", "prod", "exec", "--quiet", "deploy/api"))
	}
	require.Equal(t, []string{"1", "2", "1", "2"}, seen, "each exec has another pod")
	require.Equal(t, "1", in("-n", "prod", "--context", enginetest.Context, "exec", "svc/api", "-q"))

	require.Equal(t, `{"app":"api"}`, says(t, e, "kubectl", "-n", "prod", "get", "deploy/api", "-o", "jsonpath={.spec.selector.matchLabels}"))
	require.Equal(t, `{"app":"api"}`, says(t, e, "kubectl", "-n", "prod", "get", "svc/api", "-o", "jsonpath={.spec.selector}"))
	require.Equal(t, "pod/api-1\npod/api-2", says(t, e, "kubectl", "-n", "prod", "get", "pods", "-l", "app=api", "-o", "name"))
	require.Equal(t, "api-1 api-2", says(t, e, "kubectl", "-n", "prod", "get", "pods", "-l", "app=api", "-o", "jsonpath={.items[*].metadata.name}"))
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   struct{ Phase string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(says(t, e, "kubectl", "get", "pods", "-o", "json")), &list))
	require.Len(t, list.Items, 1)
	require.Equal(t, "db", list.Items[0].Metadata.Name)
	require.Equal(t, "Running", list.Items[0].Status.Phase)
}

func TestCompose(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	require.Equal(t, outcome{14, "", "no configuration file provided: not found\n"}, call(t, e, "docker", "compose", "exec", "web", "ls"))
	id := e.Container(t, "project-web-1", enginetest.ContainerOptions{Service: "web"})
	require.Equal(t, id, says(t, e, "docker", "compose", "ps", "-q", "web"))
	require.Equal(t, "x", says(t, e, "docker", "compose", "exec", "-e", "A=x", "web", "printenv", "A"))
	require.Equal(t, "y", says(t, e, "docker-compose", "exec", "-T", "web", "echo", "y"))
	require.Equal(t, 6, call(t, e, "docker", "compose", "exec", "-T", "web", "sh", "-c", "exit 6").code)
}
