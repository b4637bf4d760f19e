package check

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mcpdbg/internal/safetext"
	"mcpdbg/internal/steps"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// lists reads all lists to their end and returns the tools.
func (p *process) lists(ctx context.Context) []tool {
	server := p.made.Session.Status().Server
	declared := steps.Declared(&server)
	var tools []json.RawMessage
	for _, list := range mcp.Lists {
		p.step(ctx, StepList, list.Name, func(ctx context.Context) verdict {
			if !slices.Contains(declared, list) {
				return notApplicable("the server does not declare " + capability(list))
			}
			ctx, cancel := context.WithTimeoutCause(ctx, p.opts.StepTimeout, errStep(p.opts.StepTimeout))
			defer cancel()
			items, err := p.made.Session.ListAll(ctx, list)
			switch {
			case steps.NoTemplates(list, err):
				return notApplicable("the server has resources and no templates")
			case err != nil:
				return p.requestFailed(ctx, err)
			}
			if list.Name == "tools" {
				tools = items
			}
			return passed(safetext.Count(len(items), item(list)))
		})
	}
	return toolsOf(tools)
}

func capability(list mcp.List) string {
	if list.Name == "templates" {
		return "resources"
	}
	return list.Name
}

// item returns the word for one item of a list.
func item(list mcp.List) string { return list.Name[:len(list.Name)-1] }

// requestFailed returns the verdict for a request that got no result.
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
