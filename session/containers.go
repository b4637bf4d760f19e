package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/via"
)

// treeWait bounds the wait for the process list.
const treeWait = time.Second

// A foundClient is the client of a container engine among the processes of a server.
type foundClient struct {
	via.Client
	pid int // 0 if unknown
}

// lookForContainers notes that the server runs containers, judging by its command line
// and by the processes that live when the shutdown begins. A container is a child of its
// engine and may outlive the client that started it.
func (x *shutdown) lookForContainers(ctx context.Context, r *run) {
	info := r.proc.Info()
	var tree []executor.Descendant
	leader := 0
	if !r.over() {
		ctx, cancel := context.WithTimeout(ctx, treeWait)
		defer cancel()
		tree, _ = r.proc.Tree(ctx) // if it cannot be listed, the executor says so
		leader = info.PID
	}
	found := clientsIn(x.s.conceal(tree), info.Via != "", leader)
	if len(found) == 0 && info.Via == "" { // else the executor reports what it cannot tell
		if c, ok := via.ClientOf(x.s.cfg.Command.Argv); ok {
			found = []foundClient{{c, leader}}
		}
	}
	for _, c := range found[:min(len(found), maxNamed)] {
		pid := ""
		if c.pid != 0 {
			pid = fmt.Sprintf("pid %d", c.pid)
		}
		text := "container state: cannot tell (started through " + wording.Join(", ", c.Where, pid) + ")"
		x.addCannotTell(wording.Join(": ", text, c.Help))
	}
	if more := len(found) - maxNamed; more > 0 {
		x.addCannotTell("container state: cannot tell (started through " + wording.Plural(more, "other client") + ")")
	}
}

// clientsIn returns the clients in a tree, each once: not also the processes that run it
// for the server, such as a shell or sudo. A leader that is the executor's own, and does
// its work, is omitted.
func clientsIn(tree []executor.Descendant, own bool, leader int) (found []foundClient) {
	omitted, direct := "", false
	var all []foundClient
	for _, d := range tree {
		c, ok := via.ClientInList(d.Command)
		switch {
		case !ok:
		case own && d.PID == leader:
			omitted = c.Where
		case c.Where != omitted:
			all = append(all, foundClient{c, d.PID})
			direct = direct || c.Direct
		}
	}
	for _, c := range all {
		again := func(other foundClient) bool { return other.Where == c.Where }
		closer := func(other foundClient) bool { return strings.HasPrefix(other.Where, c.Where+" ") }
		if (c.Direct || !direct) && !slices.ContainsFunc(found, again) && !slices.ContainsFunc(all, closer) {
			found = append(found, c)
		}
	}
	return found
}
