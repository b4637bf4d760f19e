package diagnosis

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcpdbg/session/executor"
)

// Advice about common problems.
const (
	AdviceHeaders = "MCP requires one message per line and no headers"
	AdviceNewline = "each message must end with one"
	AdviceStray   = "stdout must carry nothing but JSON-RPC messages: print everything else to stderr"
	AdviceOverrun = "omit --overrun=drop to make the server wait instead"
	AdviceEcho    = "check the command; a terminal in between echoes too: omit -t of docker run or kubectl exec, and -tt of ssh"
	AdviceSilent  = "is it a stdio server (some need an argument such as \"stdio\"), and does it flush its output?"
)

// AdviceFlush returns what to do about responses that stay in a buffer.
func AdviceFlush(argv []string) string {
	if len(argv) > 0 && strings.HasPrefix(filepath.Base(argv[0]), "python") {
		return "each message must be flushed (python -u, or -e PYTHONUNBUFFERED=1)"
	}
	return "each message must be flushed (if it is Python: -e PYTHONUNBUFFERED=1)"
}

// AdviceCommand explains the exit codes that a shell returns when it cannot run
// a command; "" for any other code.
func AdviceCommand(code int, remote bool) string {
	if code != 127 && code != 126 {
		return ""
	}
	compare := "compare its PATH with your shell's (--env-policy)"
	if remote {
		compare = "over SSH it has the PATH of a shell that is neither a login shell nor interactive: try --path-from login, or --path-from interactive for what .bashrc adds (nvm)"
	}
	return fmt.Sprintf("exit code %d usually means that a command inside the server's script was not found or not executable: %s", code, compare)
}

// Launcher returns the name of a launcher that first fetches the program that it
// runs; "" for any other program.
func Launcher(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	launcher := strings.TrimSuffix(filepath.Base(argv[0]), ".cmd")
	if !slices.Contains([]string{"npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman", "go"}, launcher) {
		return ""
	}
	return launcher
}

// AdviceLauncher returns advice for launchers that first fetch the program that
// they run; "" for any other program.
func AdviceLauncher(argv []string) string {
	launcher := Launcher(argv)
	if launcher == "" {
		return ""
	}
	return fmt.Sprintf("perhaps %s was still fetching or building: run the command once by hand, or raise --startup-timeout", launcher)
}

// The patterns are compiled on first use: most starts succeed.
var (
	variableName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	})
	isMissing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)missing|required|not set|must be set|must set|undefined|unset|please set|not found|no such|KeyError|not defined|provide`)
	})
)

var missingModules = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Cannot find (?:module|package) |cannot load such file|ERR_MODULE_NOT_FOUND`)
})

// A knownFailure is a message of a program that starts servers.
type knownFailure struct {
	line   *regexp.Regexp
	advice string
}

var knownFailures = sync.OnceValue(func() []knownFailure {
	return []knownFailure{
		{regexp.MustCompile(`sudo(?:-rs)?: .*(?:a terminal is required|a password is required|no tty present|you must have a tty|interactive authentication is required)`),
			"sudo has no terminal to ask for a password: allow the command in sudoers with NOPASSWD, and start it with sudo -n"},
		{regexp.MustCompile(`(?i)cannot connect to the docker daemon|error during connect: .*docker|failed to connect to the docker api`),
			"start the docker daemon, or check DOCKER_HOST and docker context ls"},
		{regexp.MustCompile(`(?i)permission denied while trying to connect to the docker`),
			"this user may not use the docker daemon: add it to the group docker, or use sudo -n"},
		{regexp.MustCompile(`(?i)cannot connect to podman|unable to connect to podman socket`),
			"start podman with podman machine start, or check CONTAINER_HOST"},
		{regexp.MustCompile(`(?i)the connection to the server \S+ was refused|unable to connect to the server: |couldn't get current server API group list`),
			"kubectl reaches no cluster: check kubectl config current-context and KUBECONFIG"},
		{regexp.MustCompile(`(?i)too many open files|\bEMFILE\b`),
			"raise the limit of open files: ulimit -n shows it"},
	}
})

// AdviceLine returns what to do about a line of stderr, "" if it has no well-known
// meaning.
func AdviceLine(line string) string {
	switch {
	case strings.Contains(line, "No module named "):
		return "install the module in the Python environment that runs the server, or start the server with uv run"
	case missingModules().MatchString(line):
		return "install the dependencies of the server, and check the path and the directory that it is started in"
	case strings.Contains(line, "EADDRINUSE"), strings.Contains(strings.ToLower(line), "address already in use"):
		return "a stdio server needs no port: start it in its stdio mode, or stop the program that uses the port"
	}
	for _, known := range knownFailures() {
		if known.line.MatchString(line) {
			return known.advice
		}
	}
	return ""
}

var searchPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bPATH=.*?(; |$)`) })

// WithoutPath returns a hint without the value of PATH, which may fill a screen.
func WithoutPath(hint string) string { return searchPath().ReplaceAllString(hint, "PATH$1") }

// Environ names the environment variables of a process, by how it got them.
type Environ struct {
	Policy  string   // of --env-policy
	Named   []string // set by name
	Passed  []string
	Omitted []string // set in the shell, but not passed
}

// AdviceVariable finds the last line of stderr that mentions a missing
// environment variable. It returns the index of the line, the variable's name,
// and what to do about it; -1 if there is no such line.
func AdviceVariable(stderr []string, env Environ, remote bool) (line int, name, advice string) {
	for i, text := range slices.Backward(stderr) {
		name := variableName().FindString(text)
		if name == "" || !isMissing().MatchString(text) {
			continue
		}
		switch {
		case slices.Contains(env.Omitted, name):
			advice = fmt.Sprintf("your shell has %s, but --env-policy %s did not pass it: add --env-from %s", name, env.Policy, name)
		case slices.Contains(env.Named, name), slices.Contains(env.Passed, name):
			advice = fmt.Sprintf("the server got %s and complains about it: check its value", name)
		case remote:
			advice = fmt.Sprintf("the server seems to need the environment variable %s, and SSH passes only named variables: add -e %s=VALUE, or --env-from %s", name, name, name)
		default:
			advice = fmt.Sprintf("the server seems to need the environment variable %s: add -e %s=VALUE", name, name)
		}
		return i, name, advice
	}
	return -1, "", ""
}

// AdviceEnd returns what may have ended a process, or what to try; "" if that
// is obvious.
func AdviceEnd(exit executor.Exit) string {
	switch exit.By {
	case executor.EndedBySignal:
		if exit.Signal == executor.StepKill.String() {
			return "the kernel's OOM killer sends KILL when memory runs out: check the kernel log (dmesg)"
		}
		return "another program, or a person, may have sent it"
	case executor.EndedByLease:
		return "restart it; raise --ssh-lease to give a paused or disconnected mcpdbg more time"
	case executor.EndedByGuard:
		return "restart it"
	case executor.EndedByWatchdog:
		return "the watchdog (mcp-watchdog) must run as long as its server"
	}
	return ""
}
