package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// slowFrom is the least time that is slow: a tenth of a second is where
	// people begin to notice (Nielsen, Usability Engineering, 1993).
	slowFrom = 100 * time.Millisecond
	// slowTimes is how many times the median is slow.
	slowTimes = 5
	// slowSample is how many rows the median is taken from at most.
	slowSample = 2048
)

// slowness is the time from which a response of a log is slow, and how it was
// found.
type slowness struct {
	limit, median time.Duration
	given         bool // by Options.Slow
	responses     int  // that the median was taken from; the handshake's are not among them
	sampled       bool // they are a sample of all
}

// String returns the limit.
func (s slowness) String() string { return "over " + roundedTime(s.limit) }

// basis says where the limit comes from and what was measured.
func (s slowness) basis() string {
	if s.given {
		return "as set"
	}
	if s.responses == 0 {
		return "no responses besides the handshake's"
	}
	sample := ""
	if s.sampled {
		sample = "sampled "
	}
	text := fmt.Sprintf("median %s of %s, without the handshake", roundedTime(s.median), howMany(s.responses, sample+"response"))
	if s.limit > slowFrom {
		text = fmt.Sprintf("%d x the ", slowTimes) + text
	}
	return text
}

// isHandshake reports whether a method belongs to the handshake: how long a
// server takes to start says nothing about its calls.
func isHandshake(method string) bool {
	return method == mcp.MethodInitialize || method == mcp.MethodDiscover
}

// slowness returns what is slow in the log: a multiple of the median time of
// its responses.
func (a *App) slowness() slowness {
	if a.opts.Slow > 0 {
		return slowness{limit: a.opts.Slow, given: true}
	}
	all := a.index.traffic.All()
	step := max((len(all)+slowSample-1)/slowSample, 1)
	var took []int64
	for i := 0; i < len(all); i += step {
		row, ok := a.rows.at(int(all[i]))
		if step == 1 && row.Msg == framing.Request {
			continue // its response counts
		}
		partner, paired := a.rows.at(int(row.Pair) - 1)
		if ok && paired && !isHandshake(a.source.Method(row.Method)) {
			took = append(took, max(row.T-partner.T, partner.T-row.T))
		}
	}
	slow := slowness{limit: slowFrom, responses: len(took), sampled: step > 1}
	if len(took) > 0 {
		slices.Sort(took)
		slow.median = time.Duration(took[len(took)/2]) * time.Microsecond
		slow.limit = max(slowFrom, slowTimes*slow.median)
	}
	return slow
}

// findSlow goes to the next response that took long, or request that has been
// pending that long; from the last of them on to the first.
func (a *App) findSlow(by int) tea.Cmd {
	slow := a.slowness()
	limit, clock := slow.limit.Microseconds(), a.traffic.clock
	source, requests := a.source, rowReader{source: a.source}
	s := newSieve(a.source, trafficID, a.traffic.lens(), nil)
	s.also = func(_ int, row *session.Row) bool {
		if isHandshake(source.Method(row.Method)) {
			return false
		}
		switch row.Msg {
		case framing.Request:
			return row.State == session.ReqPending && clock >= 0 && clock-row.T > limit
		case framing.Response, framing.ErrorResponse:
			request, ok := requests.at(int(row.Pair) - 1)
			return ok && row.State != session.ReqDuplicate && row.T-request.T > limit
		}
		return false
	}
	where := ""
	if a.traffic.lens().filter != nil {
		where = " that the filter shows"
	}
	return a.find(&find{
		pane: trafficID, by: by, wrap: true, sieve: s,
		what:  fmt.Sprintf("response%s %v (%s)", where, slow, slow.basis()),
		found: fmt.Sprintf("slow: %v (%s)", slow, slow.basis()),
		only:  fmt.Sprintf("no other slow response or pending request%s: %v (%s)", where, slow, slow.basis()),
	})
}

// roundedTime is a time with a unit, with the digits that a row of the traffic
// shows; from a second on in seconds.
func roundedTime(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return strings.TrimSuffix(string(appendMillis(nil, d.Microseconds())), ".0") + " ms"
}
