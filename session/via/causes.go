package via

import (
	"slices"
	"strings"

	"mcpdbg/session/executor"
)

// A cause is a failure of a prefix that is known by what the program prints.
type cause struct {
	said string // all parts between … are in the output, in this order; in lower case
	code executor.StartCode
	text string
	hint string // PROGRAM is the name of the program
}

const (
	hintList     = "PROGRAM ps -a lists the containers"
	hintPods     = "kubectl get pods -A lists the pods; -n NAMESPACE before or after exec selects a namespace"
	hintPod      = "kubectl describe pod NAME shows its state"
	hintSocket   = "add your user to the group of the engine's socket, or use sudo -n PROGRAM"
	hintTTY      = "remove -t: a terminal changes the bytes of the protocol; -i is enough"
	hintSudo     = "allow it without a password (NOPASSWD in sudoers), with PROGRAM -n in the prefix"
	hintUserns   = "unprivileged user namespaces are switched off here: use sudo -n, or ask the owner of the machine"
	hintProgram  = "give the path that the program has inside"
	textProgram  = "the program was not found inside"
	textNoShell  = "there is no shell inside"
	hintNoShell  = "--via-plain starts the server without one"
	textSocket   = "no permission to use the engine's socket"
	textDaemon   = "the engine's daemon does not answer"
	textCluster  = "the cluster does not answer"
	textNotRoot  = "no permission to enter the place"
	hintRoot     = "only root may do that: use sudo -n PROGRAM"
	textRunning  = "the container is not running"
	textNoObject = "no such container"
)

// causes by what is printed, the more special ones first. The texts are of docker 28,
// docker compose 2, podman 5, nerdctl 2, kubectl 1.32, sudo 1.9, sudo-rs 0.2, OpenDoas 6,
// coreutils 9, busybox 1.37, util-linux 2.41 and bubblewrap 0.11, and older ones of some;
// causes_test.go has each as it is printed.
var causes = []cause{
	// Inside: the shell, the program, the folder.
	{"exec: \"/bin/sh\": …no such file", executor.StartNoShell, textNoShell, hintNoShell},
	{"exec: \"/bin/sh\": …not found", executor.StartNoShell, textNoShell, hintNoShell},
	{"executable file `/bin/sh` not found", executor.StartNoShell, textNoShell, hintNoShell},
	{"open `/bin/sh`: no such file", executor.StartNoShell, textNoShell, hintNoShell},
	{"/bin/sh…: no such file", executor.StartNoShell, textNoShell, hintNoShell},
	{"/bin/sh: command not found", executor.StartNoShell, textNoShell, hintNoShell},
	{"chdir to cwd…no such file", executor.StartNoDir, "the working directory does not exist inside", "-C DIR must be a folder inside"},
	{"crun: chdir…no such file", executor.StartNoDir, "the working directory does not exist inside", "-C DIR must be a folder inside"},
	{"chdir to cwd…permission denied", executor.StartNoDir, "the working directory cannot be read inside", "-C DIR must be a folder that the user inside may read"},
	{"exec: …executable file not found", executor.StartNotFound, textProgram, hintProgram},
	{"exec: …no such file or directory", executor.StartNotFound, textProgram, hintProgram},
	{"executable file `…not found in $path", executor.StartNotFound, textProgram, hintProgram},
	{"failed to run command …: no such file", executor.StartNotFound, textProgram, hintProgram},
	{"failed to execute …: no such file", executor.StartNotFound, textProgram, hintProgram},
	{"can't execute '…: no such file", executor.StartNotFound, textProgram, hintProgram},
	{"execvp …: no such file", executor.StartNotFound, textProgram, hintProgram},
	{": command not found", executor.StartNotFound, textProgram, hintProgram},
	{"exec: …permission denied", executor.StartNoExec, "the program cannot be executed inside", "chmod +x it there"},
	{"crun: open executable: permission denied", executor.StartNoExec, "the program cannot be executed inside", "chmod +x it there"},
	{"failed to run command …: permission denied", executor.StartNoExec, "the program cannot be executed inside", "chmod +x it there"},
	{"failed to execute …: permission denied", executor.StartNoExec, "the program cannot be executed inside", "chmod +x it there"},
	{"exec format error", executor.StartNoExec, "the program is for another kind of machine", "use an image of this platform: --platform"},

	// A terminal.
	{"input device is not a tty", executor.ViaTTY, "a terminal was asked for", hintTTY},
	{"cannot attach stdin to a tty-enabled container", executor.ViaTTY, "a terminal was asked for", hintTTY},
	{"unable to use a tty", executor.ViaTTY, "a terminal was asked for", hintTTY},
	{"provided file is not a console", executor.ViaTTY, "a terminal was asked for", hintTTY},
	{"must have a tty to run sudo", executor.ViaTTY, "sudo runs only from a terminal here", "remove requiretty from sudoers"},

	// Engines: socket and daemon first, since nothing else is known then.
	{"permission denied while trying to connect to the docker", executor.ViaNoPermission, textSocket, hintSocket},
	{"unable to connect to podman…permission denied", executor.ViaNoPermission, textSocket, hintSocket},
	{"cannot access containerd socket…permission denied", executor.ViaNoPermission, textSocket, hintSocket},
	{"cannot connect to the docker daemon", executor.ViaNoDaemon, textDaemon, "start it, or select another one with -H or --context"},
	{"failed to connect to the docker api", executor.ViaNoDaemon, textDaemon, "start it, or select another one with -H or --context"},
	{"error during connect", executor.ViaNoDaemon, textDaemon, "start it, or select another one with -H or --context"},
	{"context not found: open", executor.ViaNoDaemon, "the engine's context does not exist", "PROGRAM context ls lists them"},
	{"unable to connect to podman", executor.ViaNoDaemon, textDaemon, "start its socket, or the machine: podman machine start"},
	{"cannot connect to podman", executor.ViaNoDaemon, textDaemon, "start its socket, or the machine: podman machine start"},
	{"cannot access containerd socket", executor.ViaNoDaemon, textDaemon, "start containerd, or give its --address"},
	{"rootless containerd not running", executor.ViaNoDaemon, textDaemon, "containerd-rootless-setuptool.sh install, or use sudo -n PROGRAM"},
	{"container…is paused", executor.ViaNotRunning, "the container is paused", "PROGRAM unpause NAME"},
	{"container…is restarting", executor.ViaNotRunning, "the container restarts again and again", "PROGRAM logs NAME shows why"},
	{"service \"…is not running", executor.ViaNotRunning, "the service is not running", "PROGRAM compose up -d NAME"},
	{"container …is not running", executor.ViaNotRunning, textRunning, "PROGRAM start NAME"},
	{"container state improper", executor.ViaNotRunning, textRunning, "PROGRAM start NAME"},
	{"cannot exec in a stopped", executor.ViaNotRunning, textRunning, "PROGRAM start NAME"},
	{"no running task found", executor.ViaNotRunning, textRunning, "PROGRAM start NAME"},
	{"no such service", executor.ViaNoContainer, "no such service", "PROGRAM compose config --services lists them"},
	{"no configuration file provided", executor.ViaNoContainer, "no compose file", "name it with -f, or start in its folder"},
	{"no such container", executor.ViaNoContainer, textNoObject, hintList},
	{"pull access denied", executor.ViaNoImage, "the image was not found", "PROGRAM pull IMAGE, after PROGRAM login if it is private"},
	{"manifest unknown", executor.ViaNoImage, "the image was not found", "check its tag"},
	{"manifest for …not found", executor.ViaNoImage, "the image was not found", "check its tag"},
	{"no such image", executor.ViaNoImage, "the image was not found", "PROGRAM pull IMAGE"},
	{"invalid reference format", executor.ViaNoImage, "the name of the image is invalid", "it must be in lower case, such as ghcr.io/owner/name:tag"},
	{"did not resolve to an alias", executor.ViaNoImage, "the image was not found", "give its whole name, such as docker.io/library/NAME"},
	{"initializing source …denied", executor.ViaNoImage, "the image was not found", "PROGRAM pull IMAGE, after PROGRAM login if it is private"},
	{"failed to resolve reference", executor.ViaNoImage, "the image was not found", "PROGRAM pull IMAGE, after PROGRAM login if it is private"},

	// Clusters.
	{"current phase is", executor.ViaNotRunning, "the pod has ended", hintPod},
	{"container not found (\"", executor.ViaNotRunning, textRunning, hintPod},
	{"does not have a host assigned", executor.ViaNotRunning, "the pod waits for a node", hintPod},
	{"timed out waiting for the condition", executor.ViaNotRunning, "none of its pods runs", "kubectl get pods shows them"},
	{"a container name must be specified", executor.ViaSeveral, "the pod has several containers", "name one of them: -c CONTAINER"},
	{"container …is not valid for pod", executor.ViaNoContainer, "the pod has no such container", "kubectl get pod NAME -o jsonpath='{.spec.containers[*].name}' lists them"},
	{"container …not found in pod", executor.ViaNoContainer, "the pod has no such container", "kubectl get pod NAME -o jsonpath='{.spec.containers[*].name}' lists them"},
	{"pod does not exist", executor.ViaNoContainer, "no such pod", hintPods},
	{"(notfound): namespaces", executor.ViaNoContainer, "no such namespace", "kubectl get namespaces lists them"},
	{"(notfound): pods", executor.ViaNoContainer, "no such pod", hintPods},
	{"(notfound): ", executor.ViaNoContainer, "no such object in the cluster", hintPods},
	{"the server doesn't have a resource type", executor.ViaNoContainer, "no such kind of object in the cluster", "deploy/NAME, svc/NAME and the name of a pod are possible"},
	{"(forbidden): ", executor.ViaNoPermission, "the cluster does not permit that", "ask for the permission to list pods and to create pods/exec in this namespace"},
	{"(unauthorized)", executor.ViaNoPermission, "the cluster refused the login", "log in again, or select another context with --context"},
	{"you must be logged in to the server", executor.ViaNoPermission, "the cluster refused the login", "log in again, or select another context with --context"},
	{"context was not found", executor.ViaNoCluster, "no such context", "kubectl config get-contexts lists them"},
	{"error: context …does not exist", executor.ViaNoCluster, "no such context", "kubectl config get-contexts lists them"},
	{"was refused - did you specify the right host", executor.ViaNoCluster, textCluster, "select one with --context or KUBECONFIG: kubectl config get-contexts lists them"},
	{"unable to connect to the server", executor.ViaNoCluster, textCluster, "check the network and --context: kubectl cluster-info"},
	{"exec [pod] [command] is not supported anymore", executor.ViaInvalid, "kubectl needs -- before the command", "end the prefix with --"},

	// Other users.
	{"password is required", executor.ViaPassword, "a password is required", hintSudo},
	{"to read the password", executor.ViaPassword, "a password is required", hintSudo},
	{"no askpass program", executor.ViaPassword, "a password is required", hintSudo},
	{"authentication is required", executor.ViaPassword, "a password is required", hintSudo},
	{"authentication required", executor.ViaPassword, "a password is required", "add nopass to its rule in doas.conf, with doas -n in the prefix"},
	{"a tty is required", executor.ViaPassword, "a password is required", "add nopass to its rule in doas.conf, with doas -n in the prefix"},
	{"is not in the sudoers file", executor.ViaNoPermission, "sudo does not permit that", "sudo -n -l lists what it permits"},
	{"is not allowed to execute", executor.ViaNoPermission, "sudo does not permit that", "sudo -n -l lists what it permits"},
	{"may not run sudo", executor.ViaNoPermission, "sudo does not permit that", "sudo -n -l lists what it permits"},
	{"i'm sorry …i'm afraid i can't do that", executor.ViaNoPermission, "sudo does not permit that", "sudo -n -l lists what it permits"},
	{"no new privileges", executor.ViaNoPermission, "sudo cannot work in this sandbox", "start mcpdbg outside it"},
	{"doas: operation not permitted", executor.ViaNoPermission, "doas does not permit that", "add a rule to doas.conf"},
	{"unknown user", executor.ViaNoPlace, "no such user", "id NAME"},
	{"user …not found", executor.ViaNoPlace, "no such user", "id NAME"},
	{"user …does not exist", executor.ViaNoPlace, "no such user", "id NAME"},
	{"failed to parse reuid", executor.ViaNoPlace, "no such user", "id NAME"},

	// Folders and namespaces.
	{"root directory to …no such file", executor.ViaNoPlace, "no such folder", "it must be a folder with a whole system"},
	{"root directory to …not permitted", executor.ViaNoPermission, textNotRoot, hintRoot},
	{"cannot open /proc/…no such file", executor.ViaNoPlace, "no such process", "pidof NAME finds its number"},
	{"cannot open /proc/…permission denied", executor.ViaNoPermission, textNotRoot, hintRoot},
	{"reassociate to namespace…failed", executor.ViaNoPermission, textNotRoot, hintRoot},
	{"unshare failed: operation not permitted", executor.ViaNoPermission, textNotRoot, "unshare -r as a user, or sudo -n PROGRAM"},
	{"write failed /proc/self/uid_map", executor.ViaNoPermission, textNotRoot, hintUserns},
	{"no permissions to creat", executor.ViaNoPermission, textNotRoot, hintUserns},
	{"creating new namespace failed", executor.ViaNoPermission, textNotRoot, hintUserns},
	{"setting up uid map: permission denied", executor.ViaNoPermission, textNotRoot, hintUserns},
	{"loopback: failed rtm_newaddr", executor.ViaNoPermission, textNotRoot, hintUserns},
	{"can't find source path", executor.ViaNoPlace, "no such folder", "the paths of --bind must exist"},

	// Usage.
	{"unknown flag", executor.ViaInvalid, "unknown option", "PROGRAM --help"},
	{"unknown shorthand flag", executor.ViaInvalid, "unknown option", "PROGRAM --help"},
	{"unrecognized option", executor.ViaInvalid, "unknown option", "PROGRAM --help"},
	{"unknown option", executor.ViaInvalid, "unknown option", "PROGRAM --help"},
	{"invalid option", executor.ViaInvalid, "unknown option", "PROGRAM --help"},
	{"unknown command", executor.ViaInvalid, "unknown command", "PROGRAM --help"},
}

// Cause returns why a prefix with this program did not start the command, by what it
// printed, which is untrusted, and its exit code. The code is "" if that is unknown. It
// is StartNoShell if a shell was to be started and there is none.
func Cause(program, stderr string, exit int) (code executor.StartCode, text, hint string) {
	said := strings.ToLower(stderr)
	i := slices.IndexFunc(causes, func(c cause) bool { return printed(said, c.said) })
	switch {
	case i >= 0:
		c := &causes[i]
		return c.code, c.text, strings.ReplaceAll(c.hint, "PROGRAM", program)
	case exit == 127:
		return executor.StartNotFound, textProgram, hintProgram
	case exit == 126:
		return executor.StartNoExec, "the program cannot be executed inside", "chmod +x it there"
	}
	return "", "", ""
}

// printed reports whether a line has all parts of a pattern in their order.
func printed(said, pattern string) bool {
	for line := range strings.Lines(said) {
		found := true
		for part := range strings.SplitSeq(pattern, "…") {
			at := strings.Index(line, part)
			if found = found && at >= 0; !found {
				break
			}
			line = line[at+len(part):]
		}
		if found {
			return true
		}
	}
	return false
}
