package mock

import (
	"strings"
	"time"

	"mcpdbg/session"
)

const (
	// longestRest is the longest pause before a notification, or before the
	// answer behind one, without Options.Speed.
	longestRest = 20 * time.Millisecond
	// apart is the shortest pause between a notification and its answer: a client
	// is to read them apart.
	apart = 5 * time.Millisecond
	// mostRest is how long all pauses of one play may be before only apart is
	// left of them.
	mostRest = time.Second
)

// rest returns how long a play pauses before a line that came gap after the one
// before it: nothing before an answer without notifications.
func (p *play) rest(gap time.Duration, notification bool) time.Duration {
	if !notification && !p.told {
		return 0
	}
	rest := min(gap, longestRest)
	if p.rested >= mostRest {
		rest = 0
	}
	if !notification {
		rest = max(rest, apart)
	}
	p.rested += rest
	return rest
}

// writeNotification writes a notification with edits made, in a write of its
// own.
func (s *Server) writeNotification(p *play, e *session.Entry, changes edits) move {
	if s.opts.Exact {
		return s.writeEntry(p, e, changes)
	}
	s.out.write()
	s.writeEntry(p, e, changes)
	s.out.write()
	p.told = true
	return onward
}

// isChange reports whether a notification says that the server itself changed,
// and so belongs to no request. Those of a subscription have its id.
func (s *Server) isChange(method string) bool {
	return !s.opts.Exact && len(s.listens) == 0 &&
		(strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated")
}
