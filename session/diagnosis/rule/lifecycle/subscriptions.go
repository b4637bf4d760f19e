package lifecycle

import (
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A subscription is a pending subscriptions/listen of the modern era.
type subscription struct {
	acknowledged bool
	methods      map[string]bool // of the notifications that it asks for
	uris         map[string]bool
	anyURI       bool            // some are not known
	tasks        map[string]bool // whose state it asks for, by raw id
	anyTask      bool            // some are not known
}

type subscriptions struct {
	open  map[string]*subscription
	ended map[string]endOf
	full  bool // some are not known
	stray bool // an acknowledgement belongs to none of them
}

// An endOf is how a subscription ended. If the client ended it, notifications may still
// be in flight.
type endOf struct {
	byServer bool
	at       int64
}

func (s *subscriptions) listen(m *message.Message) {
	if len(s.open) >= maxSubscriptions {
		s.full = true
		return
	}
	if s.open == nil {
		s.open, s.ended = make(map[string]*subscription), make(map[string]endOf)
	}
	sub := &subscription{methods: make(map[string]bool), uris: make(map[string]bool)}
	want := message.Member(m.Of(m.Params), "notifications")
	for name, method := range map[string]string{"toolsListChanged": notifyTools, "promptsListChanged": notifyPrompts, "resourcesListChanged": notifyResources} {
		if string(message.Member(want, name)) == "true" {
			sub.methods[method] = true
		}
	}
	if uris := message.Member(want, "resourceSubscriptions"); len(uris) > 0 && uris[0] == '[' {
		sub.methods[notifyUpdated] = true
		for element := range message.Elements(uris) {
			if len(sub.uris) == maxURIs {
				sub.anyURI = true
				break
			}
			sub.uris[message.Text(element)] = true
		}
	}
	sub.askForTasks(want)
	s.open[m.Request.ID] = sub
	delete(s.ended, m.Request.ID)
}

func (s *subscriptions) end(id string, how endOf) {
	if s.open[id] == nil {
		return
	}
	delete(s.open, id)
	if len(s.ended) >= maxSubscriptions {
		s.full = true
		return
	}
	s.ended[id] = how
}

// tag returns the raw subscription id of a notification, nil if it has none.
func tag(m *message.Message) []byte {
	return message.Member(message.Member(m.Of(m.Params), "_meta"), metaSubscription)
}

func (c *Checker) tagged(m *message.Message, method string) {
	where := diagnosis.Location{Method: method}
	id := tag(m)
	if id == nil {
		if c.isModern(m) {
			c.found(mod09, m.At, where, "no subscription id in _meta")
		}
		return
	}
	sub := c.subscription(m, method, id)
	switch {
	case sub == nil:
	case !sub.acknowledged && !c.lost:
		c.found(mod09, m.At, where, "sent before the acknowledgement of subscription %s", message.Excerpt(id))
		sub.acknowledged = true // one problem is enough
	case !sub.methods[method]:
		c.found(mod09, m.At, where, "subscription %s did not ask for it", message.Excerpt(id))
	case method == mcp.MethodTasks && !sub.anyTask && !sub.tasks[message.Short(message.Member(m.Of(m.Params), "taskId"))]:
		c.found(mod09, m.At, where, "subscription %s did not ask for this task", message.Excerpt(id))
	case method == notifyUpdated && !sub.anyURI:
		uri := message.Text(message.Member(m.Of(m.Params), "uri"))
		if !sub.uris[uri] && uri != "" && !covers(sub.uris, uri) {
			c.found(mod09, m.At, where, "subscription %s did not ask for %s", message.Excerpt(id), message.Excerpt(uri))
		}
	}
}

func (c *Checker) acknowledged(m *message.Message) {
	where := diagnosis.Location{Method: notifyAcknowledged}
	id := tag(m)
	if id == nil {
		c.subscriptions.stray = true
		c.found(mod09, m.At, where, "no subscription id in _meta")
		return
	}
	sub := c.subscription(m, notifyAcknowledged, id)
	if sub == nil {
		c.subscriptions.stray = true
		return
	}
	sub.acknowledged = true
	got := message.Member(m.Of(m.Params), "notifications")
	for name, method := range map[string]string{"toolsListChanged": notifyTools, "promptsListChanged": notifyPrompts, "resourcesListChanged": notifyResources} {
		if string(message.Member(got, name)) == "true" && !sub.methods[method] {
			c.found(mod09, m.At, where, "%s, which was not asked for", name)
		}
	}
}

// subscription returns the subscription with an id. Without one it reports the id and
// returns nil.
func (c *Checker) subscription(m *message.Message, method string, id []byte) *subscription {
	s, name := &c.subscriptions, message.Short(id)
	if sub := s.open[name]; sub != nil {
		return sub
	}
	end, ended := s.ended[name]
	where := diagnosis.Location{Method: method}
	switch {
	case ended && !end.byServer && m.At.T-end.at <= grace, c.lost, s.full, !mcp.IsModern(m.Revision):
	case ended && end.byServer:
		c.found(mod09, m.At, where, "the server had ended subscription %s", message.Excerpt(id))
	case ended:
		c.found(mod09, m.At, where, "subscription %s was cancelled %s before", message.Excerpt(id), seconds(m.At.T-end.at))
	case s.open[otherType(name)] != nil:
		c.found(mod09, m.At, where, "subscription id %s for the request id %s: the type changed", message.Excerpt(id), message.Excerpt(otherType(name)))
	case c.fromStart():
		c.found(mod09, m.At, where, "no subscription has the id %s", message.Excerpt(id))
	}
	return nil
}

// otherType returns an id as a string if it is a number, and the other way round.
func otherType(id string) string {
	if bare, err := strconv.Unquote(id); err == nil {
		return bare
	}
	return strconv.Quote(id)
}

func (s *subscription) askForTasks(want []byte) {
	list := message.Member(want, "taskIds")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	s.methods[mcp.MethodTasks], s.tasks = true, make(map[string]bool)
	for element := range message.Elements(list) {
		if len(s.tasks) == maxURIs {
			s.anyTask = true
			return
		}
		s.tasks[message.Short(element)] = true
	}
}

// checkListenResult checks the result of a subscription. An error refuses it, and needs
// no acknowledgement. One that was cancelled is no longer open: its acknowledgement may
// have been given up.
func checkListenResult(c *Checker, m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	if m.Kind != framing.Response || !r.Versioned || !message.IsObject(result) {
		return
	}
	where := about(r)
	sub := c.subscriptions.open[r.ID]
	if sub != nil && !sub.acknowledged && !c.subscriptions.stray && !c.lost {
		c.found(mod17, m.At, where, "it comes before any acknowledgement")
	}
	where.Pointer = "/_meta"
	switch id := message.Member(message.Member(result, "_meta"), metaSubscription); {
	case id == nil:
		c.found(mod17, m.At, where, "no %s in _meta", metaSubscription)
	case message.Short(id) != r.ID:
		c.found(mod17, m.At, where, "subscription id %s for the request id %s", message.Excerpt(id), message.Excerpt(r.ID))
	}
}

type resources struct {
	uris map[string]bool
	full bool // some are not known
}

// subscribe notes a request to subscribe. Its response may come after the first
// update.
func (r *resources) subscribe(uri string) {
	if r.uris == nil {
		r.uris = make(map[string]bool)
	}
	if len(r.uris) >= maxURIs {
		r.full = true
		return
	}
	r.uris[uri] = true
}

func (r *resources) unsubscribe(uri string) { delete(r.uris, uri) }

// covers reports whether an update of a URI was asked for: the resource itself, or
// one that contains it.
func covers[T any](subscribed map[string]T, uri string) bool {
	for s := range subscribed {
		if within(s, uri) {
			return true
		}
	}
	return false
}

func within(subscribed, uri string) bool {
	return strings.HasPrefix(uri, strings.TrimRight(subscribed, "/"))
}

func (c *Checker) updated(m *message.Message) {
	if !c.isLegacy(m) || !c.legacy.has(known) {
		return
	}
	where := diagnosis.Location{Method: notifyUpdated}
	if !c.legacy.has(subscribe) {
		c.found(cap04, m.At, where, "resources.subscribe is not declared")
		return
	}
	uri := message.Text(message.Member(m.Of(m.Params), "uri"))
	if _, exact := c.resources.uris[uri]; exact || uri == "" || c.lost || c.resources.full || covers(c.resources.uris, uri) {
		return
	}
	c.found(cap04, m.At, where, "no subscription to %s", message.Excerpt(uri))
}
