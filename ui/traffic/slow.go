package traffic

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/workspace"
)

const (
	// slowFrom is the shortest time that counts as slow: people notice delays
	// from a tenth of a second on (Nielsen, Usability Engineering, 1993).
	slowFrom = 100 * time.Millisecond
	// slowTimes is the multiple of the median that counts as slow.
	slowTimes = 5
)

// A Slowness is the time from which a response of a log counts as slow, and how it
// was determined.
type Slowness struct {
	limit, Median time.Duration
	given         bool // by Options.Slow
	Responses     int  // number of responses in the median, without the handshake's
}

// String returns the limit.
func (s Slowness) String() string {
	return "over " + string(wording.AppendTook(nil, s.limit.Microseconds()))
}

func (s Slowness) basis() string {
	if s.given {
		return "as configured"
	}
	if s.Responses == 0 {
		return "no responses besides the handshake"
	}
	text := fmt.Sprintf("median %s of %s", wording.AppendTook(nil, s.Median.Microseconds()), wording.Counted(s.Responses, "response")+" besides the handshake")
	if s.limit > slowFrom {
		text = fmt.Sprintf("%d x the ", slowTimes) + text
	}
	return text
}

// Slowness returns the limit for slow responses: a multiple of the median that the
// latency panel shows.
func (r *Lists) Slowness() Slowness {
	if r.Slow > 0 {
		return Slowness{limit: r.Slow, given: true}
	}
	latencies := r.ws.Shown.Index.Latencies
	if latencies == nil { // an earlier moment of a recording
		latencies = r.ws.Whole.Index.Latencies
	}
	all := latencies.All()
	slow := Slowness{Responses: int(all.N), Median: time.Duration(all.Median()) * time.Microsecond}
	slow.limit = max(slowFrom, slowTimes*slow.Median)
	return slow
}

// findSlow selects the next slow response, or request that has been pending too
// long; after the last it continues at the first. Only the time of the server counts,
// so a request that the user answers is never slow.
func (r *Lists) findSlow(by int) tea.Cmd {
	slow := r.Slowness()
	limit, clock := slow.limit.Microseconds(), r.ws.Clock
	source, requests := r.ws.Shown.Source, workspace.Rows{Source: r.ws.Shown.Source}
	rounds, view := r.ws.Shown.Index.Exchanges.Links, r.Traffic.view
	s := newRowMatcher(r.ws.Shown.Source, TrafficList, r.Traffic.listing(), nil)
	s.also = func(number int, row *session.Row) bool {
		if workspace.IsHandshake(source.Method(row.Method)) {
			return false
		}
		took := func(request int, from, to int64) int64 {
			return rounds.Split(&requests, request, exchange.Span{From: from, To: to}).Server
		}
		switch row.Msg {
		case framing.Request:
			return row.State == session.ReqPending && clock >= 0 && took(number, row.T, clock) > limit
		case framing.Response, framing.ErrorResponse:
			if a, ok := requests.AnsweredBy(&rounds, number, row); ok && view == Exchanges {
				return a.Took > limit
			}
			at, _ := row.Partner()
			request, ok := requests.At(at)
			return ok && row.State != session.ReqDuplicate && took(at, request.T, row.T) > limit
		}
		return false
	}
	where := ""
	if r.Traffic.listing().filter != nil {
		where = " matching the filter"
	}
	return r.find(&Find{
		list: TrafficList, by: by, wrap: true, matcher: s,
		What:  fmt.Sprintf("response%s %v (%s)", where, slow, slow.basis()),
		found: fmt.Sprintf("slow: %v (%s)", slow, slow.basis()),
		only:  fmt.Sprintf("no other slow response or pending request%s: %v (%s)", where, slow, slow.basis()),
	})
}
