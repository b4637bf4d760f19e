package lifecycle

import (
	"slices"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// replyTimeout is how long a request of the server may wait, in microseconds: the
// TypeScript SDK gives up then.
const replyTimeout = 60_000_000

type elicitations struct {
	ids  map[string]bool
	full bool // some are not known
}

func (e *elicitations) add(id string) {
	switch {
	case id == "":
	case len(e.ids) >= maxElicitations:
		e.full = true
	default:
		if e.ids == nil {
			e.ids = make(map[string]bool)
		}
		e.ids[message.Short([]byte(id))] = true
	}
}

func (c *Checker) serverRequest(m *message.Message) {
	r := m.Request
	where := diagnosis.Location{Method: r.Method}
	if c.isModern(m) {
		c.found(srv01, m.At, where, "the request has the id %s", message.Excerpt(r.ID))
		return
	}
	o := &c.order
	if o.sent && !o.ready && !c.lost && !c.versions.served && m.Request.Method != mcp.MethodPing {
		c.found(lif03, m.At, diagnosis.Location{Method: m.Request.Method}, "sent before notifications/initialized")
	}
	c.tokenOf(m)
	params := m.Of(m.Params)
	if !c.mixed() {
		if missing := lacks(c.client, r.Method, params, m.Revision); missing != "" {
			c.found(cap07, m.At, where, "the client did not declare %s", missing)
		}
	}
	if r.Method == mcp.MethodElicit {
		c.urls.add(message.Text(message.Member(params, "elicitationId")))
	}
	c.asked = slices.DeleteFunc(c.asked, func(q *message.Request) bool { return q.ID == r.ID })
	if len(c.asked) < maxAsked {
		c.asked = append(c.asked, r)
	}
}

func (c *Checker) replied(r *message.Request) {
	if i := slices.Index(c.asked, r); i >= 0 {
		c.asked = slices.Delete(c.asked, i, i+1)
	}
}

func (c *Checker) elicitationsIn(m *message.Message, code int) {
	if code != codeURLRequired {
		return
	}
	list := message.Member(message.Member(m.Of(m.Error), "data"), "elicitations")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	for element := range message.Elements(list) {
		c.urls.add(message.Text(message.Member(element, "elicitationId")))
		if c.urls.full {
			return
		}
	}
}

func (c *Checker) elicited(m *message.Message) {
	id := message.Text(message.Member(m.Of(m.Params), "elicitationId"))
	e := &c.urls
	if id == "" || !c.fromStart() || e.full || !c.isLegacy(m) || e.ids[message.Short([]byte(id))] {
		return
	}
	c.found(srv06, m.At, diagnosis.Location{Method: notifyCompleted}, "no elicitation has the id %s", message.Excerpt(id))
}
