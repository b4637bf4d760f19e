//go:build linux

package enginetest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/via/enginetest"
)

// furnish fills an engine with something for each message.
func furnish(t *testing.T, e *enginetest.Engine) {
	t.Helper()
	e.Container(t, "web", enginetest.ContainerOptions{Service: "shop"})
	e.Container(t, "off", enginetest.ContainerOptions{Stopped: true, Service: "closed"})
	e.Image(t, "tool", enginetest.ImageOptions{Entrypoint: []string{"/bin/sh", "-c"}, Cmd: []string{"echo hi"}})
	e.Pod(t, "api-1", enginetest.PodOptions{Containers: []string{"app", "sidecar"}})
	e.Pod(t, "done", enginetest.PodOptions{Options: enginetest.ContainerOptions{Stopped: true}, Workload: "batch"})
}

const (
	notFoundText = `OCI runtime exec failed: exec failed: unable to start container process: exec: "nosuch": executable file not found in $PATH: unknown`
	runText      = "docker: Error response from daemon: %s\n\nRun 'docker run --help' for more information"
	createText   = "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: %s: unknown"
)

// errorTexts are messages on standard error, or on standard output where "out" begins the
// line. ID is any id, and TIME the time of a line of a log.
var errorTexts = []struct {
	command string
	code    int
	text    string
}{
	{"docker exec nope ls", 1, "Error response from daemon: No such container: nope"},
	{"docker exec off ls", 1, "Error response from daemon: container ID is not running"},
	{"docker exec web nosuch", 127, "out" + notFoundText + "\r"},
	{"docker exec web /nosuch", 127, "out" + strings.Replace(notFoundText, `"nosuch": executable file not found in $PATH`, `"/nosuch": stat /nosuch: no such file or directory`, 1) + "\r"},
	{"docker exec web /etc/passwd", 126, "out" + strings.Replace(notFoundText, `"nosuch": executable file not found in $PATH`, `"/etc/passwd": permission denied`, 1) + "\r"},
	{"docker exec -w /nope web ls", 126, `outOCI runtime exec failed: exec failed: unable to start container process: chdir to cwd ("/nope") set in config.json failed: no such file or directory: unknown` + "\r"},
	{"docker exec -u nope web ls", 126, "outunable to find user nope: no matching entries in passwd file\r"},
	{"docker exec -i -t web ls", 1, "the input device is not a TTY"},
	{"docker exec web", 1, "docker: 'docker exec' requires at least 2 arguments\n\nUsage:  docker exec [OPTIONS] CONTAINER COMMAND [ARG...]\n\nSee 'docker exec --help' for more information"},
	{"docker exec --frob web ls", 125, "unknown flag: --frob\n\nUsage:  docker exec [OPTIONS] CONTAINER COMMAND [ARG...]\n\nRun 'docker exec --help' for more information"},
	{"docker frob", 1, "docker: unknown command: docker frob\n\nRun 'docker --help' for more information"},
	{"docker --context nope ps", 1, `Failed to initialize: unable to resolve docker endpoint: context "nope": context not found: open /root/.docker/contexts/meta/ID/meta.json: no such file or directory`},
	{"docker -H unix:///nowhere.sock exec web ls", 1, "Cannot connect to the Docker daemon at unix:///nowhere.sock. Is the docker daemon running?"},
	{"docker run -i -t tool", 1, "the input device is not a TTY"},
	{"docker run -i nope", 125, "Unable to find image 'nope:latest' locally\n" + fmt.Sprintf(runText, "pull access denied for nope, repository does not exist or may require 'docker login'")},
	{"docker run --name web tool", 125, fmt.Sprintf(runText, `Conflict. The container name "/web" is already in use by container "ID". You have to remove (or rename) that container to be able to reuse that name.`)},
	{"docker run --rm --entrypoint nosuch tool", 127, fmt.Sprintf(runText, fmt.Sprintf(createText, `exec: "nosuch": executable file not found in $PATH`))},
	{"docker run --rm --entrypoint /etc/passwd tool", 126, fmt.Sprintf(runText, fmt.Sprintf(createText, `exec: "/etc/passwd": permission denied`))},
	{"docker top off", 1, "Error response from daemon: container ID is not running"},
	{"docker kill off", 1, "Error response from daemon: cannot kill container: off: container ID is not running"},
	{"docker kill -s FOO web", 1, "Error response from daemon: invalid signal: FOO"},
	{"docker inspect -f {{.Id}} nope", 1, "Error: No such object: nope"},
	{"docker rm web", 1, `Error response from daemon: cannot remove container "/web": container is running: stop the container before removing or force remove`},
	{"docker rm -f nope", 0, "Error response from daemon: No such container: nope"},
	{"docker compose exec nope ls", 1, "no such service: nope"},
	{"docker compose exec closed ls", 1, `service "closed" is not running`},
	{"docker compose -f /nope.yml exec shop ls", 14, "open /nope.yml: no such file or directory"},

	{"podman exec nope ls", 125, `Error: no container with name or ID "nope" found: no such container`},
	{"podman exec off ls", 255, "Error: can only create exec sessions on running containers: container state improper"},
	{"podman exec web nosuch", 127, "Error: crun: executable file `nosuch` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found"},
	{"podman exec web /etc/passwd", 126, "Error: crun: open executable: Permission denied: OCI permission denied"},
	{"podman exec -it web true", 0, `time="TIME" level=warning msg="The input device is not a TTY. The --tty and --interactive flags might not work properly"`},
	{"podman run nope", 125, `Error: short-name "nope" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"`},
	{"nerdctl exec nope ls", 1, `time="TIME" level=fatal msg="no such container nope"`},
	{"nerdctl exec off ls", 1, `time="TIME" level=fatal msg="cannot exec in a stopped state: unknown"`},
	{"nerdctl exec web nosuch", 1, `time="TIME" level=fatal msg="` + strings.ReplaceAll(notFoundText, `"`, `\"`) + `"`},
	{"nerdctl exec -it web ls", 1, `time="TIME" level=fatal msg="provided file is not a console"`},

	{"kubectl exec nope -- ls", 1, `Error from server (NotFound): pods "nope" not found`},
	{"kubectl exec deploy/nope -- ls", 1, `Error from server (NotFound): deployments.apps "nope" not found`},
	{"kubectl -n elsewhere exec svc/batch -- ls", 1, `Error from server (NotFound): services "batch" not found`},
	{"kubectl exec frobs/x -- ls", 1, `error: the server doesn't have a resource type "frobs"`},
	{"kubectl exec done -- ls", 1, "error: cannot exec into a container in a completed pod; current phase is Succeeded"},
	{"kubectl exec deploy/batch -- ls", 1, "error: timed out waiting for the condition"},
	{"kubectl exec -c nope api-1 -- ls", 1, "error: container nope not found in pod api-1"},
	{"kubectl exec -q api-1 -- nosuch", 1, `error: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "ID": ` + notFoundText},
	{"kubectl exec -it -c app api-1 -- true", 0, "Unable to use a TTY - input is not a terminal or the right kind of file"},
	{"kubectl exec api-1 -- true", 0, `Defaulted container "app" out of: app, sidecar`},
	{"kubectl exec api-1", 1, "error: you must specify at least one command for the container"},
	{"kubectl exec api-1 ls", 1, "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples"},
	{"kubectl exec -e A=b api-1 -- ls", 1, "Error: unknown shorthand flag: 'e' in -e\nSee 'kubectl exec --help' for usage."},
	{"kubectl --context nope exec api-1 -- ls", 1, `error: context "nope" does not exist`},
	{"kubectl get pods -l app=nope", 0, "No resources found in default namespace."},
	{"kubectl get deploy/nope", 1, `Error from server (NotFound): deployments.apps "nope" not found`},
}

var variable = regexp.MustCompile(`[0-9a-f]{64}|time="[^"]*"`)

// mask replaces ids and times.
func mask(text string) string {
	return variable.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "time") {
			return `time="TIME"`
		}
		return "ID"
	})
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	furnish(t, e)
	for _, c := range errorTexts {
		want := outcome{code: c.code, err: c.text + "\n"}
		if out, ok := strings.CutPrefix(c.text, "out"); ok {
			want = outcome{code: c.code, out: out + "\n"}
		}
		got := call(t, e, strings.Fields(c.command)...)
		if strings.HasPrefix(c.command, "docker inspect") {
			got.out = "" // an empty line
		}
		require.Equal(t, want, outcome{got.code, mask(got.out), mask(got.err)}, c.command)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{NameContainers: true})
	furnish(t, e)
	require.Equal(t, outcome{1, "", "error: a container name must be specified for pod api-1, choose one of: [app sidecar]\n"}, call(t, e, "kubectl", "exec", "api-1", "--", "ls"))
	const socket = "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: "
	for _, c := range []struct {
		fault   enginetest.Fault
		command string
		code    int
		text    string
	}{
		{enginetest.NoDaemon, "docker exec web ls", 1, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"},
		{enginetest.NoDaemon, "docker run -i tool", 125, "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n\nRun 'docker run --help' for more information"},
		{enginetest.NoDaemon, "podman exec web ls", 125, "Error: unable to connect to Podman socket: Get \"http://d/v5.4.0/libpod/_ping\": dial unix /run/podman/podman.sock: connect: no such file or directory"},
		{enginetest.NoDaemon, "nerdctl exec web ls", 1, `level=fatal msg="cannot access containerd socket \"/run/containerd/containerd.sock\": no such file or directory"`},
		{enginetest.NoDaemon, "kubectl exec api-1 -- ls", 1, "The connection to the server localhost:8080 was refused - did you specify the right host or port?"},
		{enginetest.Denied, "docker exec web ls", 1, socket + `Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.50/containers/web/json": dial unix /var/run/docker.sock: connect: permission denied`},
		{enginetest.Denied, "docker run -i tool", 126, "docker: " + socket + `Head "http://%2Fvar%2Frun%2Fdocker.sock/_ping": dial unix /var/run/docker.sock: connect: permission denied` + "\n\nRun 'docker run --help' for more information"},
		{enginetest.Denied, "kubectl exec api-1 -- ls", 1, `Error from server (Forbidden): pods "api-1" is forbidden: User "system:serviceaccount:default:test" cannot create resource "pods/exec" in API group "" in the namespace "default"`},
		{enginetest.Works, "docker exec web true", 0, ""},
	} {
		e.Break(t, c.fault)
		got := call(t, e, strings.Fields(c.command)...)
		require.Equal(t, c.code, got.code, c.command)
		require.True(t, strings.HasSuffix(strings.TrimSuffix(got.err, "\n"), c.text), got.err)
		require.Equal(t, c.text == "", got.err == "")
	}
}

// TestRealDocker compares the stand-in with a real docker client, which uses the same
// daemon. It is skipped where none is installed.
func TestRealDocker(t *testing.T) {
	t.Parallel()
	real, err := exec.LookPath("docker")
	if err != nil {
		t.Skip("docker is not installed")
	}
	if version, _ := exec.Command(real, "--version").Output(); !strings.HasPrefix(string(version), "Docker version 28.") {
		t.Skip("the texts are those of docker 28")
	}
	e := enginetest.New(t, enginetest.Options{})
	furnish(t, e)
	commands := []string{
		"exec -i web cat", "exec web sh -c exit_7", "exec web sh -c kill_-9_$$", "exec -t web echo a", "exec -e A=b -e SHARED -e NOPE web env",
		"exec -d web true", "inspect -f {{.State.Running}}{{.State.ExitCode}}{{.Name}} web", "inspect -f {{json_.Config.Labels}} web",
		"ps -q --filter label=com.docker.compose.service=shop", "ps -aq --no-trunc --filter label=com.docker.compose.service=closed", "ps -q --filter nope=1",
		"run --rm tool echo_x;exit_3", "run --rm -i --label a=b tool cat", "exec web", "top nope", "restart nope", "rm nope",
	}
	for _, c := range errorTexts {
		rest, ok := strings.CutPrefix(c.command, "docker ")
		// The real one asks for objects of other kinds, and compose is a program of its own.
		if ok && !strings.HasPrefix(rest, "inspect ") && !strings.HasPrefix(rest, "compose ") && !strings.HasPrefix(rest, "-") {
			commands = append(commands, rest)
		}
	}
	for _, command := range commands {
		words := append([]string{"docker", "-H", "unix://" + e.Socket()}, strings.Fields(command)...)
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "_", " ")
		}
		same := clientOf(e, words...)
		theirs := exec.Command(real, words[1:]...)
		theirs.Env = append(same.Env, "HOME="+t.TempDir())
		got, want := finish(t, same), finish(t, theirs)
		require.Equal(t, outcome{want.code, mask(want.out), mask(want.err)}, outcome{got.code, mask(got.out), mask(got.err)}, command)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	require.Empty(t, e.Calls(t))
	call(t, e, "docker", "exec", "-e", "SECRET", "web", "echo", "two words", "$(x)\n")
	call(t, e, "kubectl", "exec", "nope", "--", "ls")
	require.Equal(t, [][]string{{"docker", "exec", "-e", "SECRET", "web", "echo", "two words", "$(x)\n"}, {"kubectl", "exec", "nope", "--", "ls"}}, e.Calls(t))
}

// The programs are found through PATH, too.
func TestProgramsInPath(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, enginetest.Options{})
	e.Container(t, "web", enginetest.ContainerOptions{})
	cmd := exec.Command("/bin/sh", "-c", "docker exec web echo found; command -v docker")
	cmd.Env = []string{"PATH=" + e.Dir + ":" + os.Getenv("PATH")}
	require.Equal(t, outcome{0, "found\n" + filepath.Join(e.Dir, "docker") + "\n", ""}, finish(t, cmd))
}
