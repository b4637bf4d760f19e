package wire

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/format"
	"mcpdbg/ui/workspace"
)

const (
	// slowFrom is the shortest time that counts as slow: people notice delays
	// from a tenth of a second on (Nielsen, Usability Engineering, 1993).
	slowFrom = 100 * time.Millisecond
	// slowTimes is the multiple of the median that counts as slow.
	slowTimes = 5
	// slowSample is the maximum number of rows that the median is computed from.
	slowSample = 2048
)

// A Slowness is the time from which a response of a log counts as slow, and how it
// was determined.
type Slowness struct {
	limit, Median time.Duration
	given         bool // by Options.Slow
	Responses     int  // number of responses in the median, without the handshake's
	sampled       bool // the median is of a sample of the responses
}

// String returns the limit.
func (s Slowness) String() string { return "over " + format.RoundedTime(s.limit) }

// basis describes where the limit comes from and what was measured.
func (s Slowness) basis() string {
	if s.given {
		return "as configured"
	}
	if s.Responses == 0 {
		return "no responses apart from the handshake"
	}
	sample := ""
	if s.sampled {
		sample = "sampled "
	}
	text := fmt.Sprintf("median %s of %s", format.RoundedTime(s.Median), kit.Plural(s.Responses, sample+"response"))
	if s.limit > slowFrom {
		text = fmt.Sprintf("%d x the ", slowTimes) + text
	}
	return text
}

// Slowness returns the limit for slow responses in the log: a multiple of the
// median time of its responses.
func (r *Lists) Slowness() Slowness {
	if r.Slow > 0 {
		return Slowness{limit: r.Slow, given: true}
	}
	all := r.ws.Shown.Index.Traffic.All()
	step := max((len(all)+slowSample-1)/slowSample, 1)
	var took []int64
	for i := 0; i < len(all); i += step {
		row, ok := r.ws.Shown.Rows.At(int(all[i]))
		if step == 1 && row.Msg == framing.Request {
			continue // its response is counted instead
		}
		partner, paired := r.ws.Shown.Rows.At(int(row.Pair) - 1)
		if ok && paired && !workspace.IsHandshake(r.ws.Shown.Source.Method(row.Method)) {
			took = append(took, max(row.T-partner.T, partner.T-row.T))
		}
	}
	slow := Slowness{limit: slowFrom, Responses: len(took), sampled: step > 1}
	if len(took) > 0 {
		slices.Sort(took)
		slow.Median = time.Duration(took[len(took)/2]) * time.Microsecond
		slow.limit = max(slowFrom, slowTimes*slow.Median)
	}
	return slow
}

// findSlow selects the next slow response, or request that has been pending too
// long; after the last it continues at the first.
func (r *Lists) findSlow(by int) tea.Cmd {
	slow := r.Slowness()
	limit, clock := slow.limit.Microseconds(), r.ws.Clock
	source, requests := r.ws.Shown.Source, workspace.Rows{Source: r.ws.Shown.Source}
	s := newSieve(r.ws.Shown.Source, TrafficList, r.Traffic.lens(), nil)
	s.also = func(_ int, row *session.Row) bool {
		if workspace.IsHandshake(source.Method(row.Method)) {
			return false
		}
		switch row.Msg {
		case framing.Request:
			return row.State == session.ReqPending && clock >= 0 && clock-row.T > limit
		case framing.Response, framing.ErrorResponse:
			request, ok := requests.At(int(row.Pair) - 1)
			return ok && row.State != session.ReqDuplicate && row.T-request.T > limit
		}
		return false
	}
	where := ""
	if r.Traffic.lens().filter != nil {
		where = " matching the filter"
	}
	return r.find(&Find{
		list: TrafficList, by: by, wrap: true, sieve: s,
		What:  fmt.Sprintf("response%s %v (%s)", where, slow, slow.basis()),
		found: fmt.Sprintf("slow: %v (%s)", slow, slow.basis()),
		only:  fmt.Sprintf("no other slow response or pending request%s: %v (%s)", where, slow, slow.basis()),
	})
}
