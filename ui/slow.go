package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	// slowFrom is what nobody calls slow below: a tenth of a second is where
	// people begin to notice (Nielsen, Usability Engineering, 1993).
	slowFrom = 100 * time.Millisecond
	// slowTimes is how many times the median is slow.
	slowTimes = 5
	// slowSample is how many requests the median is taken of.
	slowSample = 2048
)

// slowness is what is slow in a log.
type slowness struct {
	limit, median time.Duration
	given         bool // by Options.Slow
}

// String says what is slow, and why.
func (s slowness) String() string {
	switch {
	case s.given:
		return "over " + s.limit.String() + ", as set"
	case s.limit > slowFrom:
		return fmt.Sprintf("over %v, %d times the median", s.limit, slowTimes)
	}
	return fmt.Sprintf("over %v; the median is %v", s.limit, s.median)
}

// slowness finds out what is slow: a sample of what was answered tells what is
// usual.
func (a *App) slowness() slowness {
	if a.opts.Slow > 0 {
		return slowness{limit: a.opts.Slow, given: true}
	}
	all := a.index.traffic.All()
	var took []int64
	for i := 0; i < len(all); {
		row, ok := a.rows.at(int(all[i]))
		partner, paired := a.rows.at(int(row.Pair) - 1)
		if ok && paired {
			took = append(took, max(row.T-partner.T, partner.T-row.T))
		}
		i += max(len(all)/slowSample, 1)
	}
	if len(took) == 0 {
		return slowness{limit: slowFrom}
	}
	slices.Sort(took)
	median := time.Duration(took[len(took)/2]) * time.Microsecond
	return slowness{limit: max(slowFrom, slowTimes*median), median: median}
}

// findSlow goes to the next answer that took long, or request that waits long.
func (a *App) findSlow(by int) tea.Cmd {
	slow := a.slowness()
	limit, clock := slow.limit.Microseconds(), a.traffic.clock
	requests := rowReader{source: a.source}
	s := newSieve(a.source, trafficID, a.traffic.lens(), nil)
	s.also = func(_ int, row *session.Row) bool {
		switch row.Msg {
		case framing.Request:
			return row.State == session.ReqPending && clock >= 0 && clock-row.T > limit
		case framing.Response, framing.ErrorResponse:
			request, ok := requests.at(int(row.Pair) - 1)
			return ok && row.State != session.ReqDuplicate && row.T-request.T > limit
		}
		return false
	}
	return a.find(&find{pane: trafficID, by: by, what: "answer " + slow.String(), found: "slow is " + slow.String(), sieve: s})
}
