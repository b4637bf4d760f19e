package session

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

const (
	// NoteCannotTell is the code of notes about processes that may have leaked
	// without a trace.
	NoteCannotTell = "end.cannot-tell"
	// maxSpared is the maximum number of spared processes that are remembered.
	maxSpared = 100
	// treeWait is how long the shutdown sequence waits for the process list in
	// which it looks for clients of container engines.
	treeWait = time.Second
)

// recordRemains logs and remembers what a shutdown spared and what it cannot tell.
func (s *Session) recordRemains(rep executor.StopReport) {
	if len(rep.Spared) > 0 {
		spared := s.conceal(rep.Spared)
		s.mu.Lock()
		var added []executor.Descendant
		for _, d := range spared {
			if !holds(s.spared, d) && len(s.spared) < maxSpared {
				s.spared, added = append(s.spared, d), append(added, d)
			}
		}
		s.mu.Unlock()
		if len(added) > 0 {
			s.append(NewEntry(KindProc, 0, ProcBody{Spared: true, Tree: procInfos(added)}))
		}
	}
	for _, reason := range rep.CannotTell {
		if reason == executor.ContainersUnknown {
			s.addCannotTell(reason)
			continue
		}
		s.addCannotTell("leaked processes: cannot tell (" + reason + ")")
	}
}

// addCannotTell logs and remembers something that a shutdown cannot tell, unless a
// known text begins with it.
func (s *Session) addCannotTell(text string) {
	s.mu.Lock()
	known := slices.ContainsFunc(s.cannotTell, func(told string) bool { return strings.HasPrefix(told, text) })
	if !known {
		s.cannotTell = append(s.cannotTell, text)
	}
	s.mu.Unlock()
	if !known {
		s.append(NewEntry(KindNote, 0, NoteBody{Text: text, Code: NoteCannotTell}))
	}
}

// lookForContainers notes that the server runs containers, judging by its
// command line or, on a host, by its processes (on this machine the executor
// checks those): a container is a child of its engine and may outlive the
// client that started it.
func (s *Session) lookForContainers(ctx context.Context, r *run) {
	engine := engineOf(s.cfg.Command.Argv)
	if engine == "" && r.info().Link != nil && !r.hasExited() && r.lost() == nil {
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
		s.addCannotTell(executor.ContainersUnknown + " (started through " + engine + ")")
	}
}

// wrappers are programs that run the command in their arguments.
var wrappers = []string{
	"env", "sudo", "doas", "nice", "ionice", "nohup", "setsid", "stdbuf", "timeout", "time", "exec", "command",
	"npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "sh", "bash", "zsh", "dash", "ash", "fish",
}

// engineOf returns the client of a container engine that a command line runs,
// directly or through wrappers; "" for any other program.
func engineOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	name := programName(argv[0])
	switch {
	case executor.ContainerClient(name):
		return name
	case !slices.Contains(wrappers, name):
		return ""
	}
	for _, arg := range argv[1:] {
		for _, word := range strings.Fields(arg) { // of sh -c "docker run ..." too
			if dir := path.Dir(strings.ReplaceAll(word, `\`, "/")); dir != "." && path.Base(dir) != "bin" {
				continue // a directory or file of that name
			}
			if name := programName(word); executor.ContainerClient(name) {
				return name
			}
		}
	}
	return ""
}

// programName returns the base name of a program on any system.
func programName(arg string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(arg, `\`, "/")))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}
