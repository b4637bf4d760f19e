package session

import (
	"context"
	"strings"
	"time"

	"mcpdbg/session/via"
)

// treeWait bounds the wait for the process list.
const treeWait = time.Second

// lookForContainers notes that the server runs containers, judging by its command line
// and by the processes that live when the shutdown begins. A container is a child of its
// engine and may outlive the client that started it.
func (x *shutdown) lookForContainers(ctx context.Context, r *run) {
	engine := ""
	if r.proc.Info().Via == "" { // else the executor reports what it cannot tell
		engine = via.EngineOf(x.s.cfg.Command.Argv)
	}
	if engine == "" && !r.over() {
		ctx, cancel := context.WithTimeout(ctx, treeWait)
		defer cancel()
		tree, _ := r.proc.Tree(ctx) // if it cannot be listed, the executor says so
		for _, d := range tree {
			if engine == "" {
				engine = via.EngineOf(strings.Fields(d.Command))
			}
		}
	}
	if engine != "" {
		x.addCannotTell("container state: cannot tell (started through " + engine + ")")
	}
}
