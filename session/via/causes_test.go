package via_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/via"
)

// TestCause has the texts as the programs print them.
func TestCause(t *testing.T) {
	const (
		docker  = "docker"
		podman  = "podman"
		nerdctl = "nerdctl"
		kubectl = "kubectl"
		exec    = "OCI runtime exec failed: exec failed: unable to start container process: "
		create  = "docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: "
	)
	for _, tc := range []struct {
		program, stderr string
		exit            int
		code            executor.StartCode
	}{
		{docker, "Error response from daemon: No such container: web", 1, executor.ViaNoContainer},
		{docker, "Error: No such container: web", 1, executor.ViaNoContainer},
		{docker, "Error response from daemon: container 4f66ad9a0b2e is not running", 1, executor.ViaNotRunning},
		{docker, "Error response from daemon: Container web is paused, unpause the container before exec", 1, executor.ViaNotRunning},
		{docker, "Error response from daemon: Container 4f66ad9a is restarting, wait until the container is running", 1, executor.ViaNotRunning},
		{docker, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", 1, executor.ViaNoDaemon},
		{docker, "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n\nRun 'docker run --help' for more information", 125, executor.ViaNoDaemon},
		{docker, "failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct and if the daemon is running: dial unix /var/run/docker.sock: connect: no such file or directory", 1, executor.ViaNoDaemon},
		{docker, "error during connect: Get \"http://%2F%2F.%2Fpipe%2FdockerDesktopLinuxEngine/v1.47/containers/json\": open //./pipe/dockerDesktopLinuxEngine: The system cannot find the file specified.", 1, executor.ViaNoDaemon},
		{docker, "Failed to initialize: unable to resolve docker endpoint: context \"prod\": context not found: open /root/.docker/contexts/meta/28/meta.json: no such file or directory", 1, executor.ViaNoDaemon},
		{docker, "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get \"http://%2Fvar%2Frun%2Fdocker.sock/v1.47/containers/web/json\": dial unix /var/run/docker.sock: connect: permission denied", 1, executor.ViaNoPermission},
		{docker, "permission denied while trying to connect to the docker API at unix:///var/run/docker.sock", 1, executor.ViaNoPermission},
		{docker, "the input device is not a TTY", 1, executor.ViaTTY},
		{docker, "the input device is not a TTY.  If you are using mintty, try prefixing the command with 'winpty'", 1, executor.ViaTTY},
		{docker, "cannot attach stdin to a TTY-enabled container because stdin is not a terminal", 1, executor.ViaTTY},
		{docker, exec + `exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown`, 127, executor.StartNoShell},
		{docker, exec + `exec: "server": executable file not found in $PATH: unknown`, 127, executor.StartNotFound},
		{docker, `OCI runtime exec failed: exec failed: container_linux.go:380: starting container process caused: exec: "bash": executable file not found in $PATH: unknown`, 126, executor.StartNotFound},
		{docker, exec + `exec: "/etc": is a directory: permission denied: unknown`, 126, executor.StartNoExec},
		{docker, exec + `exec: "/srv/x": permission denied: unknown`, 126, executor.StartNoExec},
		{docker, `OCI runtime exec failed: exec failed: unable to start container process: chdir to cwd ("/nope") set in config.json failed: no such file or directory: unknown`, 127, executor.StartNoDir},
		{docker, create + `exec: "server": executable file not found in $PATH: unknown.`, 127, executor.StartNotFound},
		{docker, create + `exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown`, 127, executor.StartNoShell},
		{docker, "exec /usr/bin/server: exec format error", 255, executor.StartNoExec},
		{docker, "Unable to find image 'nope:latest' locally\ndocker: Error response from daemon: pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to the resource is denied\n\nRun 'docker run --help' for more information", 125, executor.ViaNoImage},
		{docker, "Unable to find image 'alpine:9' locally\ndocker: Error response from daemon: manifest for alpine:9 not found: manifest unknown: manifest unknown", 125, executor.ViaNoImage},
		{docker, "docker: invalid reference format: repository name (library/NOPE) must be lowercase", 125, executor.ViaNoImage},
		{docker, "unknown flag: --foo\n\nUsage:  docker exec [OPTIONS] CONTAINER COMMAND [ARG...]\n\nRun 'docker exec --help' for more information", 125, executor.ViaInvalid},
		{docker, "unknown shorthand flag: 'Z' in -Z", 125, executor.ViaInvalid},
		{docker, `service "web" is not running`, 1, executor.ViaNotRunning},
		{docker, `service "web" is not running container #1`, 1, executor.ViaNotRunning},
		{docker, "no such service: web", 1, executor.ViaNoContainer},
		{docker, "no configuration file provided: not found", 14, executor.ViaNoContainer},

		{podman, `Error: no container with name or ID "web" found: no such container`, 125, executor.ViaNoContainer},
		{podman, "Error: can only create exec sessions on running containers: container state improper", 255, executor.ViaNotRunning},
		{podman, "Error: crun: executable file `server` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found", 127, executor.StartNotFound},
		{podman, "Error: crun: executable file `/bin/sh` not found: No such file or directory: OCI runtime attempted to invoke a command that was not found", 127, executor.StartNoShell},
		{podman, "Error: crun: chdir: No such file or directory: OCI runtime attempted to invoke a command that was not found", 127, executor.StartNoDir},
		{podman, "Error: crun: open executable: Permission denied: OCI permission denied", 126, executor.StartNoExec},
		{podman, "Error: unable to connect to Podman socket: Get \"http://d/v5.4.0/libpod/_ping\": dial unix /run/podman/podman.sock: connect: permission denied", 125, executor.ViaNoPermission},
		{podman, "Cannot connect to Podman. Please verify your connection to the Linux system using `podman system connection list`, or try `podman machine init` and `podman machine start` to manage a new Linux VM\nError: unable to connect to Podman socket: Get \"http://d/v5.4.0/libpod/_ping\": dial unix /run/podman/podman.sock: connect: no such file or directory", 125, executor.ViaNoDaemon},
		{podman, `Error: short-name "nope" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"`, 125, executor.ViaNoImage},
		{podman, "Trying to pull docker.io/library/nope:latest...\nError: initializing source docker://nope:latest: reading manifest latest in docker.io/library/nope: requested access to the resource is denied", 125, executor.ViaNoImage},
		{podman, "time=\"2026-01-01T00:00:00Z\" level=warning msg=\"The input device is not a TTY. The --tty and --interactive flags might not work properly\"", 127, executor.ViaTTY},

		{nerdctl, `time="2026-01-01T00:00:00Z" level=fatal msg="no such container web"`, 1, executor.ViaNoContainer},
		{nerdctl, "FATA[0000] no such container: web", 1, executor.ViaNoContainer},
		{nerdctl, `FATA[0000] cannot access containerd socket "/run/containerd/containerd.sock": permission denied`, 1, executor.ViaNoPermission},
		{nerdctl, `FATA[0000] cannot access containerd socket "/run/containerd/containerd.sock": no such file or directory`, 1, executor.ViaNoDaemon},
		{nerdctl, "FATA[0000] rootless containerd not running? (hint: use `containerd-rootless-setuptool.sh install` to start rootless containerd): stat /run/user/1000/containerd-rootless: no such file or directory", 1, executor.ViaNoDaemon},
		{nerdctl, "FATA[0000] cannot exec in a stopped container", 1, executor.ViaNotRunning},
		{nerdctl, "FATA[0000] provided file is not a console", 1, executor.ViaTTY},
		{nerdctl, "FATA[0002] failed to resolve reference \"docker.io/library/nope:latest\": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed", 1, executor.ViaNoImage},

		{kubectl, `Error from server (NotFound): pods "web" not found`, 1, executor.ViaNoContainer},
		{kubectl, `Error from server (NotFound): deployments.apps "api" not found`, 1, executor.ViaNoContainer},
		{kubectl, `Error from server (NotFound): namespaces "shop" not found`, 1, executor.ViaNoContainer},
		{kubectl, "error: unable to upgrade connection: pod does not exist", 1, executor.ViaNoContainer},
		{kubectl, `error: unable to upgrade connection: container not found ("web")`, 1, executor.ViaNotRunning},
		{kubectl, "error: cannot exec into a container in a completed pod; current phase is Succeeded", 1, executor.ViaNotRunning},
		{kubectl, "Error from server (BadRequest): pod web does not have a host assigned", 1, executor.ViaNotRunning},
		{kubectl, "error: timed out waiting for the condition", 1, executor.ViaNotRunning},
		{kubectl, "Error from server (BadRequest): a container name must be specified for pod web, choose one of: [app log]", 1, executor.ViaSeveral},
		{kubectl, "Error from server (BadRequest): container nope is not valid for pod web", 1, executor.ViaNoContainer},
		{kubectl, "error: container nope not found in pod web", 1, executor.ViaNoContainer},
		{kubectl, `Error from server (Forbidden): pods "web" is forbidden: User "ada" cannot create resource "pods/exec" in API group "" in the namespace "default"`, 1, executor.ViaNoPermission},
		{kubectl, "error: You must be logged in to the server (Unauthorized)", 1, executor.ViaNoPermission},
		{kubectl, "E1128 09:26:13.919077   31959 memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server API group list: Get \\\"http://localhost:8080/api?timeout=32s\\\": dial tcp 127.0.0.1:8080: connect: connection refused\"\nThe connection to the server localhost:8080 was refused - did you specify the right host or port?", 1, executor.ViaNoCluster},
		{kubectl, "Unable to connect to the server: dial tcp: lookup k8s.example.com: no such host", 1, executor.ViaNoCluster},
		{kubectl, "Error in configuration: context was not found for specified context: nope", 1, executor.ViaNoCluster},
		{kubectl, `error: context "nope" does not exist`, 1, executor.ViaNoCluster},
		{kubectl, "Unable to use a TTY - input is not a terminal or the right kind of file", 1, executor.ViaTTY},
		{kubectl, "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples", 1, executor.ViaInvalid},
		{kubectl, `error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "3c3a": OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown`, 1, executor.StartNoShell},
		{kubectl, "error: unknown flag: --foo\nSee 'kubectl exec --help' for usage.", 1, executor.ViaInvalid},

		{"sudo", "sudo: a password is required", 1, executor.ViaPassword},
		{"sudo", "sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required", 1, executor.ViaPassword},
		{"sudo", "sudo: no tty present and no askpass program specified", 1, executor.ViaPassword},
		{"sudo", "sudo: interactive authentication is required", 1, executor.ViaPassword},
		{"sudo", "ada is not in the sudoers file.", 1, executor.ViaNoPermission},
		{"sudo", "Sorry, user ada is not allowed to execute '/bin/sh' as svc on build.", 1, executor.ViaNoPermission},
		{"sudo", "Sorry, user ada may not run sudo on build.", 1, executor.ViaNoPermission},
		{"sudo", "sudo: I'm sorry ada. I'm afraid I can't do that", 1, executor.ViaNoPermission},
		{"sudo", `sudo: The "no new privileges" flag is set, which prevents sudo from running as root.`, 1, executor.ViaNoPermission},
		{"sudo", "sudo: unknown user svc\nsudo: error initializing audit plugin sudoers_audit", 1, executor.ViaNoPlace},
		{"sudo", "sudo: user 'svc' not found", 1, executor.ViaNoPlace},
		{"sudo", "sudo: sorry, you must have a tty to run sudo", 1, executor.ViaTTY},
		{"sudo", "sudo: server: command not found", 1, executor.StartNotFound},
		{"doas", "doas: Authentication required", 1, executor.ViaPassword},
		{"doas", "doas: a tty is required", 1, executor.ViaPassword},
		{"doas", "doas: Operation not permitted", 1, executor.ViaNoPermission},
		{"runuser", "runuser: user svc does not exist or the user entry does not contain all the required fields", 1, executor.ViaNoPlace},

		{"chroot", "chroot: cannot change root directory to '/x': No such file or directory", 125, executor.ViaNoPlace},
		{"chroot", "chroot: can't change root directory to '/x': No such file or directory", 1, executor.ViaNoPlace},
		{"chroot", "chroot: cannot change root directory to '/': Operation not permitted", 125, executor.ViaNoPermission},
		{"chroot", "chroot: failed to run command ‘/bin/sh’: No such file or directory", 127, executor.StartNoShell},
		{"chroot", "chroot: failed to run command ‘server’: No such file or directory", 127, executor.StartNotFound},
		{"chroot", "chroot: can't execute '/bin/sh': No such file or directory", 127, executor.StartNoShell},
		{"nice", "nice: ‘server’: No such file or directory", 127, executor.StartNotFound},
		{"nice", "nice: ‘/bin/sh’: Permission denied", 126, executor.StartNoExec},
		{"unshare", "unshare: unshare failed: Operation not permitted", 1, executor.ViaNoPermission},
		{"unshare", "unshare: write failed /proc/self/uid_map: Operation not permitted", 1, executor.ViaNoPermission},
		{"unshare", "unshare: failed to execute server: No such file or directory", 127, executor.StartNotFound},
		{"unshare", "unshare: unrecognized option '--foo'", 1, executor.ViaInvalid},
		{"nsenter", "nsenter: cannot open /proc/99999999/ns/mnt: No such file or directory", 1, executor.ViaNoPlace},
		{"nsenter", "nsenter: cannot open /proc/1/ns/mnt: Permission denied", 1, executor.ViaNoPermission},
		{"nsenter", "nsenter: reassociate to namespace 'ns/mnt' failed: Operation not permitted", 1, executor.ViaNoPermission},
		{"nsenter", "nsenter: reassociate to namespaces failed: Operation not permitted", 1, executor.ViaNoPermission},
		{"setpriv", "setpriv: failed to parse reuid: 'nope'", 1, executor.ViaNoPlace},
		{"bwrap", "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.", 1, executor.ViaNoPermission},
		{"bwrap", "bwrap: Creating new namespace failed: Operation not permitted", 1, executor.ViaNoPermission},
		{"bwrap", "bwrap: setting up uid map: Permission denied", 1, executor.ViaNoPermission},
		{"bwrap", "bwrap: execvp /bin/sh: No such file or directory", 1, executor.StartNoShell},
		{"bwrap", "bwrap: execvp server: No such file or directory", 1, executor.StartNotFound},
		{"bwrap", "bwrap: Can't find source path /x: No such file or directory", 1, executor.ViaNoPlace},

		{docker, "", 126, executor.StartNoExec},
		{docker, "", 127, executor.StartNotFound},
		{docker, "", 1, ""},
		{docker, "Traceback (most recent call last):\n  File \"x.py\", line 3", 1, ""},
	} {
		code, text, hint := via.Cause(tc.program, tc.stderr, tc.exit)
		require.Equal(t, tc.code, code, tc.stderr)
		require.Equal(t, code == "", text == "", tc.stderr)
		require.NotContains(t, hint, "PROGRAM", tc.stderr)
	}
}
