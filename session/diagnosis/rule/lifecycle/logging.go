package lifecycle

import (
	"slices"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

var levels = mcp.LogLevels()

type logging struct {
	asked  int  // logging/setLevel requests without a response
	wanted int  // level of the last one
	level  int  // that applies, -1 or less for any
	chosen bool // the client has set one

	// Of the modern era: the pending requests with a logLevel, the lowest of these
	// levels so far, and when the client last cancelled one, which the server may not
	// have read yet.
	pending     map[*message.Request]bool
	lowest      int
	cancelledAt int64
	full        bool // some are not known
}

// levelOf returns the index of a level, -1 if it is not one.
func levelOf(name string) int { return slices.Index(levels, name) }

func (l *logging) ask(m *message.Message) {
	l.asked++
	l.wanted = levelOf(message.Text(message.Member(m.Of(m.Params), "level")))
}

// set notes the result of logging/setLevel. While another one is pending the level is not
// known.
func (l *logging) set() {
	if l.asked--; l.asked == 0 {
		l.level, l.chosen = l.wanted, true
	}
}

func (l *logging) begin(r *message.Request) {
	if len(l.pending) >= maxAsked {
		l.full = true
		return
	}
	if l.pending == nil {
		l.pending, l.lowest = make(map[*message.Request]bool), len(levels)
	}
	l.pending[r] = true
	l.lowest = min(l.lowest, levelOf(r.LogLevel))
}

func (l *logging) answered(r *message.Request) { delete(l.pending, r) }

func (l *logging) cancelled(r *message.Request, now int64) {
	delete(l.pending, r)
	l.cancelledAt = max(now, 1)
}

func (c *Checker) logged(m *message.Message) {
	has, where, l := c.declared(m.Revision), diagnosis.Location{Method: notifyMessage}, &c.logging
	modern := c.isModern(m)
	if !modern && !c.isLegacy(m) {
		return
	}
	unasked := modern && !c.lost && !l.full && len(l.pending) == 0 && (l.cancelledAt == 0 || m.At.T-l.cancelledAt > grace)
	switch {
	case unasked:
		c.found(mod10, m.At, where, "no request with a logLevel is pending")
		return
	case has.has(known) && !has.has(logs):
		c.found(cap05, m.At, where, "logging is not declared")
		return
	}
	lowest := l.lowest
	if !modern {
		if lowest = l.level; !l.chosen || l.asked > 0 {
			return
		}
	}
	if level := message.Text(message.Member(m.Of(m.Params), "level")); levelOf(level) >= 0 && levelOf(level) < lowest {
		c.found(cap06, m.At, where, "%s, and the level is %s", level, levels[min(lowest, len(levels)-1)])
	}
}
