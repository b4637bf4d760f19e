package probe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxRelists is how often a changed list is read again.
const maxRelists = 3

func (p *process) lists(ctx context.Context) []tool {
	server := p.made.Session.Status().Server
	declared := verify.Declared(&server)
	p.relists, p.seen = map[mcp.List]int{}, p.made.Session.Log().Len()
	var tools []json.RawMessage
	for _, list := range mcp.Lists {
		p.step(ctx, verify.StepList, list.Name, func(ctx context.Context) verdict {
			if !slices.Contains(declared, list) {
				return notApplicable("the server does not declare " + list.Capability())
			}
			ctx, cancel := context.WithTimeoutCause(ctx, p.opts.StepTimeout, errStep(p.opts.StepTimeout))
			defer cancel()
			items, err := p.made.Session.ListAll(ctx, list)
			switch {
			case verify.NoTemplates(list, err):
				return notApplicable("the server has resources and no templates")
			case err != nil:
				return p.requestFailed(ctx, err)
			}
			p.relists[list] = 0
			if list.Name == "tools" {
				tools = items
			}
			return passed(wording.Plural(len(items), list.Item()))
		})
	}
	if again := p.listAgain(ctx); again != nil {
		tools = again
	}
	return toolsOf(tools)
}

// listAgain reads the lists that the server announced to have changed. It returns the
// tools, nil if they were not read. A list that cannot be read now stays as it was: the
// rules see why.
func (p *process) listAgain(ctx context.Context) (tools []json.RawMessage) {
	changed := p.changedLists()
	for _, list := range mcp.Lists {
		times, known := p.relists[list]
		if !known || times == maxRelists || !slices.Contains(changed, list) || ctx.Err() != nil {
			continue
		}
		p.relists[list]++
		within, cancel := context.WithTimeoutCause(ctx, p.opts.StepTimeout, errStep(p.opts.StepTimeout))
		items, err := p.made.Session.ListAll(within, list)
		cancel()
		if err == nil && list.Name == "tools" {
			tools = items
		}
	}
	return tools
}

// changedLists searches the log since the last call.
func (p *process) changedLists() (changed []mcp.List) {
	src := p.made.Session.Log()
	for n := src.Len(); p.seen < n; p.seen++ {
		row, ok := session.RowAt(src, p.seen)
		if !ok || row.Kind != session.KindStdout || row.Msg != framing.Notification {
			continue
		}
		method := src.Method(row.Method)
		for _, list := range mcp.Lists {
			if list.Changed == method {
				changed = append(changed, list)
			}
		}
	}
	return changed
}

func (p *process) requestFailed(ctx context.Context, err error) verdict {
	var answer *session.RPCError
	switch {
	case stopped(ctx):
		return notChecked("stopped: " + context.Cause(ctx).Error())
	case errors.As(err, &answer):
		return failed(err.Error())
	case ctx.Err() != nil:
		return failed(context.Cause(ctx).Error())
	}
	return failed(err.Error())
}
