package ui

import (
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	methodListen = "subscriptions/listen"
	// listenFor is how long a request lasts that is not meant to be answered.
	listenFor = 365 * 24 * time.Hour
	// changedLists is what is subscribed to when it is no resource: changes of
	// the lists. Only the modern era wants to be asked for them.
	changedLists = ""
)

// subscribe has the server tell when a resource changes, or ends that.
func (a *App) subscribe(uri string) tea.Cmd {
	on := a.subscribed[uri] == nil
	if a.status.Server.Era == mcp.Modern {
		return a.listen(uri, on)
	}
	method := "resources/subscribe"
	if !on {
		method = "resources/unsubscribe"
	}
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		s.Act("compose", method, 0)
		resp, err := s.Request(ctx, method, uriParams(uri), session.CallOptions{})
		if err == nil && resp.Error != nil {
			err = resp.Error
		}
		return result{what: method, err: err, text: method + " " + uri, then: func(a *App) tea.Cmd {
			switch {
			case err != nil:
			case on:
				a.subscribed[uri] = &call{}
			default:
				delete(a.subscribed, uri)
			}
			return a.refresh()
		}}
	}
}

// listen is subscribe in the modern era, where a subscription lasts as long as
// the request does.
func (a *App) listen(uri string, on bool) tea.Cmd {
	if !on {
		a.giveUp(a.subscribed[uri])
		delete(a.subscribed, uri)
		return nil
	}
	wanted := map[string]any{"resourceSubscriptions": []string{uri}}
	if uri == changedLists {
		wanted = map[string]any{"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true}
	}
	params, err := json.Marshal(map[string]any{"notifications": wanted})
	if err != nil {
		return nil
	}
	a.session.Act("compose", methodListen, 0)
	cmd := a.request(methodListen+" "+uri, methodListen, params, listenFor)
	c := a.calls[len(a.calls)-1]
	c.listens = true
	a.subscribed[uri] = c
	return cmd
}

// listened takes the end of a subscription, and tells whether it was one.
func (a *App) listened(c *call) bool {
	if !c.listens {
		return false
	}
	for uri, other := range a.subscribed {
		if other == c {
			delete(a.subscribed, uri)
		}
	}
	return true
}
