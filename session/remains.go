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
	// noteCannotTell is the code of notes about what an ending may have left.
	noteCannotTell = "end.cannot-tell"
	// maxSpared is how many processes that were left running are kept.
	maxSpared = 100
	// treeWait is how long the shutdown sequence waits for the list of processes
	// among which it looks for clients of container engines.
	treeWait = time.Second
)

// remains logs and keeps what is known, and not known, of what an ending left.
func (s *Session) remains(rep executor.StopReport) {
	if len(rep.Spared) > 0 {
		spared := s.conceal(rep.Spared)
		s.mu.Lock()
		var news []executor.Descendant
		for _, d := range spared {
			if !holds(s.spared, d) && len(s.spared) < maxSpared {
				s.spared, news = append(s.spared, d), append(news, d)
			}
		}
		s.mu.Unlock()
		if len(news) > 0 {
			s.append(NewEntry(KindProc, 0, ProcBody{Spared: true, Tree: procInfos(news)}))
		}
	}
	for _, reason := range rep.CannotTell {
		if reason == executor.ContainersUnknown {
			s.cannot(reason)
			continue
		}
		s.cannot("leaked processes: cannot tell (" + reason + ")")
	}
}

// cannot logs and keeps something that an ending cannot tell, unless that is known,
// if only in other words.
func (s *Session) cannot(text string) {
	s.mu.Lock()
	known := slices.ContainsFunc(s.cannotTell, func(told string) bool { return strings.HasPrefix(told, text) })
	if !known {
		s.cannotTell = append(s.cannotTell, text)
	}
	s.mu.Unlock()
	if !known {
		s.append(NewEntry(KindNote, 0, NoteBody{Text: text, Code: noteCannotTell}))
	}
}

// lookForContainers notes that the server runs containers, by its command line, or
// on a host by the processes that it has started (on this machine the executor
// looks at those): a container is a child of its engine, and may outlive the client
// that started it.
func (s *Session) lookForContainers(ctx context.Context, r *run) {
	engine := engineOf(s.cfg.Command.Argv)
	if engine == "" && r.info().Link != nil && !r.hasExited() && r.lost() == nil {
		ctx, cancel := context.WithTimeout(ctx, treeWait)
		defer cancel()
		tree, _ := r.proc.Tree(ctx) // where it cannot be listed, the executor says so
		for _, d := range tree {
			if engine == "" {
				engine = engineOf(strings.Fields(d.Command))
			}
		}
	}
	if engine != "" {
		s.cannot(executor.ContainersUnknown + " (started through " + engine + ")")
	}
}

// wrappers are programs that run the command in their arguments.
var wrappers = []string{
	"env", "sudo", "doas", "nice", "ionice", "nohup", "setsid", "stdbuf", "timeout", "time", "exec", "command",
	"npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx", "sh", "bash", "zsh", "dash", "ash", "fish",
}

// engineOf returns the client of a container engine that a command line runs,
// also behind wrappers; "" for another program.
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

// programName is the base name of a program, on whatever system it is.
func programName(arg string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(arg, `\`, "/")))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}
