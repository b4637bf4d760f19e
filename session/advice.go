package session

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What to try about the usual trouble. An OpenError and package verdict say the
// same, so it stands here once.
const (
	AdviceHeaders = "MCP wants one message a line, and no headers"
	AdviceNewline = "each message must end with one"
	AdviceStray   = "stdout must carry nothing but JSON-RPC messages: print everything else to stderr"
	AdviceOverrun = "leave out --overrun=drop, and the server waits instead"
	AdviceEcho    = "check the command; a terminal in between echoes too: leave out -t of docker run or kubectl exec, and -tt of ssh"
	AdviceSilent  = "is it a stdio server (some need an argument such as \"stdio\"), and does it flush its output?"
)

// AdviceFlush says what to do about answers that are held in a buffer.
func AdviceFlush(argv []string) string {
	if len(argv) > 0 && strings.HasPrefix(filepath.Base(argv[0]), "python") {
		return "each message must be flushed (python -u, or -e PYTHONUNBUFFERED=1)"
	}
	return "each message must be flushed (if it is Python: -e PYTHONUNBUFFERED=1)"
}

// AdviceCommand says what the exit codes mean that a shell gives when it could
// not run a command; "" for any other one.
func AdviceCommand(code int, remote bool) string {
	if code != 127 && code != 126 {
		return ""
	}
	compare := "compare its PATH with your shell's (--env-policy)"
	if remote {
		compare = "over SSH its PATH is not that of a login there: try --path-from login, or interactive"
	}
	return fmt.Sprintf("exit code %d usually means that a command inside the server's script was not found or not executable: %s", code, compare)
}

// AdviceLauncher speaks of launchers that first fetch what they run; "" for
// another program.
func AdviceLauncher(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	launcher := strings.TrimSuffix(filepath.Base(argv[0]), ".cmd")
	if !slices.Contains([]string{"npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman", "go"}, launcher) {
		return ""
	}
	return fmt.Sprintf("%s may still have been fetching or building: run the command once by hand, or raise --startup-timeout", launcher)
}

// The patterns are compiled when they are needed: most starts succeed.
var (
	variableName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	})
	isMissing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)missing|required|not set|must be set|must set|undefined|unset|please set|not found|no such|KeyError|not defined|provide`)
	})
)

// AdviceVariable looks for the last line of stderr that asks for an environment
// variable. It returns the number of the line, the variable's name, and what to
// do about it; -1 if there is none.
func AdviceVariable(stderr []string, env EnvBody, remote bool) (line int, name, advice string) {
	for i, text := range slices.Backward(stderr) {
		name := variableName().FindString(text)
		if name == "" || !isMissing().MatchString(text) {
			continue
		}
		switch {
		case slices.Contains(env.LeftOut, name):
			advice = fmt.Sprintf("your shell has %s, but --env-policy %s did not pass it: add --env-from %s", name, env.Policy, name)
		case slices.Contains(env.Named, name), slices.Contains(env.Passed, name):
			advice = fmt.Sprintf("the server got %s and complains about it: check its value", name)
		case remote:
			advice = fmt.Sprintf("the server seems to want the environment variable %s, and over SSH only named ones travel: add -e %s=VALUE, or --env-from %s", name, name, name)
		default:
			advice = fmt.Sprintf("the server seems to want the environment variable %s: add -e %s=VALUE", name, name)
		}
		return i, name, advice
	}
	return -1, "", ""
}
