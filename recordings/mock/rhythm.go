package mock

import (
	"strings"
	"time"

	"mcpdbg/session"
)

const (
	// maxRest is the longest pause before a notification, or before the response after
	// one, without Options.Speed.
	maxRest = 20 * time.Millisecond
	// minGap lets clients read a notification and its response separately.
	minGap = 5 * time.Millisecond
	// maxTotalRest is the total of all pauses of a play after which only minGap is left
	// of them.
	maxTotalRest = time.Second
)

// rest returns the pause before a line that came gap after the previous one: none before
// a response without notifications.
func (p *play) rest(gap time.Duration, notification bool) time.Duration {
	if !notification && !p.afterNote {
		return 0
	}
	rest := min(gap, maxRest)
	if p.rested >= maxTotalRest {
		rest = 0
	}
	if !notification {
		rest = max(rest, minGap)
	}
	p.rested += rest
	return rest
}

func (p *play) writeNotification(e *session.Entry, changes edits) move {
	if p.server.opts.Exact {
		return p.writeEntry(e, changes)
	}
	p.server.out.write()
	p.writeEntry(e, changes)
	p.server.out.write()
	p.afterNote = true
	return onward
}

// A change of the server belongs to no request. Those of a subscription have its id.
func (s *Server) isChange(method string) bool {
	return !s.opts.Exact && len(s.listens) == 0 &&
		(strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated")
}
