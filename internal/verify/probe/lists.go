package probe

import (
	"context"
	"encoding/json"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Only the number of items is kept, and for a baseline what is needed to compare them.
func (c *target) list(ctx context.Context) *failure {
	c.enter(verify.PhaseList)
	begin := time.Now()
	defer func() { c.times.add(verify.PhaseList, time.Since(begin)) }()
	server := c.made.Session.Status().Server
	lists := make(map[mcp.List][]json.RawMessage)
	for _, list := range verify.Declared(&server) {
		items, err := c.made.Session.ListAll(ctx, list)
		if verify.NoTemplates(list, err) {
			c.notice(verify.Notice{Code: "list.templates", Text: "the server declares resources but does not support " + list.Method})
			continue
		}
		if err != nil {
			return c.classify(ctx, err)
		}
		n := len(items)
		*c.count(list) = &n
		if c.run.refs != nil {
			lists[list] = items
		}
	}
	if c.run.refs != nil {
		c.offers = surface.New(server, lists)
		c.run.refs.offer(c.index, c.offers)
	}
	return nil
}

func (c *target) count(list mcp.List) **int {
	switch list.Name {
	case "tools":
		return &c.result.Offers.Tools
	case "resources":
		return &c.result.Offers.Resources
	case "templates":
		return &c.result.Offers.Templates
	default:
		return &c.result.Offers.Prompts
	}
}

func (c *target) ping(ctx context.Context) *failure {
	begin := time.Now()
	if err := verify.Ping(ctx, c.made.Session, session.CallOptions{}); err != nil {
		return c.classify(ctx, err)
	}
	c.times.add(phasePing, time.Since(begin))
	return nil
}
