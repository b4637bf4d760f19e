package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

type taskFlags struct {
	asTask, noWait bool
	ttl            time.Duration
}

func (f *taskFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.asTask, "task", false, "call the tool as a task, also if it does not require that")
	cmd.Flags().DurationVar(&f.ttl, "ttl", 0, "with --task: ask the server to keep the task for `DURATION` (revision 2025-11-25)")
	cmd.Flags().BoolVar(&f.noWait, "no-wait", false, "refused: a task lives only as long as its server, which call ends")
}

// The flags must fit the request.
func (f *taskFlags) check(method string) error {
	switch {
	case f.noWait:
		return console.WithHint(console.Usagef("--no-wait: call ends the server, and its tasks with it"),
			"--timeout to limit the wait, or mcpdbg run --in - -- COMMAND to keep the server running")
	case f.ttl < 0:
		return console.Usagef("--ttl: %v is negative", f.ttl)
	case f.ttl > 0 && !f.asTask:
		return console.Usagef("--ttl requires --task")
	case f.asTask && method != mcp.MethodToolsCall:
		return console.Usagef("--task: only calls of tools can be tasks, not %s", method)
	}
	return nil
}

// params requests a task if the tool requires one or the flags do. Since revision
// 2026-07-28 the server decides.
func (f *taskFlags) params(ctx context.Context, s *session.Session, method string, params json.RawMessage) (json.RawMessage, error) {
	if method != mcp.MethodToolsCall {
		return params, nil
	}
	server := s.Status().Server
	switch runs := server.RunsTasks(); {
	case f.asTask && !runs:
		return nil, console.WithHint(console.Usagef("--task: the server does not run calls of tools as tasks"), "omit it")
	case f.ttl > 0 && server.Era == mcp.Modern:
		return nil, console.WithHint(console.Usagef("--ttl: in revision %s the server decides how long it keeps a task", server.Protocol), "omit it")
	case !runs || server.Era == mcp.Modern || !f.asTask && !requiresTask(ctx, s, params):
		return params, nil
	}
	return session.AsTask(params, f.ttl)
}

// requiresTask lists the tools; if it cannot, the call itself shows what is wrong.
func requiresTask(ctx context.Context, s *session.Session, params json.RawMessage) bool {
	var call struct {
		Name string          `json:"name"`
		Task json.RawMessage `json:"task"`
	}
	if json.Unmarshal(params, &call) != nil || call.Task != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, toolsLimit)
	defer cancel()
	list, _ := mcp.ListOf(mcp.MethodToolsList)
	items, err := s.ListAll(ctx, list)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(items, func(item json.RawMessage) bool {
		var tool struct {
			Name string `json:"name"`
		}
		return json.Unmarshal(item, &tool) == nil && tool.Name == call.Name && session.TaskSupport(item) == session.TaskRequired
	})
}

// A TaskDocument is task in a CallDocument.
type TaskDocument struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Polls  int    `json:"polls"`
}

type taskReport struct {
	env   *console.Env
	quiet bool // print nothing
	last  session.Task
	said  string
}

// Called with each description of the task.
func (r *taskReport) changed(t session.Task) {
	r.last = t
	said := strings.ReplaceAll(t.Status, "_", " ")
	if t.Message != "" {
		said += ": " + t.Message
	}
	if said == r.said || r.quiet {
		return
	}
	r.said = said
	fmt.Fprintln(r.env.Stderr, termsafe.String("mcpdbg: task "+t.ID+" "+said))
}

// For --json; nil without a task.
func (r *taskReport) document() *TaskDocument {
	if r.last.ID == "" {
		return nil
	}
	return &TaskDocument{r.last.ID, r.last.Status, r.last.Polls}
}
