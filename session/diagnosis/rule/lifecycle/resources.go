package lifecycle

import (
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

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
