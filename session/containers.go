package session

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"
)

// treeWait bounds the wait for the process list.
const treeWait = time.Second

// lookForContainers notes that the server runs containers, judging by its command line
// and by the processes that live when the shutdown begins. A container is a child of its
// engine and may outlive the client that started it.
func (x *shutdown) lookForContainers(ctx context.Context, r *run) {
	engine := engineOf(x.s.cfg.Command.Argv)
	if engine == "" && !r.over() {
		ctx, cancel := context.WithTimeout(ctx, treeWait)
		defer cancel()
		tree, _ := r.proc.Tree(ctx) // if it cannot be listed, the executor says so
		for _, d := range tree {
			if engine == "" {
				engine = engineOf(strings.Fields(d.Command))
			}
		}
	}
	if engine != "" {
		x.addCannotTell("container state: cannot tell (started through " + engine + ")")
	}
}

var (
	engines = []string{"docker", "podman", "nerdctl", "kubectl"}
	// engineVerbs are their commands that run a program in a container.
	engineVerbs = []string{"run", "exec", "start", "attach", "compose"}
	// wrappers are programs that run the command in their arguments.
	wrappers = []string{
		"env", "sudo", "doas", "su", "nice", "ionice", "nohup", "setsid", "stdbuf", "timeout", "time", "exec", "command", "busybox",
		"tini", "dumb-init", "npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish",
	}
)

// engineOf returns the client of a container engine that a command line runs, directly or
// through wrappers, to run something in a container, or "". On Windows the list of
// processes has no arguments: there the name is enough.
func engineOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	name := programName(argv[0])
	if slices.Contains(engines, name) && (len(argv) == 1 || runsContainer(argv[1:])) {
		return name
	}
	if !slices.Contains(wrappers, name) {
		return ""
	}
	var words []string
	for _, arg := range argv[1:] {
		words = append(words, strings.Fields(arg)...) // of sh -c "docker run ..." too
	}
	for i, word := range words {
		if dir := path.Dir(strings.ReplaceAll(word, `\`, "/")); dir != "." && path.Base(dir) != "bin" {
			continue // a directory or file of that name
		}
		if name := programName(word); slices.Contains(engines, name) && runsContainer(words[i+1:]) {
			return name
		}
	}
	return ""
}

// runsContainer reports whether the arguments, up to the next command of a shell, name
// one of engineVerbs.
func runsContainer(args []string) bool {
	for _, arg := range args {
		word := strings.TrimRight(arg, ";&|")
		if slices.Contains(engineVerbs, word) {
			return true
		}
		if word != arg {
			return false
		}
	}
	return false
}

func programName(arg string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(arg, `\`, "/")))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}
