package session

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcpdbg/session/executor"
)

// hints says what to try about a session that could not be opened, likeliest
// first.
func hints(s *Session, r *run, e *OpenError, ev evidence) []string {
	info := r.proc.Info()
	var found []string
	for _, hint := range []string{
		hintNotFound(e, info),
		hintVariable(e, info),
		hintBuffered(s, e, ev),
		hintNewline(e),
		hintHeaders(e),
		hintStray(e),
		hintCold(s, e, ev),
		hintSilent(e, ev),
	} {
		if hint != "" {
			found = append(found, hint)
		}
	}
	return found
}

func hintNotFound(e *OpenError, info executor.Info) string {
	if e.Exit == nil || e.Exit.Kind != executor.ExitCode || e.Exit.Code != 127 && e.Exit.Code != 126 {
		return ""
	}
	compare := "compare its PATH with your shell's (--env-policy)"
	if info.Link != nil {
		compare = "over SSH its PATH is not that of a login there: try --path-from login, or interactive"
	}
	return fmt.Sprintf("exit code %d usually means that a command inside the server's script was not found or not executable: %s", e.Exit.Code, compare)
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

// hintVariable looks for a line on stderr that asks for an environment
// variable.
func hintVariable(e *OpenError, info executor.Info) string {
	env := info.Env
	if e.Reason != ReasonExited {
		return ""
	}
	for _, line := range slices.Backward(e.Stderr) {
		name := variableName().FindString(line)
		if name == "" || !isMissing().MatchString(line) {
			continue
		}
		switch {
		case slices.Contains(env.LeftOut, name):
			return fmt.Sprintf("your shell has %s, but --env-policy %s did not pass it: add --env-from %s", name, env.Policy, name)
		case slices.Contains(env.Named, name), slices.Contains(env.Passed, name):
			return fmt.Sprintf("the server got %s and complains about it: check its value", name)
		case info.Link != nil:
			return fmt.Sprintf("the server seems to want the environment variable %s, and over SSH only named ones travel: add -e %s=VALUE, or --env-from %s", name, name, name)
		default:
			return fmt.Sprintf("the server seems to want the environment variable %s: add -e %s=VALUE", name, name)
		}
	}
	return ""
}

func hintBuffered(s *Session, e *OpenError, ev evidence) string {
	if !ev.buffered {
		return ""
	}
	hint := "its answers came only when stdin was closed: its stdout is block-buffered, and each message must be flushed"
	if isPython(s.cfg.Command.Argv) {
		hint += " (python -u, or -e PYTHONUNBUFFERED=1)"
	}
	return hint
}

func hintNewline(e *OpenError) string {
	if e.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes on stdout wait for a newline: each message must end with one", e.Waiting)
}

// hintHeaders speaks of messages framed as the language server protocol does.
func hintHeaders(e *OpenError) string {
	for _, line := range e.Stray {
		if strings.HasPrefix(line, "Content-Length:") {
			return "it frames messages with Content-Length headers, as language servers do: MCP wants one message a line, and no headers"
		}
	}
	return ""
}

func hintStray(e *OpenError) string {
	if len(e.Stray) == 0 {
		return ""
	}
	return "stdout must carry nothing but JSON-RPC messages: print everything else to stderr"
}

// hintCold speaks of launchers that first fetch what they run.
func hintCold(s *Session, e *OpenError, ev evidence) string {
	if e.Reason != ReasonTimeout || !ev.silent || len(s.cfg.Command.Argv) == 0 {
		return ""
	}
	launcher := strings.TrimSuffix(filepath.Base(s.cfg.Command.Argv[0]), ".cmd")
	if !slices.Contains([]string{"npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman", "go"}, launcher) {
		return ""
	}
	return fmt.Sprintf("%s may still have been fetching or building: run the command once by hand, or raise --startup-timeout", launcher)
}

func hintSilent(e *OpenError, ev evidence) string {
	if e.Reason != ReasonTimeout || !ev.silent || ev.buffered || len(e.Stray) > 0 || e.Waiting > 0 {
		return ""
	}
	return "it wrote nothing to stdout: is it a stdio server (some need an argument such as \"stdio\"), and does it flush its output?"
}

func isPython(argv []string) bool {
	return len(argv) > 0 && strings.HasPrefix(filepath.Base(argv[0]), "python")
}
