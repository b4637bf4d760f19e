package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcpdbg/internal/smoke/inventory"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// list requests every list that the server declares. Only the number of items
// is kept, and for a baseline what is needed to compare them.
func (c *check) list(ctx context.Context) *failure {
	c.enter(PhaseList)
	begin := time.Now()
	defer func() { add(&c.result.Timings.List, time.Since(begin)) }()
	server := c.made.Session.Status().Server
	lists := make(map[mcp.List][]json.RawMessage)
	for _, list := range mcp.Lists {
		if len(server.Capabilities) == 0 || !server.Offers(list) {
			continue
		}
		items, err := c.made.Session.ListAll(ctx, list)
		if list.Name == "templates" && isUnknownMethod(err) {
			// The capability covers resources in general: many servers have no
			// templates.
			c.notice(Notice{Code: "list.templates", Text: "the server declares resources but does not support " + list.Method})
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
		c.offers = inventory.New(server, lists)
		c.run.refs.offer(c.target, c.offers)
	}
	return nil
}

func isUnknownMethod(err error) bool {
	var answer *session.RPCError
	return errors.As(err, &answer) && answer.Code == mcp.CodeMethodNotFound
}

// count returns the field for the length of a list.
func (c *check) count(list mcp.List) **int {
	switch list.Name {
	case "tools":
		return &c.result.Tools
	case "resources":
		return &c.result.Resources
	case "templates":
		return &c.result.Templates
	default:
		return &c.result.Prompts
	}
}

// ping measures one round trip. The modern era has no ping; every server
// responds to server/discover without further work.
func (c *check) ping(ctx context.Context) *failure {
	method := mcp.MethodPing
	if c.made.Session.Status().Server.Era == mcp.Modern {
		method = mcp.MethodDiscover
	}
	begin := time.Now()
	answer, err := c.made.Session.Request(ctx, method, nil, session.CallOptions{})
	if err == nil && answer.Error != nil {
		err = answer.Error
	}
	if err != nil {
		return c.classify(ctx, fmt.Errorf("%s: %w", method, err))
	}
	add(&c.result.Timings.Ping, time.Since(begin))
	return nil
}
